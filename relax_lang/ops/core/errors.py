"""The errors of kernels: one exception with a slug and a message, and a function for each kind of error.

`ops.calls` adds the name of the operator and turns it into a `RunFailure`. Kernels raise nothing else.
"""

from __future__ import annotations

from relax_lang.base.wording import enumerated, tuple_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class OpError(Exception):
    """The operator does not take these arguments. `facts` are for tools; `help` and `note` are shown."""

    def __init__(self, slug: str, message: str, **facts: object) -> None:
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.facts = facts


def bad_shape(left: Sequence[int], right: Sequence[int], reason: str) -> OpError:
    """Two shapes do not fit. [OP.9]"""
    shown = f"shapes {tuple_text(left)} and {tuple_text(right)} do not fit: {reason}"
    return OpError("op-runtime-shape", shown, left=tuple(left), right=tuple(right))


def bad_value(reason: str, **facts: object) -> OpError:
    """There is a value that the operator cannot compute with. [OP.9]"""
    return OpError("op-runtime-value", reason, **facts)


def bad_axis(axis: int, lowest: int, highest: int) -> OpError:
    """The tensor does not have this axis; those it has are from `lowest` to `highest`. [OP.5]"""
    if lowest > highest:
        return OpError("op-axis", f"there is no axis {axis} in a tensor of rank 0", axis=axis)
    return OpError(
        "op-axis", f"axis {axis} is outside [{lowest}, {highest}]", axis=axis, lo=lowest, hi=highest
    )


def same_axis(axis: int) -> OpError:
    """An axis is given twice. [OP.5]"""
    return OpError("op-axis", f"axis {axis} is given twice", axis=axis)


def bad_dtype(dtype: str, wanted: str, parameter: str) -> OpError:
    """The operator does not take this dtype; `wanted` is `a float dtype`. [OP.7]"""
    return OpError(
        "op-dtype-mismatch", f"does not take {dtype} for `{parameter}`: {wanted} is needed", dtype=dtype
    )


def different_dtypes(left: str, right: str, names: Sequence[str] = ("x1", "x2")) -> OpError:
    """Two dtypes differ that must be the same. [OP.7]"""
    shown = different(f"`{names[0]}`", left, [f"`{names[1]}`"], right)
    return OpError("op-dtype-mismatch", shown, help="convert one of them with `astype`")


def different(one: str, left: str, others: Sequence[str], right: str) -> str:
    """Say which arguments have which dtypes, where all need the same one."""
    verb = "is" if len(others) == 1 else "are"
    return f"{one} is {left}, {enumerated(others, 'and')} {verb} {right}; one dtype is needed"


def bad_argument(reason: str, **facts: object) -> OpError:
    """An argument has the wrong kind, rank or number of fields. [OP.3]"""
    return OpError("op-argument", reason, **facts)


def bad_attribute(name: str, reason: str) -> OpError:
    """The value of an attribute does not fit the arguments. [OP.4]"""
    return OpError("op-attribute", f"bad attribute `{name}`: {reason}", attribute=name)


def too_large(shape: Sequence[int]) -> OpError:
    """No memory could hold a tensor of this shape. [X.O5]"""
    return OpError("out-of-memory", f"a tensor of the shape {tuple_text(shape)} is too large")
