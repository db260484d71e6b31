"""From a line of generated code back to the program: where it failed, through which calls. [RUN.5] [Z.7]

Generated code does not say where it is while it runs: every statement is on a line of its own, and the lines
of a traceback give the rest. So what never fails pays nothing.
"""

from __future__ import annotations

from relax_lang.ops.calls.evaluate import as_failure
from relax_lang.runtime.interpreter.machine import exhausted, interrupted
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType, FrameType
    from typing import Any

    from relax_lang.ops.core.operator import Operator
    from relax_lang.runtime.interpreter.machine import Activation, Calls

_MOST_AROUND = 3
"""Frames of the machine around a compiled function: `run`, `_evaluate`, the generator around a plain one."""


class ShapeVars:
    """The shape variables in scope at a place, with the Python names that hold them: `names`, after those of `outer`.

    Places share what they have in common, as there may be thousands of each.
    """

    __slots__ = ("names", "outer")

    def __init__(self, outer: ShapeVars | None, names: tuple[tuple[str, str], ...]) -> None:
        self.outer = outer
        self.names = names

    def values(self, variables: Mapping[str, Any]) -> dict[str, int]:
        """Return the values of those that have one among the local variables of a frame, in order."""
        parts: list[tuple[tuple[str, str], ...]] = []
        part: ShapeVars | None = self
        while part is not None:
            parts.append(part.names)
            part = part.outer
        return {
            name: variables[held] for names in reversed(parts) for name, held in names if held in variables
        }


class Location:
    """What a line stands for.

    `node` is what failures without a place of their own are about, `binding` what was evaluated, `operator` what
    is called there, `call` the call of a plain function. `dims` are the shape variables in scope there.
    """

    __slots__ = ("binding", "call", "dims", "node", "operator")

    def __init__(
        self,
        binding: tree.Node,
        dims: ShapeVars,
        node: tree.Node | None = None,
        operator: Operator | None = None,
        call: tree.Call | None = None,
    ) -> None:
        self.binding = binding
        self.dims = dims
        self.node = node or binding
        self.operator = operator
        self.call = call


class SourceMap:
    """The places of one generated module: `lines` by number, `names` of its functions by their Python names."""

    __slots__ = ("file", "lines", "names")

    def __init__(self, file: str, lines: dict[int, Location], names: dict[str, str]) -> None:
        self.file = file
        self.lines = lines
        self.names = names

    def explain(self, error: BaseException, innermost: Activation) -> tuple[BaseException, Calls]:
        """Return the failure that an exception is, and the open calls that the machine knows nothing of."""
        frames = self._frames(error)
        if not frames:
            return error, []
        places = [self.lines.get(line) for _, line in frames]
        calls: Calls = []
        for (frame, _), caller in zip(frames[1:], places, strict=False):
            calls.insert(0, (self.names[frame.f_code.co_name], caller.call if caller is not None else None))
        last = places[-1]
        ended = error if last is None else self._placed(error, last, frames[-1][0])
        if isinstance(ended, RunFailure) and ended.facts.pop("at_call", False):
            call = calls[0][1] if calls else innermost.call
            ended.node = call or ended.node
        return ended, calls

    def _frames(self, error: BaseException) -> list[tuple[FrameType, int]]:
        """Return the frames of this module that the machine ran last, outermost first, with their lines."""
        trace = error.__traceback__
        for _ in range(_MOST_AROUND):
            if trace is None or self._owns(trace.tb_frame.f_code):
                break
            trace = trace.tb_next
        frames: list[tuple[FrameType, int]] = []
        while trace is not None and self._owns(trace.tb_frame.f_code):
            frames.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        return frames

    def _owns(self, code: CodeType) -> bool:
        return code.co_filename == self.file

    def _placed(self, error: BaseException, place: Location, frame: FrameType) -> BaseException:
        if isinstance(error, KeyboardInterrupt):
            return interrupted(place.binding)
        failure = error
        if isinstance(error, Exception) and place.operator is not None:
            failure = as_failure(place.operator, error)
        elif isinstance(error, MemoryError):
            failure = exhausted(place.binding)
        if isinstance(failure, RunFailure):
            failure.node = failure.node or place.node
            bound: Any = failure.facts.pop("bound", {})
            failure.facts.setdefault("shape_vars", {**place.dims.values(frame.f_locals), **bound})
        return failure
