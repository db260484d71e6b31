"""The call that a type relation looks at: what is known of its arguments, and where it puts what it finds. [R.31]"""

from __future__ import annotations

from relax_lang.relay.operators.core import Refused
from relax_lang.relay.unification.model import (
    Any_,
    Param,
    Rejected,
    Tensor,
    Tuple,
    Unknown,
    find,
    find_shape,
    find_type,
    unknowns,
)
from relax_lang.relay.unification.printing import show
from relax_lang.relay.unification.solver import Mismatch, Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.relay.operators.core import Operator
    from relax_lang.relay.unification.model import Type
    from relax_lang.relay.unification.solver import Solver


_EXTENTS = (int, Any_)


class CallSite:
    """One call of an operator. Relations are functions of it; they may be asked again when more is known."""

    __slots__ = ("args", "attrs", "numbers", "operator", "place", "result", "solver")

    def __init__(
        self,
        operator: Operator,
        args: list[Type],
        result: Unknown,
        attrs: dict[str, Any],
        solver: Solver,
        numbers: list[float | None],
        place: tuple[int, int],
    ) -> None:
        self.operator = operator
        self.args = args
        self.result = result
        self.attrs = attrs
        self.solver = solver
        self.numbers = numbers
        """The numbers that arguments are, where they are known."""
        self.place = place

    def known(self, index: int) -> bool:
        """Return whether the form of an argument is known."""
        return not isinstance(find_type(self.args[index]), Unknown)

    def type(self, index: int) -> Type:
        """Return the type of an argument, which is known as a whole. Raises Wait."""
        value = find_type(self.args[index])
        missing = unknowns(value)
        if missing:
            raise Wait(missing)
        return value

    def tensor(self, index: int) -> Tensor:
        """Return an argument's type, a tensor of which extents and dtype are known. Raises Wait, Refused."""
        value = find_type(self.args[index])
        if isinstance(value, Unknown):
            raise Wait([value])
        if not isinstance(value, Tensor):
            if isinstance(value, Rejected):
                raise Silent
            self.refuse_kind(index, "a tensor", value)
        assert isinstance(value, Tensor)
        return self.checked(value, index)

    def checked(self, value: Tensor, index: int) -> Tensor:
        """Return a tensor type with its parts. Raises Wait, or Refused if a part is a parameter."""
        shape = find_shape(value.shape)
        dtype = find(value.dtype)
        if type(dtype) is str and type(shape) is tuple and all(type(dim) in _EXTENTS for dim in shape):
            return Tensor(shape, dtype)
        missing = unknowns(value)
        if missing:
            raise Wait(missing)
        if isinstance(shape, Param) or isinstance(dtype, Param):
            self.refuse_kind(index, "a tensor of a shape and dtype that are known", value)
        return Tensor(shape, dtype)  # type: ignore[arg-type]

    def refuse_kind(self, index: int, wanted: str, found: Type) -> None:
        """Refuse an argument of another form."""
        name = self.operator.params[index] if index < len(self.operator.params) else f"argument {index + 1}"
        raise Refused(
            f"`{name}` of `{self.operator.name}` must be {wanted}, not {show(found)}",
            argument=index,
            rule="mismatch",
            note="a field of a tuple is taken by `.0`" if isinstance(found, Tuple) else "",
        )

    def tuple(self, index: int) -> list[Type]:
        """Return the fields of an argument, a tuple. Raises Wait, Refused."""
        value = find_type(self.args[index])
        if isinstance(value, Unknown):
            raise Wait([value])
        if not isinstance(value, Tuple):
            if isinstance(value, Rejected):
                raise Silent
            self.refuse_kind(index, "a tuple of tensors", value)
        return list(value.fields)  # type: ignore[union-attr]

    def give(self, index: int, value: Type) -> None:
        """Say what an argument is. Raises Refused if it is known to be something else."""
        try:
            self.solver.unify(value, self.args[index])
        except Mismatch:
            name = self.operator.params[index]
            message = (
                f"`{name}` of `{self.operator.name}` must be {show(value)}, not {show(self.args[index])}"
            )
            raise Refused(message, argument=index) from None

    def returns(self, value: Type) -> None:
        """Say what the result is. Raises Refused if it is known to be something else."""
        try:
            self.solver.unify(self.result, value)
        except Mismatch as wrong:
            message = (
                f"`{self.operator.name}` gives {show(value)} here, where {show(self.result)} is expected"
            )
            raise Refused(message, rule="mismatch", types=(self.result, value)) from wrong


class Silent(Exception):  # noqa: N818 - it is not an error of this program
    """An argument is wrong, which was reported: nothing can be said of the result."""
