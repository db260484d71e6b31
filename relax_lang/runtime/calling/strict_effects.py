"""`--strict-effects`: packed functions that promise to leave their arguments alone are held to it. [O.8] [P.4]

The promise is made by `call_dps_packed`, which writes results only, by `call_pure_packed` and `call_py_func`, and by
`pure=true`.
"""

from __future__ import annotations

from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.runtime.values.tensors import Tensor


def claims_purity(call: tree.Call) -> bool:
    """Return whether a call of a packed function promises to have no effect but its result. [P.4]"""
    if isinstance(call.op, tree.Op):
        return call.op.op_name in ("call_pure_packed", "call_py_func")
    for attr in call.attrs:
        if attr.key == "pure":
            return isinstance(attr.value, tree.BoolLit) and attr.value.value
    return False


class Snapshot:
    """The tensors among some arguments, fields of tuples included, as they are before a call."""

    __slots__ = ("_before",)

    def __init__(self, arguments: Sequence[object]) -> None:
        self._before: list[tuple[str, Tensor, Tensor]] = []
        stack = [(f"argument {at + 1}", value) for at, value in reversed(list(enumerate(arguments)))]
        while stack:
            name, value = stack.pop()
            if is_tensor(value):
                self._before.append((name, value, value.copy()))
            elif is_tuple(value):
                stack += [(f"{name}, field {at}", field) for at, field in reversed(list(enumerate(value)))]

    def check(self, callee: str, call: tree.Call) -> None:
        """Raise `wrote-its-argument` if a tensor is no longer what it was; nan is compared bit by bit."""
        for name, now, before in self._before:
            if now.shape != before.shape or now.dtype != before.dtype or now.tobytes() != before.tobytes():
                message = (
                    f'packed function "{callee}" wrote into {name}, which this call promises to leave alone'
                )
                raise RunFailure("wrote-its-argument", message, call, name=callee)
