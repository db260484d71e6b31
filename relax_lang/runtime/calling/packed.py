"""Packed functions: functions of the embedder that programs call by name. [V.10] [V.14] [X.8]

    from relax_lang import register_packed_func

    @register_packed_func("my.add")
    def my_add(a, b):
        return a + b

A packed function gets the values themselves, never copies: tensors as `numpy.ndarray`, tuples as Python
tuples, shapes and closures as classes of their own, anything else unchanged. What it changes in place is
seen through every alias.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from relax_lang.base.names import nearest
from relax_lang.base.python.recursion import host_recursion
from relax_lang.ops.calls.evaluate import plain_array
from relax_lang.runtime.calling import builtins
from relax_lang.runtime.values.mismatch import shown
from relax_lang.runtime.values.tensors import is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import Closure, PackedFunc, RunFailure, ShapeValue, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    Function = TypeVar("Function", bound=Callable[..., object])

_REGISTERED: dict[str, PackedFunc] = {}


def register_packed_func(name: str, pure: bool = False) -> Callable[[Function], Function]:
    """Register a Python function under the name that programs call it by; returns it unchanged. [X.8]

    `pure` promises that it has no effect but its result. A name that is taken is given to the new function.
    """
    if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError('write the name: @register_packed_func("my.add")')

    def register(function: Function) -> Function:
        _REGISTERED[name] = PackedFunc(name, _packed(name, function).function, pure)
        return function

    return register


class PackedFuncs:
    """The packed functions that a program can see: its own PrimFuncs, those given to it, those registered."""

    __slots__ = ("_given", "_linked")

    def __init__(self, given: Mapping[str, Callable[..., object] | PackedFunc] | None = None) -> None:
        self._given = {name: _packed(name, function) for name, function in (given or {}).items()}
        self._linked: dict[str, PackedFunc] = {}

    def link(self, name: str, function: Callable[..., object]) -> None:
        """Make a PrimFunc of the program callable under its name. [X.8]"""
        self._linked[name] = PackedFunc(name, function)

    def registered(self) -> Mapping[str, Callable[..., object]]:
        """Return the functions of the embedder, which PrimFuncs may call; no other PrimFuncs. [TIR.19]"""
        return _Functions(self._given)

    def names(self) -> list[str]:
        """Return all names, sorted."""
        return sorted({*self._linked, *self._given, *_REGISTERED, *builtins.names()})

    def lookup(self, extern: tree.ExternFunc) -> PackedFunc:
        """Return the function of an `extern "name"`. [X.8]"""
        name = extern.global_symbol
        for table in (self._linked, self._given, _REGISTERED):
            if name in table:
                return table[name]
        found = builtins.lookup(name)
        if found is not None:
            return found
        failure = RunFailure(
            "extern-not-found", f'no packed function "{name}" is registered', extern, name=name
        )
        like = nearest(name, self.names())
        failure.facts["help"] = (
            f'did you mean "{like}"?'
            if like
            else f'register it from Python: `@register_packed_func("{name}")`'
        )
        raise failure


class _Functions(Mapping[str, "Callable[..., object]"]):
    """The given functions and the registered ones, also those registered later."""

    __slots__ = ("_given",)

    def __init__(self, given: Mapping[str, PackedFunc]) -> None:
        self._given = given

    def __getitem__(self, name: str) -> Callable[..., object]:
        found = self._given.get(name) or _REGISTERED[name]
        return found.function

    def __iter__(self) -> Iterator[str]:
        return iter({**_REGISTERED, **self._given})

    def __len__(self) -> int:
        return len({**_REGISTERED, **self._given})


def _packed(name: str, function: Callable[..., object] | PackedFunc) -> PackedFunc:
    if isinstance(function, PackedFunc):
        return function
    if not callable(function):
        raise TypeError(f'packed function "{name}" is not a function but {type(function).__name__}')
    return PackedFunc(name, function)


def call_packed(
    packed: PackedFunc, arguments: Sequence[object], claim: tree.StructInfo | None, call: tree.Call
) -> object:
    """Call a packed function; its result becomes a value of the language. [V.4] [V.14] [V.15] [X.8]"""
    result = as_value(invoke(packed, arguments, call))
    if claim is not None and not _may_be(result, claim):
        raise RunFailure(
            "unsupported-packed-result",
            f'packed function "{packed.name}" returned a {_python_type(result)}, '
            f"which is not a value of {shown(claim)}",
            call,
            name=packed.name,
        )
    return result


def invoke(packed: PackedFunc, arguments: Iterable[object], call: tree.Call) -> object:
    """Call the Python function; what it raises ends the program. [X.8]"""
    try:
        with host_recursion():
            return packed.function(*arguments)
    except RunFailure as failure:  # a PrimFunc of the program: it reports itself what went wrong
        failure.node = failure.node or call
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # whatever it does, it is the embedder's own code
        message = f'packed function "{packed.name}" failed: {words_of(error)}'
        failure = RunFailure("extern-failed", message, call)
        failure.facts["name"] = packed.name
        raise failure from error
    finally:
        np.seterr(all="ignore")  # operators rely on that, and the function may have changed it


def as_value(result: object) -> object:
    """Turn what Python returned into a value: `None` is `()`, numpy's scalars have rank 0. [V.4] [V.14]

    Arrays become plain ones. Everything else is passed on as it is; a tuple is only rebuilt if something in it
    changes. [V.11]
    """
    if result is None:
        return ()
    if isinstance(result, np.generic):
        return np.asarray(result)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if is_tensor(result):
        return plain_array(result)
    if is_tuple(result):
        fields = tuple([as_value(field) for field in result])
        changed = [new for new, old in zip(fields, result, strict=True) if new is not old]
        return fields if changed else result
    return result


def _may_be(value: object, claim: tree.StructInfo) -> bool:
    """Return whether a claimed result is of a class that the language knows; the claim itself is not checked.

    Whether it is the *right* class is found where the value is passed, returned or cast. [V.15] [D.14]
    """
    if isinstance(claim, tree.ObjectStructInfo):
        return True
    if is_tensor(value):
        return value.dtype.name in DTYPES
    if is_tuple(value):
        if not isinstance(claim, tree.TupleStructInfo) or len(claim.fields) != len(value):
            return True
        return all(_may_be(field, info) for field, info in zip(value, claim.fields, strict=True))
    return isinstance(value, (ShapeValue, Closure, PackedFunc))


def _python_type(value: object) -> str:
    """Name the Python type of a refused result, with the dtype of an array or the first refused field."""
    if is_tensor(value):
        return f"{value.dtype.name} array"
    if is_tuple(value):
        return f"tuple of ({', '.join([_python_type(field) for field in value])})"
    return type(value).__name__
