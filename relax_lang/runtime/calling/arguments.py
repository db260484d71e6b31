"""The arguments of a run: from what the user gave to one value for each parameter. [RUN.2]

What was given is checked as a whole, before anything runs, and every fault is reported: what is missing,
what is too much, and each parameter whose value does not fit. Files are read by the caller; this module
gets arrays, or a function that loads one.
"""

from __future__ import annotations

import numpy as np

from relax_lang.arith.evaluate import names_in
from relax_lang.base.names import nearest
from relax_lang.base.node import walk
from relax_lang.base.wording import counted
from relax_lang.format.lexemes import global_name
from relax_lang.runtime.calling.random_arguments import draw, settle_dims, solve_dims
from relax_lang.runtime.values.match_cast import bind, compare
from relax_lang.runtime.values.mismatch import Environment, shown
from relax_lang.runtime.values.tensors import Memory, is_tensor
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from relax_lang.runtime.values.mismatch import Mismatch


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
    if given.named or given.archive:
        from relax_lang.runtime.calling.argument_values import with_fields  # random arguments need none of it

        yield from with_fields(given.named)
        yield from with_fields(given.archive)


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
    from relax_lang.runtime.calling.argument_values import WrongLiteral, to_value  # as above

    values, failures = into
    try:
        values[param.name_hint] = to_value(value, _info(param))
    except WrongLiteral as error:
        # There has to be a value for it, so that it is not called missing as well.
        failures.append(_misfit(function, param, str(error)))
        values[param.name_hint] = None
    except RunFailure as failure:
        failure.node = failure.node or param
        failures.append(failure)
        values[param.name_hint] = None


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
