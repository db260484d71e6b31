"""A PrimFunc as one function over scalars.

It stores what the interpreter stores, in the same order, and fails where the interpreter fails.
"""

from __future__ import annotations

import numpy as np

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.generated_source import remember_lines
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.explanations import explained
from relax_lang.tir.interp.expressions import bounds_failure
from relax_lang.tir.interp.memory import element_view
from relax_lang.tir.loops.expressions import value_of
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
    from relax_lang.tir.loops.writer import FailurePoint
    from relax_lang.tir.options.keeping import KeptCodes

_NAME = "run"
_MOST_LINES = 1_000
"""Longer functions take numba minutes to compile, as its passes go over all of them again and again."""


class LoopsFunction:
    """One PrimFunc as Python, or as code of numba.

    Making it raises `Unspelled` where there is no form.
    """

    def __init__(self, analysis: Analysis, *, native: bool, kept: KeptCodes | None = None) -> None:
        """Write the function; `kept` has machine code of other processes."""
        self.func = analysis.func
        self.native = native
        spelling = NumbaSpelling() if native else PythonSpelling()
        writer = Writer(analysis, spelling)
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
        self.failure_points: list[FailurePoint] = writer.failure_points
        helpers = spelling.helpers if isinstance(spelling, NumbaSpelling) else {}
        params: list[str] = []
        sizes: list[str] = []
        buffers = [param for param in self.func.params if isinstance(param, tree.Buffer)]
        buffers += [one.buffer for one in self._allocated]
        for name, param in zip(
            [*names, *made], [*self.func.params, *[one.buffer for one in self._allocated]], strict=True
        ):
            params.append(name)
            if isinstance(param, tree.Buffer):
                array = name if native else f"{name}_array"
                params += [] if native else [array]
                sizes += [f"    {name}_{at} = {array}.shape[{at}]" for at in range(len(param.shape))]
        lines = [f"def {_NAME}({', '.join([*params, *dims, 'result', 'fault'])}):", *sizes]
        self.text = "\n".join(
            [*helpers.values(), *lines, *[f"    {line}" for line in writer.lines], "    return 0", ""]
        )
        self.lines = len(writer.lines)
        """How long it is, without its helpers."""
        if native and self.lines > _MOST_LINES:
            raise Unspelled("it is too long for numba")
        self._namespace = spelling.namespace
        self._helpers = list(helpers)
        self._kept = kept
        self._run: Callable[..., int] | None = None

    def __call__(self, values: Sequence[object], allocate: Allocate) -> object:
        """Run on arguments in the order of the parameters. Raises what the interpreter raises."""
        bound = interpreter.bind_arguments(self.func, values)
        given: list[Any] = []
        for param, value in zip(self.func.params, values, strict=True):
            if isinstance(param, tree.Buffer):
                assert isinstance(value, np.ndarray)
                if param.name in self._stores and not value.flags.writeable:
                    raise interpreter.read_only(self.func, param)
                self._give(given, value)
            else:
                given.append(self._scalar(param, value))
        for one in self._allocated:
            self._give(given, allocate(_shape(one, bound.env), named_dtype(one.buffer.dtype.name)))
        given += [bound.env[name] for name in self._dims]
        dtype = None if self.func.ret_dtype is None else self.func.ret_dtype.name
        result: Any = np.zeros(1, dtype or "int64") if self.native else [None]
        fault: Any = np.zeros(3, np.int64) if self.native else [0, 0, 0]
        run = self._run or self._load()
        with np.errstate(all="ignore"):
            site = int(run(*given, result, fault))
        if site:
            raise explained(
                self._failure(self.failure_points[site - 1], [int(one) for one in fault]), self.func
            )
        if dtype is None:
            return None
        return result[0].item() if self.native else result[0]

    def _give(self, given: list[Any], array: Any) -> None:
        given += [array] if self.native else [element_view(array), array]

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
