"""The arguments of a run: from what the user gave to one value for each parameter. [RUN.2]

What was given is checked as a whole, before anything runs, and every fault is reported: what is missing,
what is too much, and each parameter whose value does not fit. Files are read by the caller; this module
gets arrays, or a function that loads one.
"""

from __future__ import annotations

import json
import re

import numpy as np

from relax_lang.arith.evaluate import names_in
from relax_lang.base.names import nearest
from relax_lang.base.node import walk
from relax_lang.base.recursion import host_recursion
from relax_lang.base.wording import counted
from relax_lang.format.lexemes import global_name
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.runtime.calling.packed import as_value
from relax_lang.runtime.calling.random_arguments import draw, settle_dims, solve_dims
from relax_lang.runtime.values.match_cast import bind, compare
from relax_lang.runtime.values.mismatch import Environment, shown
from relax_lang.runtime.values.tensors import Memory, is_tensor
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import FLOAT_LIMITS, INT_RANGES
from relax_lang.values import RunFailure, ShapeValue, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from relax_lang.runtime.values.mismatch import Mismatch


class Untyped:
    """A number, `true`, `false`, or a nested list of them; the parameter decides the dtype."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class Fields:
    """A tuple given field by field, `t[0]=…`: values by index, nested tuples the same way."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[int, object] = {}


class ArgumentsRefused(Exception):  # noqa: N818 - what the user gave is refused; nothing went wrong here
    """The arguments do not fit; `failures` has every reason."""

    def __init__(self, failures: list[RunFailure]) -> None:
        super().__init__("; ".join([failure.message for failure in failures]))
        self.failures = failures


class Given:
    """What the user gave: values in order, values by name, an archive of arrays by name, and dimensions.

    With a `seed`, values that were not given are made up. `dims` gives shape variables their values first.
    """

    __slots__ = ("archive", "dims", "named", "positional", "seed")

    def __init__(
        self,
        positional: Sequence[object] = (),
        named: Mapping[str, object] | None = None,
        archive: Mapping[str, object] | None = None,
        dims: Mapping[str, int] | None = None,
        seed: int | None = None,
    ) -> None:
        self.positional = positional
        self.named = named or {}
        self.archive = archive or {}
        self.dims = dims or {}
        self.seed = seed


# Reading what stands on a command line.


def parse_argument(text: str, load: Callable[[str], object] | None = None) -> object:
    """Read one argument: `3`, `1.5`, `true`, `[[1, 2], [3, 4]]`, `shape:2,3`, `()`, or a file to load.

    Raises RunFailure with the slug `argument-file` for what cannot be read. [RUN.2]
    """
    text = text.strip()
    if text.startswith("shape:"):
        return _parse_shape(text)
    if text in _WORDS:
        return Untyped(_WORDS[text])
    if text == "()":
        return ()
    if text[:1] in "[-+.0123456789":
        number = _parse_json(text)
        if number is not None:
            return number
    if load is None:
        raise unreadable(text, "it is no number, list, `shape:…`, `true` or `false`")
    return load(text)


_WORDS = {"true": True, "false": False, "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


def _parse_shape(text: str) -> ShapeValue:
    sizes = [part.strip() for part in text.removeprefix("shape:").strip("() ").split(",") if part.strip()]
    for size in sizes:
        if not (size.isascii() and size.isdigit()):
            raise unreadable(text, f"`{size}` is no size; a shape is written `shape:2,3`")
        if len(size) > 19 or int(size) >= 1 << 63:
            raise unreadable(text, f"`{size}` does not fit int64")
    return ShapeValue(tuple([int(size) for size in sizes]))


_NOT_FINITE = re.compile(r"\b(nan|inf)\b")


def _parse_json(text: str) -> Untyped | None:
    """Return a number or a list of lists; None if the text is something else, such as the name of a file."""
    if text.startswith("["):  # JSON has other words for these
        text = _NOT_FINITE.sub(lambda word: {"nan": "NaN", "inf": "Infinity"}[word[0]], text)
    try:
        value: object = json.loads(text)
    except RecursionError:
        raise unreadable(text[:40] + "…", "the list is nested too deeply") from None
    except ValueError:
        if text.startswith("["):
            raise unreadable(text, "a list is written `[[1, 2], [3, 4]]`") from None
        return _parse_number(text)
    for element in _elements(value):
        if not isinstance(element, (bool, int, float)):
            raise unreadable(text, "a list holds numbers, `true` and `false` only")
    return Untyped(value)


def _parse_number(text: str) -> Untyped | None:
    """Return a number that is written as the language does, such as `.5` or `+3`."""
    if text.strip("+-.0123456789eE_"):
        return None
    try:
        return Untyped(float(text))
    except ValueError:
        return None


def unreadable(what: str, why: str) -> RunFailure:
    """Make the failure of an argument that cannot be read. [RUN.2]"""
    return RunFailure("argument-file", f"cannot read `{what}` as an array: {why}")


# From what was given to values.


def bind_arguments(function: tree.Function, given: Given, memory: Memory | None = None) -> list[object]:
    """Return one value for each parameter, in order. Raises ArgumentsRefused with all that is wrong."""
    failures: list[RunFailure] = []
    values = _collect(function, given, failures)
    environment = Environment(values, _known_dims(function, given, failures))
    for param in function.params:
        if param.name_hint in values:
            bind(values[param.name_hint], _info(param), environment.shape_vars)
    missing = [param for param in function.params if param.name_hint not in values]
    if given.seed is None:
        failures += [_missing(function, param) for param in missing]
    elif not failures:
        failures += _make_up(function, values, environment, (given.seed, memory or Memory()))
    failures += _misfits(function, values, environment)
    if failures:
        raise ArgumentsRefused(failures)
    return [values[param.name_hint] for param in function.params]


def _info(param: tree.Var) -> tree.StructInfo:
    return param.struct_info_annotation or tree.ObjectStructInfo(param.pos, param.end)


def _name(function: tree.Function) -> str:
    return global_name(function.name.name_hint) if function.name is not None else "the function"


def _collect(function: tree.Function, given: Given, failures: list[RunFailure]) -> dict[str, object]:
    """Assign every given value to its parameter. [RUN.2]"""
    params = {param.name_hint: param for param in function.params}
    name = _name(function)
    if len(given.positional) > len(params):
        message = f"{name} takes {counted(len(params), 'argument')}, {len(given.positional)} were given"
        failures.append(RunFailure("argument-extra", message, function.name))
    values: dict[str, object] = {}
    for key, value in _pairs(params, given):
        param = params.get(key)
        if param is None:
            failures.append(_unknown(function, f"{name} has no parameter `{key}`", key, params))
        elif key in values:
            message = f"parameter `{key}` of {name} is given twice"
            failures.append(RunFailure("argument-extra", message, param, parameter=param))
        else:
            _accept(function, param, value, (values, failures))
    return values


def _pairs(params: Iterable[str], given: Given) -> Iterator[tuple[str, object]]:
    yield from zip(params, given.positional, strict=False)
    yield from _with_fields(given.named)
    yield from _with_fields(given.archive)


_FIELD = re.compile(r"\[([0-9]{1,4})\]")


def _with_fields(named: Mapping[str, object]) -> Iterator[tuple[str, object]]:
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
            if not isinstance(inner, Fields):  # given as a whole before; the field is told to be there twice
                break
            into = inner
        into.values[path[-1]] = value
    yield from tuples.items()


def _unknown(function: tree.Function, message: str, name: str, known: Iterable[str]) -> RunFailure:
    failure = RunFailure("argument-extra", message, function.name)
    known = list(known)
    like = nearest(name, known)
    if like is not None:
        failure.facts["help"] = f"did you mean `{like}`?"
    elif known:
        failure.facts["help"] = f"it has {', '.join([f'`{one}`' for one in known])}"
    return failure


def _accept(
    function: tree.Function, param: tree.Var, value: object, into: tuple[dict[str, object], list[RunFailure]]
) -> None:
    values, failures = into
    try:
        values[param.name_hint] = to_value(value, _info(param))
    except _WrongLiteral as error:
        # Something has to stand for it, so that it is not called missing as well.
        failures.append(_misfit(function, param, str(error)))
        values[param.name_hint] = None
    except RunFailure as failure:
        failure.node = failure.node or param
        failures.append(failure)
        values[param.name_hint] = None


class _WrongLiteral(Exception):  # noqa: N818 - caught above
    """A number that the parameter's dtype does not hold."""


def to_value(given: object, info: tree.StructInfo) -> object:
    """Turn what a caller gave into a value: numbers and lists take the parameter's dtype. [V.14]"""
    if isinstance(given, Fields):
        return _tuple_of(given, info)
    if isinstance(given, Untyped):
        given = given.value
    if not isinstance(given, (bool, int, float, list)):
        return as_value(given)
    elements = list(_elements(given))  # pyright: ignore[reportUnknownArgumentType]
    dtype = (
        info.dtype.name if isinstance(info, tree.TensorStructInfo) and info.dtype else _bare_dtype(elements)
    )
    for element in elements:
        if not _holds(dtype, element):
            expected = (
                f"dtype: expected {dtype}" if isinstance(element, (int, float)) else "expected a number"
            )
            raise _WrongLiteral(f"{expected}, found {_literal(element)}")
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


def _too_large(dtype: str, numbers: Sequence[object]) -> _WrongLiteral:
    return _WrongLiteral(f"dtype: expected {dtype}, found {_literal(numbers[0])}, which does not fit it")


def _tuple_of(given: Fields, info: tree.StructInfo) -> tuple[object, ...]:
    """Put a tuple together; every field has to be there."""
    infos = info.fields if isinstance(info, tree.TupleStructInfo) else ()
    count = len(infos) or max(given.values) + 1
    missing = [str(index) for index in range(count) if index not in given.values]
    if missing:
        raise _WrongLiteral(f"expected {counted(count, 'field')}, found none for field {', '.join(missing)}")
    if len(given.values) > count:
        raise _WrongLiteral(f"expected {counted(count, 'field')}, found one for field {max(given.values)}")
    anything = tree.ObjectStructInfo(info.pos, info.end)
    return tuple([_field_of(given, at, infos[at] if infos else anything) for at in range(count)])


def _field_of(given: Fields, at: int, info: tree.StructInfo) -> object:
    try:
        return to_value(given.values[at], info)
    except _WrongLiteral as error:
        raise _WrongLiteral(f"field {at}: {error}") from None


def _ragged(given: object) -> RunFailure:
    try:
        with host_recursion():  # JSON is written by C code
            text = json.dumps(given)
    except RecursionError:
        return unreadable("[[[[…", "the list is nested too deeply")
    return unreadable(text[:60], "its rows have different lengths")


def _elements(value: object) -> Iterator[object]:
    """Yield the innermost elements of nested lists. Iterative, since lists may nest deeply."""
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(item)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield item.item() if isinstance(item, np.generic) else item


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


def _known_dims(function: tree.Function, given: Given, failures: list[RunFailure]) -> dict[str, int]:
    """Return the dimensions given by `--dim`; each must occur in the signature."""
    names: dict[str, None] = {}
    for param in function.params:
        names |= dict.fromkeys([use.name for use in names_in(_info(param))])
    for key in given.dims:
        if key not in names:
            message = f"{_name(function)} has no dimension `{key}`"
            failures.append(_unknown(function, message, key, names))
    return {key: size for key, size in given.dims.items() if key in names}


def _missing(function: tree.Function, param: tree.Var) -> RunFailure:
    message = f"{_name(function)} needs a value for parameter `{param.name_hint}` (`{shown(_info(param))}`)"
    return RunFailure("argument-missing", message, param)


def _make_up(
    function: tree.Function,
    values: dict[str, object],
    environment: Environment,
    source: tuple[int, Memory],
) -> list[RunFailure]:
    """Draw what was not given, consistently with what was: shapes first, since tensors may mention them."""
    seed, memory = source
    _take_shapes(function, values, environment.shape_vars)
    for param in function.params:
        solve_dims(_info(param), values.get(param.name_hint), environment.shape_vars)
    missing = [param for param in function.params if param.name_hint not in values]
    settle_dims([_info(param) for param in missing], environment.shape_vars)
    failures: list[RunFailure] = []
    ordered = sorted(
        enumerate(missing), key=lambda pair: not isinstance(_info(pair[1]), tree.ShapeStructInfo)
    )
    for index, param in ordered:
        generator = np.random.default_rng([seed, index])
        try:
            values[param.name_hint] = draw(_info(param), environment, generator, memory)
        except RunFailure as failure:
            if failure.slug == "argument-missing":  # this one cannot be made up
                failure = RunFailure(
                    failure.slug, _missing(function, param).message, param, note=failure.message
                )
            failure.node = failure.node or param
            failures.append(failure)
    return failures


def _take_shapes(function: tree.Function, values: dict[str, object], shape_vars: dict[str, int]) -> None:
    """Give a shape that is missing the value that a given tensor shows: of `s`, by a `t: Tensor[s]`."""
    params = {param.name_hint: param for param in function.params}
    for param in function.params:
        info, given = _info(param), values.get(param.name_hint)
        if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.Var) and is_tensor(given):
            name = info.shape.name_hint
            if name not in values:
                values[name] = ShapeValue(given.shape)
                bind(values[name], _info(params[name]), shape_vars)


def _misfits(
    function: tree.Function, values: dict[str, object], environment: Environment
) -> list[RunFailure]:
    """Compare every value with its annotation, after all names are bound. [M.6]"""
    failures: list[RunFailure] = []
    for param in function.params:
        value = values.get(param.name_hint)
        if value is None or _mentions_missing(_info(param), values):
            continue
        try:
            mismatch: Mismatch | None = compare(value, _info(param), environment)
        except RunFailure as failure:
            failures.append(failure)
            continue
        if mismatch is not None:
            failures.append(_misfit(function, param, str(mismatch)))
            failures[-1].facts["shape_vars"] = dict(environment.shape_vars)
    return failures


def _mentions_missing(info: tree.StructInfo, values: Mapping[str, object]) -> bool:
    mentioned = [node.name_hint for node in walk(info) if isinstance(node, tree.Var)]
    return bool([name for name in mentioned if values.get(name) is None])


def _misfit(function: tree.Function, param: tree.Var, why: str) -> RunFailure:
    message = (
        f"parameter `{param.name_hint}` of {_name(function)} does not match `{shown(_info(param))}`: {why}"
    )
    return RunFailure("argument-check-failed", message, param)
