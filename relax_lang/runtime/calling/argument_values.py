"""What was given for one parameter as a value of its dtype: numbers, nested lists, tuples by field. [RUN.2] [V.14]"""

from __future__ import annotations

import re

import numpy as np

from relax_lang.base.python.recursion import host_recursion
from relax_lang.base.wording import counted
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.calling.argument_text import Untyped, innermost, unreadable
from relax_lang.runtime.calling.packed import as_value
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import FLOAT_LIMITS, INT_RANGES
from relax_lang.values import RunFailure, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Fields:
    """A tuple given field by field, `t[0]=…`: values by index, nested tuples the same way."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[int, object] = {}


_FIELD = re.compile(r"\[([0-9]{1,4})\]")


def with_fields(named: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield values by name; those under `t[0]`, `t[1][2]` together, as the `Fields` of `t`."""
    tuples: dict[str, Fields] = {}
    for key, value in named.items():
        name, bracket, rest = key.partition("[")
        if not bracket or _FIELD.sub("", bracket + rest):
            yield key, value
            continue
        path = [int(index) for index in _FIELD.findall(bracket + rest)]
        into = tuples.setdefault(name, Fields())
        for index in path[:-1]:
            inner = into.values.setdefault(index, Fields())
            if not isinstance(inner, Fields):  # given as a whole before; the field is reported as given twice
                break
            into = inner
        into.values[path[-1]] = value
    yield from tuples.items()


class WrongLiteral(Exception):  # noqa: N818 - the argument is wrong, not the program
    """A number that the parameter's dtype does not hold."""


def to_value(given: object, info: tree.StructInfo) -> object:
    """Turn what a caller gave into a value: numbers and lists take the parameter's dtype. [V.14]"""
    if isinstance(given, Fields):
        return _tuple_of(given, info)
    if isinstance(given, Untyped):
        given = given.value
    if not isinstance(given, (bool, int, float, list)):
        return as_value(given)
    elements = list(innermost(given))  # pyright: ignore[reportUnknownArgumentType]
    typed = isinstance(info, tree.TensorStructInfo | tree.PrimStructInfo) and info.dtype
    dtype = typed.name if typed else _bare_dtype(elements)
    for element in elements:
        if not _holds(dtype, element):
            if not isinstance(element, int | float):
                raise WrongLiteral(f"expected a list of numbers, found {_literal(element)} in it")
            raise WrongLiteral(f"dtype: expected {dtype}, found {_literal(element)}")
    try:
        with np.errstate(over="ignore"):
            made = np.array(given, named_dtype(dtype))
    except OverflowError:
        low, high = INT_RANGES.get(dtype, (-FLOAT_LIMITS.get(dtype, 0), FLOAT_LIMITS.get(dtype, 0)))
        bad = [one for one in elements if isinstance(one, int | float) and not low <= one <= high]
        raise _too_large(dtype, bad) from None
    except ValueError:
        raise _ragged(given) from None  # pyright: ignore[reportUnknownArgumentType]
    if made.dtype.name in FLOAT_LIMITS and np.isinf(made).any():
        limit = FLOAT_LIMITS[made.dtype.name]
        large = [one for one in elements if isinstance(one, int | float) and limit < abs(one) < float("inf")]
        if large and np.isinf(made).sum() > sum(
            [element in (float("inf"), -float("inf")) for element in elements]
        ):
            raise _too_large(dtype, large)
    return made


def _too_large(dtype: str, numbers: Sequence[object]) -> WrongLiteral:
    return WrongLiteral(f"dtype: expected {dtype}, found {_literal(numbers[0])}, which does not fit it")


def _tuple_of(given: Fields, info: tree.StructInfo) -> tuple[object, ...]:
    """Put a tuple together; every field has to be there."""
    infos = info.fields if isinstance(info, tree.TupleStructInfo) else ()
    count = len(infos) or max(given.values) + 1
    missing = [str(index) for index in range(count) if index not in given.values]
    if missing:
        raise WrongLiteral(f"expected {counted(count, 'field')}, found none for field {', '.join(missing)}")
    if len(given.values) > count:
        raise WrongLiteral(f"expected {counted(count, 'field')}, found one for field {max(given.values)}")
    anything = tree.ObjectStructInfo(info.pos, info.end)
    return tuple([_field_of(given, at, infos[at] if infos else anything) for at in range(count)])


def _field_of(given: Fields, at: int, info: tree.StructInfo) -> object:
    try:
        return to_value(given.values[at], info)
    except WrongLiteral as error:
        raise WrongLiteral(f"field {at}: {error}") from None


def _ragged(given: object) -> RunFailure:
    try:
        with host_recursion():  # JSON is written by C code
            import json  # only for lists

            text = json.dumps(given)
    except RecursionError:
        return unreadable("[[[[…", "the list is nested too deeply")
    return unreadable(text[:60], "its rows have different lengths")


def _bare_dtype(elements: Sequence[object]) -> str:
    """Return the dtype of literals without one, as in a program. [G.22]"""
    kinds = {type(element) for element in elements}
    if kinds == {bool}:
        return "bool"
    return "int32" if kinds == {int} else "float32"


def _holds(dtype: str, element: object) -> bool:
    if isinstance(element, bool) or dtype == "bool":
        return isinstance(element, bool) and dtype == "bool"
    if isinstance(element, float):
        return "float" in dtype
    return isinstance(element, int)


def _literal(element: object) -> str:
    if isinstance(element, bool):
        return str(element).lower()
    if isinstance(element, int) and element.bit_length() > 200:
        return f"an integer of {element.bit_length()} bits"
    return str(element) if isinstance(element, (int, float)) else kind_of(element)
