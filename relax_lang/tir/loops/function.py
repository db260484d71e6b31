"""A PrimFunc as one function over scalars.

It stores what the interpreter stores, in the same order, and fails where the interpreter fails.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.python.generated_source import remember_lines
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.ops.core.error_state import run_silently
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.explanations import explained
from relax_lang.tir.interp.expressions import bounds_failure
from relax_lang.tir.interp.memory import element_view, is_array, plain
from relax_lang.tir.ir import signature
from relax_lang.tir.loops.elements import Elements, HeldElements
from relax_lang.tir.loops.expressions import value_of
from relax_lang.tir.loops.held_arrays import (
    MOST_LISTED,
    are_apart,
    comes_back,
    empty_list,
    list_pays,
    put_back,
)
from relax_lang.tir.loops.spelling import NumbaSpelling, PythonSpelling, Unspelled
from relax_lang.tir.loops.statements import Statements
from relax_lang.tir.loops.writer import Writer
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.check.driver import Analysis
    from relax_lang.tir.interp.memory import Allocate
    from relax_lang.tir.ir.symbols import Symbol
    from relax_lang.tir.loops.writer import FailurePoint
    from relax_lang.tir.options.keeping import KeptCodes

_NAME = "run"
_REMEMBERED = 64
_MOST_LINES = 1_000
"""Longer functions take numba minutes to compile, as its passes go over all of them again and again."""


class _Buffer:
    """How a buffer is given where elements are held outside of memory."""

    __slots__ = ("comes_back", "in_lists", "is_stored")

    def __init__(self, symbol: Symbol, held: HeldElements | None) -> None:
        self.in_lists = held is not None and held.in_lists(symbol)
        self.is_stored = held is not None and held.is_stored(symbol)
        self.comes_back = held is not None and self.is_stored and not held.in_memory(symbol)


class LoopsFunction:
    """One PrimFunc as Python, or as code of numba.

    Making it raises `Unspelled` where there is no form, and so does a call that a form is not for.
    """

    def __init__(
        self, analysis: Analysis, *, native: bool, kept: KeptCodes | None = None, held: bool = False
    ) -> None:
        """Write the function; `kept` has machine code of other processes. `held`: elements are held in lists and
        variables where that is faster, for calls whose arrays do not overlap.
        """
        self.func = analysis.func
        self.native = native
        self._held = HeldElements(analysis) if held else None
        if self._held is not None and not self._held.is_of_use:
            raise Unspelled("all elements stay in memory")
        spelling = NumbaSpelling() if native else PythonSpelling()
        writer = Writer(analysis, spelling, self._held or Elements())
        statements = Statements(writer)
        try:
            names = [writer.name_of(analysis.symbols[param]) for param in self.func.params]
            dims = [writer.name_of(symbol) for symbol in analysis.dims.values()]
            statements.write(self.func.body)
            if self.func.result is not None:
                writer.add(f"result[0] = {value_of(writer, self.func.result).text}")
        except RecursionError:
            raise Unspelled("its expressions or loops are nested too deep") from None
        self._allocated = statements.allocated
        made = [writer.name_of(writer.symbol(one.buffer)) for one in self._allocated]
        self._dims = list(analysis.dims)
        self._stores = analysis.stores()
        self._params = signature.buffers(self.func)
        self.failure_points: list[FailurePoint] = writer.failure_points
        helpers = spelling.helpers if isinstance(spelling, NumbaSpelling) else {}
        params: list[str] = []
        sizes: list[str] = []
        for name, param in zip(
            [*names, *made], [*self.func.params, *[one.buffer for one in self._allocated]], strict=True
        ):
            params.append(name)
            if isinstance(param, tree.Buffer):
                array = name if native else f"{name}_array"
                params += [] if native else [array]
                sizes += [f"    {name}_{at} = {array}.shape[{at}]" for at in range(len(param.shape))]
        lines = [f"def {_NAME}({', '.join([*params, *dims, 'result', 'fault'])}):", *sizes]
        body = _body(writer, self._held)
        self.text = "\n".join(
            [*helpers.values(), *lines, *[f"    {line}" for line in body], "    return 0", ""]
        )
        self._buffers = [
            _Buffer(analysis.symbols[param], self._held)
            for param in [*self.func.params, *[one.buffer for one in self._allocated]]
            if isinstance(param, tree.Buffer)
        ]
        """How each buffer is given: parameters first, then new ones."""
        self._bound: dict[tuple[object, ...], dict[str, int]] = {}
        self.lines = len(writer.lines)
        """How long it is, without its helpers."""
        if native and self.lines > _MOST_LINES:
            raise Unspelled("it is too long for numba")
        self._namespace = spelling.namespace
        self._helpers = list(helpers)
        self._kept = kept
        self._run: Callable[..., int] | None = None

    def __call__(self, values: Sequence[object], allocate: Allocate, steps: int | None = None) -> object:
        """Run on arguments in the order of the parameters. Raises what the interpreter raises.

        `steps` are those that the loops take together, as far as that is known.
        """
        env = self._sizes(values)
        arrays = [value for value in values if is_array(value)]
        for array, param in zip(arrays, self._params, strict=True):
            if param.name in self._stores and not array.flags.writeable:
                raise interpreter.read_only(self.func, param)
        made = [allocate(_shape(one, env), named_dtype(one.buffer.dtype.name)) for one in self._allocated]
        held = self._given([*arrays, *made], len(arrays), steps)
        ready = iter(held)
        given: list[Any] = []
        for param, value in zip(self.func.params, values, strict=True):
            given += next(ready) if isinstance(param, tree.Buffer) else [self._scalar(param, value)]
        for one in ready:
            given += one
        given += [env[name] for name in self._dims]
        try:
            return self._result(given)
        finally:
            for one, (elements, *array) in zip(self._buffers, held[: len(arrays)], strict=False):
                if one.is_stored and isinstance(elements, list):
                    put_back(array[0], cast("list[object]", elements))

    def _sizes(self, values: Sequence[object]) -> dict[str, int]:
        """Return what the dimensions are; calls with equal shapes, dtypes and whole numbers bind them equally."""
        key = tuple([_form(value) for value in values])
        env = self._bound.get(key)
        if env is None:
            env = interpreter.bind_arguments(self.func, values).env
            if len(self._bound) >= _REMEMBERED:
                self._bound.clear()
            self._bound[key] = env
        return env

    def _given(self, arrays: list[Any], count: int, steps: int | None) -> list[list[Any]]:
        """Return what is given for arrays, of which the first ones are arguments."""
        if self.native:
            return [[array] for array in arrays]
        if self._held is None:
            return [[element_view(array), array] for array in arrays]
        if not are_apart(arrays[:count], [one.is_stored for one in self._buffers[:count]]):
            raise Unspelled("arrays overlap")
        if self._held.has_streams and max([array.size for array in arrays]) > MOST_LISTED:
            raise Unspelled("arrays are too large for lists of what is computed of them")
        given: list[list[Any]] = []
        for at, (array, one) in enumerate(zip(arrays, self._buffers, strict=True)):
            if at < count and one.comes_back and not comes_back(array):
                raise Unspelled("elements would be put back with other bits")
            if not one.in_lists:
                given.append([element_view(array), array])
            elif at >= count:
                given.append([empty_list(array), array])
            elif list_pays(array, steps):
                given.append([array.tolist(), array])
            elif array.ndim > 1:
                raise Unspelled("an array is too large for lists of rows")
            else:
                given.append([element_view(array), array])
        return given

    def _result(self, given: list[Any]) -> object:
        dtype = None if self.func.ret_dtype is None else self.func.ret_dtype.name
        result: Any = np.zeros(1, dtype or "int64") if self.native else [None]
        fault: Any = np.zeros(3, np.int64) if self.native else [0, 0, 0]
        run = self._run or self._load()
        site = int(cast("int", run_silently(run, [*given, result, fault])))
        if site:
            raise explained(
                self._failure(self.failure_points[site - 1], [int(one) for one in fault]), self.func
            )
        if dtype is None:
            return None
        return result[0].item() if self.native else result[0]

    def _scalar(self, param: tree.ScalarParam, value: object) -> Any:
        number = interpreter.scalar_argument(param, value)
        return (
            named_dtype(param.dtype.name).type(number)
            if self.native and param.dtype.name != dtypes.BOOL
            else number
        )

    def _load(self) -> Callable[..., int]:
        name = f"<relax loops {id(self):x}>"
        remember_lines(name, self.text)
        namespace = dict(self._namespace)
        exec(compile(self.text, name, "exec"), namespace)
        self._run = namespace[_NAME]
        if self.native:
            from relax_lang.tir.loops.native import compiled  # numba is optional

            self._run = compiled(namespace, self._helpers, _NAME, self._kept, self.text)
        assert self._run is not None
        return self._run

    def _failure(self, site: FailurePoint, fault: list[int]) -> RunFailure:
        node = site.node
        if site.buffer is not None:
            return bounds_failure(node, site.buffer)(*fault)
        if isinstance(node, tree.AssertStmt):
            return RunFailure("assertion-failed", node.message, node)
        return RunFailure("tir-division-by-zero", "division by zero", node)


def _shape(statement: tree.Allocate, env: dict[str, int]) -> tuple[int, ...]:
    """Return the shape of a new buffer. Raises `Unspelled` if it has none: then the place counts where it fails."""
    try:
        shape = tuple([int(evaluate(dim, env)) for dim in statement.buffer.shape])
    except DimensionError:
        shape = (-1,)
    if min(shape, default=0) < 0:
        raise Unspelled("a new buffer has no size")
    return shape


def _form(value: object) -> object:
    """Return what of an argument decides whether it fits, and the sizes: all of a whole number."""
    if is_array(value):
        return value.shape, value.dtype
    number = plain(value)
    return type(value), number if isinstance(number, int) else None


def _body(writer: Writer, held: HeldElements | None) -> list[str]:
    """Return all lines of a function, between which its variables hold elements."""
    stored = [] if held is None else held.put_back(writer.name_of)
    body = writer.lines
    if stored:
        body = [
            "try:",
            *[f"    {line}" for line in body or ["pass"]],
            "finally:",
            *[f"    {line}" for line in stored],
        ]
    return body if held is None else [*held.taken(writer.name_of), *body]
