"""Calls of operators that were inferred before: large programs repeat layers, and a rule gives the same for the same.

A rule of an operator looks at the struct infos of its arguments, at scalars and shapes that are written out and at
attributes, and asks the prover, which knows the facts of the place. What is remembered is a tensor of known dimensions
that a rule gave without findings and deferred checks; its nodes get the place of the new call. Other calls are
inferred every time.
"""

from __future__ import annotations

from relax_lang.base.node import structure
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from relax_lang.arith.facts import Facts
    from relax_lang.ops.core.operator import Operator

    Info = tree.StructInfo

_WRITTEN_OUT = (tree.Var, tree.Constant, tree.ShapeExpr)
"""Arguments of which a rule sees no more than their struct infos, if these have all dimensions."""
_MOST = 4096


class RepeatedCalls:
    """The results of calls in one function, under one set of facts."""

    __slots__ = ("_facts", "_found", "fitting")

    def __init__(self) -> None:
        self._facts: Facts | None = None
        self.fitting: set[Hashable] = set()
        """Calls of PrimFuncs whose arguments and results were proved to fit, by what that follows from."""
        self._found: dict[Hashable, tuple[tuple[tree.PrimExpr, ...], str]] = {}

    def key(
        self, operator: Operator, call: tree.Call, infos: Sequence[Info | None], facts: Facts
    ) -> Hashable | None:
        """Return what the result of a call follows from; None for a call that is not remembered."""
        # The rule of an operator of a project may look at anything.
        if call.struct_info is not None or not operator.family.since:
            return None
        parts: list[Hashable] = [operator.name]
        for arg, info in zip(call.args, infos, strict=True):
            if type(arg) not in _WRITTEN_OUT:
                return None
            if type(info) is tree.TensorStructInfo:
                if type(info.shape) is not tree.ShapeExpr or info.dtype is None:
                    return None
                parts.append(info.dtype.name)
                dims = info.shape.values
            elif type(info) is tree.ShapeStructInfo and info.values is not None:
                dims = info.values
            else:
                return None
            parts += [_dimension(dim) for dim in dims]
            parts.append(None)
        for attr in call.attrs:
            parts += [attr.key, structure(attr.value)]
        self._under(facts)
        return tuple(parts)

    def key_of_tensors(self, func: tree.PrimFunc, infos: Sequence[Info], facts: Facts) -> Hashable | None:
        """Return what it follows from that tensors fit the buffers of a PrimFunc; None if one is not known whole."""
        parts: list[Hashable] = [func]
        for info in infos:
            if type(info) is not tree.TensorStructInfo or info.dtype is None:
                return None
            if type(info.shape) is not tree.ShapeExpr:
                return None
            parts.append(info.dtype.name)
            parts += [_dimension(dim) for dim in info.shape.values]
            parts.append(None)
        self._under(facts)
        return tuple(parts)

    def _under(self, facts: Facts) -> None:
        """Forget what was found under other facts."""
        if facts is not self._facts:
            self._facts = facts
            self._found.clear()
            self.fitting.clear()

    def get(self, key: Hashable, call: tree.Call) -> tree.TensorStructInfo | None:
        """Return the result of a call that is like an earlier one."""
        found = self._found.get(key)
        if found is None:
            return None
        dims, dtype = found
        pos, end = call.pos, call.end
        return tree.TensorStructInfo(
            tree.ShapeExpr(dims, pos, end), tree.DType(dtype, pos, end), None, pos, end
        )

    def put(self, key: Hashable, call: tree.Call, info: Info) -> None:
        """Remember the result of a call that a rule made of its arguments without findings and deferred checks."""
        if type(info) is not tree.TensorStructInfo or type(info.shape) is not tree.ShapeExpr:
            return
        made = info.pos == info.shape.pos == call.pos and info.end == info.shape.end == call.end
        if made and info.dtype is not None and info.dtype.pos == call.pos and len(self._found) < _MOST:
            self._found[key] = info.shape.values, info.dtype.name


def _dimension(dim: tree.PrimExpr) -> Hashable:
    """Return what equal dimensions have in common, by a shorter way for the usual ones."""
    if type(dim) is tree.PrimVar:
        return dim.name
    return dim.value if type(dim) is tree.IntImm and dim.dtype is None else structure(dim)
