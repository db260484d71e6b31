"""The struct info that closures keep at run time, and when a function type refuses one. [V.8] [M.5.3]

A closure's own annotations are held against the target by the rules C.*, with the numbers that are known
by now: two dimensions differ only if both have values. What the closure leaves open (a result without
annotation, a purity that nobody wrote down) refuses nothing; its parameters and result are checked when
it is called.
"""

from __future__ import annotations

from relax_lang.runtime.dimensions import dimension
from relax_lang.runtime.mismatch import Environment, Mismatch, shown
from relax_lang.syntax import tree
from relax_lang.values import Closure, RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.runtime.mismatch import Path


def refusal(closure: Closure, target: tree.FuncStructInfo, environment: Environment) -> Mismatch | None:
    """Tell why a closure cannot be what a function type says, or None if it can. [M.5.3] [C.6]"""
    function = closure.function
    assert isinstance(function, tree.Function)
    if function.purity == "impure" and target.pure:  # C.6.4
        return Mismatch((), "purity", "a pure function", "an impure one")
    params = function.params[len(closure.bound) :]
    own = _Signature(
        [param.struct_info_annotation or tree.ObjectStructInfo() for param in params],
        function.ret_struct_info,
        Environment(closure.variables, dict(closure.shape_vars)),
    )
    there = Environment(environment.variables, dict(environment.shape_vars))
    return _functions(own, _Signature(target.params or (), target.ret, there), (), found_is_target=False)


def signature_text(closure: Closure) -> str:
    """Return the function type of a closure as far as it is annotated: `fn(Tensor) -> Tensor`. [V.8]"""
    function = closure.function
    assert isinstance(function, tree.Function)
    params: list[str] = []
    for param in function.params[len(closure.bound) :]:
        info = param.struct_info_annotation
        params.append(shown(info) if info is not None else "Object")
    result = shown(function.ret_struct_info) if function.ret_struct_info is not None else "Object"
    impure = "impure " if function.purity == "impure" else ""
    return f"{impure}fn({', '.join(params)}) -> {result}"


class _Signature:
    """Parameters and result of one side, with the environment they are read in; no result: unknown."""

    __slots__ = ("environment", "params", "ret")

    def __init__(
        self, params: Sequence[tree.StructInfo], ret: tree.StructInfo | None, environment: Environment
    ) -> None:
        self.params = params
        self.ret = ret
        self.environment = environment


class _Pair:
    """A source and the target that must accept it, each with its environment; `found_is_target` tells which
    of them belongs to the closure (parameters go the other way than results), for the words of the message.
    """

    __slots__ = ("found_is_target", "path", "source", "source_env", "target", "target_env")

    def __init__(
        self,
        source: tuple[Any, Environment],
        target: tuple[Any, Environment],
        path: Path,
        found_is_target: bool,
    ) -> None:
        self.source, self.source_env = source
        self.target, self.target_env = target
        self.path = path
        self.found_is_target = found_is_target

    def part(self, source: tree.StructInfo, target: tree.StructInfo, name: str) -> _Pair:
        return _Pair(
            (source, self.source_env), (target, self.target_env), (*self.path, name), self.found_is_target
        )

    def differ(self, what: str, source: str, target: str) -> Mismatch:
        if self.found_is_target:
            source, target = target, source
        return Mismatch(self.path, what, target, source)


def _functions(source: _Signature, target: _Signature, path: Path, found_is_target: bool) -> Mismatch | None:
    """C.6.3: equal counts, parameters the other way round, then the result."""
    if len(source.params) != len(target.params):
        counts = str(len(target.params)), str(len(source.params))
        expected, found = reversed(counts) if found_is_target else counts
        return Mismatch(path, "parameters", expected, found)
    for index, (own, other) in enumerate(zip(source.params, target.params, strict=True)):
        pair = _Pair(
            (other, target.environment),
            (own, source.environment),
            (*path, f"parameter {index}"),
            not found_is_target,
        )
        mismatch = _accepts(pair)
        if mismatch is not None:
            return mismatch
    if source.ret is None or target.ret is None:
        return None
    results = (source.ret, source.environment), (target.ret, target.environment)
    return _accepts(_Pair(*results, (*path, "result"), found_is_target))


def _accepts(pair: _Pair) -> Mismatch | None:
    """Tell why the source is definitely not accepted where the target is expected. [C.0-C.6]"""
    if isinstance(pair.target, tree.ObjectStructInfo):  # C.1
        return None
    if type(pair.source) is not type(pair.target):  # C.2
        return pair.differ("", _kind(pair.source), _kind(pair.target))
    return _ACCEPTS[type(pair.target)](pair)


def _kind(info: tree.StructInfo) -> str:
    if isinstance(info, tree.FuncStructInfo):
        return "a packed function" if info.params is None else "a closure"
    return _KINDS[type(info)]


def _accepts_tuple(pair: _Pair) -> Mismatch | None:
    """C.3: the same length, and every field."""
    sources, targets = pair.source.fields, pair.target.fields
    if len(sources) != len(targets):
        return pair.differ("fields", str(len(sources)), str(len(targets)))
    for index, (source, target) in enumerate(zip(sources, targets, strict=True)):
        mismatch = _accepts(pair.part(source, target, f"field {index}"))
        if mismatch is not None:
            return mismatch
    return None


def _accepts_tensor(pair: _Pair) -> Mismatch | None:
    """C.5: dtype, then as shapes."""
    source, target = pair.source.dtype, pair.target.dtype
    if target is not None and (source is None or source.name != target.name):
        return pair.differ("dtype", "any" if source is None else source.name, target.name)
    return _accepts_shape(pair)


def _accepts_shape(pair: _Pair) -> Mismatch | None:
    """C.4: rank, then dimension by dimension; an unknown rank is not accepted where one is expected."""
    source = _dims(pair.source, pair.source_env)
    target = _dims(pair.target, pair.target_env)
    source_rank = pair.source.ndim if source is None else len(source)
    target_rank = pair.target.ndim if target is None else len(target)
    if target_rank is not None and source_rank != target_rank:
        return pair.differ("rank", "any" if source_rank is None else str(source_rank), str(target_rank))
    if source is None or target is None:
        return None
    for index, (own, other) in enumerate(zip(source, target, strict=True)):
        _bind(own, other, pair.source_env)
        _bind(other, own, pair.target_env)
        left, right = _value(own, pair.source_env), _value(other, pair.target_env)
        if left is not None and right is not None and left != right:  # C.4.5, C.5.6
            return pair.differ(f"dimension {index}", str(left), str(right))
    return None


def _dims(info: Any, environment: Environment) -> Sequence[tree.PrimExpr | int] | None:
    """Return the dimensions of a tensor or shape info, if it has any: expressions, or the numbers held."""
    if isinstance(info, tree.ShapeStructInfo):
        return info.values
    shape = info.shape
    if isinstance(shape, tree.ShapeExpr):
        return shape.values
    held = environment.variables.get(shape.name_hint) if isinstance(shape, tree.Var) else None
    return held.values if isinstance(held, ShapeValue) else None


def _bind(dim: tree.PrimExpr | int, other: tree.PrimExpr | int, environment: Environment) -> None:
    """Give a variable that has no value yet the number on the other side. [C.6.3.2]"""
    if isinstance(dim, tree.PrimVar) and dim.name not in environment.shape_vars:
        number = other if isinstance(other, int) else other.value if isinstance(other, tree.IntImm) else None
        if number is not None:
            environment.shape_vars[dim.name] = number


def _value(dim: tree.PrimExpr | int, environment: Environment) -> int | None:
    """Return the value of a dimension if it is known by now."""
    if isinstance(dim, int):
        return dim
    if not environment.knows(dim):
        return None
    try:
        return dimension(dim, environment.shape_vars)
    except RunFailure:  # a division by zero: it has no value, and is reported where it is evaluated
        return None


def _accepts_function(pair: _Pair) -> Mismatch | None:
    """C.6: both packed or both not, purity, then the signatures; inner variables stay inner."""
    source, target = pair.source, pair.target
    if (source.params is None) != (target.params is None):
        return pair.differ("", _kind(source), _kind(target))
    if target.params is None:
        return None
    if target.pure and not source.pure:
        return pair.differ("purity", "an impure function", "a pure function")
    own = _Signature(source.params, source.ret, _inner(pair.source_env))
    other = _Signature(target.params, target.ret, _inner(pair.target_env))
    return _functions(own, other, pair.path, pair.found_is_target)


def _inner(environment: Environment) -> Environment:
    return Environment(environment.variables, dict(environment.shape_vars))


_KINDS: dict[type[tree.Node], str] = {
    tree.TensorStructInfo: "a tensor",
    tree.ShapeStructInfo: "a shape",
    tree.TupleStructInfo: "a tuple",
    tree.ObjectStructInfo: "an object",
}

_ACCEPTS: dict[type[tree.Node], Callable[[_Pair], Mismatch | None]] = {
    tree.TupleStructInfo: _accepts_tuple,
    tree.TensorStructInfo: _accepts_tensor,
    tree.ShapeStructInfo: _accepts_shape,
    tree.FuncStructInfo: _accepts_function,
}
