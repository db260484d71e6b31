"""Loops of PrimFuncs, and threads, which are loops here."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.scalar_reader.attributes import read_dictionary
from relax_lang.tvmscript.scalar_reader.scalar_calls import purpose_of
from relax_lang.tvmscript.scalar_reader.scalars import Scalar, wider_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tvmscript.prim_reader.prim_funcs import BufferName, PrimFuncReader

LOOPS = {
    "serial": "serial",
    "parallel": "parallel",
    "vectorized": "vectorized",
    "unroll": "unrolled",
    "thread_binding": "thread",
}


class LoopStatements:
    """What the readers of all statements share, and loops."""

    def __init__(self, reader: PrimFuncReader) -> None:
        self.reader = reader
        self.reading = reader.reading
        self.made: list[tree.Stmt] = []
        self.launched: tuple[str, str, tree.Range, str | None] | None = None
        """Name, axis and extent of the threads that the rest of the block runs on."""

    def inner(self, body: Sequence[ast.stmt]) -> tuple[tree.Stmt, ...]:
        """Read the statements inside a loop or a branch."""
        raise NotImplementedError

    def threads(
        self, launched: tuple[str, str, tree.Range, str | None], body: Sequence[ast.stmt], place: ast.stmt
    ) -> tree.For:
        """Read what runs on each thread of an axis: a loop over them."""
        name, axis, bounds, dtype = launched
        span = self.reading.span(place)
        variable = tree.PrimVar(name, *span)
        before = dict(self.reader.extents)
        self.reader.note_number(self.reader.occurrences.next(name), Scalar(bounds.stop, dtype, True))
        self.reader.extents[name] = bounds
        self.reader.scopes.append({name: Scalar(variable, dtype or "int32", True)})
        inner = self.inner(body)
        self.reader.scopes.pop()
        self.reader.extents = before
        # A loop whose iterations are bound to threads is another statement to TVM.
        launched_here = tree.Attr(spelling.LAUNCH, tree.BoolLit(True, *span), *span)
        return tree.For("thread", axis, (variable,), (bounds,), inner, (launched_here,), False, *span)

    def launch(self, name: str, axis: str, extent: ast.expr) -> None:
        """Note that the statements that follow run on each thread of an axis."""
        bounds, dtype = self._extent(extent)
        self.launched = name, axis, bounds, dtype

    def loop(self, node: ast.For) -> None:
        """Read a loop."""
        names = self._loop_names(node.target)
        kind, thread, ranges, grid = self._ranges(node.iter)
        if len(names) == 1 and len(ranges) > 1 and grid:  # `for iters in T.grid(n, m)`
            names = self._several(names[0], len(ranges))
        if len(names) != len(ranges):
            raise self.reading.wrong(node.iter, f"{len(names)} loop variables, {len(ranges)} extents")
        step = self._step(node.iter)
        if step > 1:
            self._strided(node, names[0], (kind, thread), ranges[0], step)
            return
        scope: dict[str, Scalar | BufferName | ast.expr] = {}
        before = dict(self.reader.extents)
        variables: list[tree.PrimVar] = []
        for name, (bounds, dtype) in zip(names, ranges, strict=True):
            variable = tree.PrimVar(name.id, *self.reading.span(name))
            variables.append(variable)
            scope[name.id] = Scalar(variable, dtype or "int32", True)
            self.reader.extents[name.id] = bounds
            key = self.reader.occurrences.next(name.id)
            self.reader.note_number(key, Scalar(bounds.stop, dtype, True))
        self.reader.scopes.append(scope)
        inner = self.inner(node.body)
        self.reader.scopes.pop()
        self.reader.extents = before
        span = self.reading.span(node)
        extents = tuple([one for one, _ in ranges])
        made = tree.For(
            kind, thread, tuple(variables), extents, inner, self._annotations(node.iter), grid, *span
        )
        self.made.append(made)

    def _step(self, call: ast.expr) -> int:
        """Return the step of `range(lo, hi, 2)`, `T.serial(lo, hi, step=2)`; 1 if there is none."""
        assert isinstance(call, ast.Call)
        given = [one.value for one in call.keywords if one.arg == "step"] or call.args[2:3]
        if not given or self.reading.called(call) == ("T", "grid"):
            return 1
        if not isinstance(given[0], ast.Constant | ast.Name | ast.BinOp | ast.UnaryOp):
            return 1  # the axis of threads
        found = self.reading.value(given[0])
        if isinstance(found, str) or found is None:
            return 1
        if not isinstance(found, int) or found < 1:
            raise self.reading.unsupported(given[0], "a loop with such a step", "a step is a positive number")
        return found

    def _strided(
        self,
        node: ast.For,
        name: ast.Name,
        how: tuple[str, str | None],
        given: tuple[tree.Range, str | None],
        step: int,
    ) -> None:
        """Read a loop with a step: one over the number of its iterations, whose index it computes."""
        bounds, dtype = given
        pos, end = place = self.reading.span(name)
        counter = tree.PrimVar(f"{name.id}_step", pos, end)
        by = tree.IntImm(step, None, str(step), pos, end)
        low = bounds.min
        at: tree.PrimExpr = tree.Mul(counter, by, pos, end)
        size: tree.PrimExpr = bounds.stop
        if not (isinstance(low, tree.IntImm) and low.value == 0):
            at, size = tree.Add(low, at, pos, end), tree.Sub(size, low, pos, end)
        annotations = self._annotations(node.iter)
        if isinstance(bounds.stop, tree.IntImm) and isinstance(low, tree.IntImm):
            if how[0] == "serial" and not annotations:
                numbers = [
                    tree.IntLit(one, str(one), pos, end) for one in (low.value, bounds.stop.value, step)
                ]
                annotations = (tree.Attr(spelling.RANGE, tree.ListLit(tuple(numbers), pos, end), pos, end),)
            count = -((low.value - bounds.stop.value) // step)
            size = tree.IntImm(max(count, 0), None, str(max(count, 0)), pos, end)
        else:
            less = tree.IntImm(step - 1, None, str(step - 1), pos, end)
            size = tree.FloorDiv(tree.Add(size, less, pos, end), by, pos, end)
        variable = tree.PrimVar(name.id, *place)
        self.reader.scopes.append({name.id: Scalar(variable, dtype or "int32", True)})
        inner = self.inner(node.body)
        self.reader.scopes.pop()
        whole = tree.Range(tree.IntImm(0, None, "0", pos, pos), size, pos, end)
        body = (tree.LetStmt(variable, None, at, *place), *inner)
        kind, thread = how
        self.made.append(
            tree.For(
                kind,
                thread,
                (counter,),
                (whole,),
                body,
                annotations,
                False,
                *self.reading.span(node),
            )
        )

    def _several(self, name: ast.Name, count: int) -> list[ast.Name]:
        """Return the variables of a loop whose indices are one tuple with a name."""
        made = [ast.copy_location(ast.Name(f"{name.id}_{at}", ast.Load()), name) for at in range(count)]
        self.reader.tuples[name.id] = [*made]
        return made

    def _loop_names(self, target: ast.expr) -> list[ast.Name]:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        found = [one for one in names if isinstance(one, ast.Name)]
        if len(found) != len(names):
            raise self.reading.unsupported(target, "`*` names as loop variables")
        return found

    def _ranges(self, call: ast.expr) -> tuple[str, str | None, list[tuple[tree.Range, str | None]], bool]:
        """Return kind, thread axis, ranges with the dtypes of their variables, and whether it is a grid."""
        dialect, name = self.reading.called(call)
        if not isinstance(call, ast.Call):
            shown = self.reading.py.shown(call)
            raise self.reading.unsupported(call, f"a loop over `{shown}`", "it needs Python to run")
        thread = self._loop_options(call, name)
        if dialect == "T" and name == "grid":
            return "serial", None, [self._extent(one) for one in self.reader.unpacked(call.args)], True
        if dialect == "T" and name in LOOPS:
            kind = LOOPS[name]
        elif not dialect and name == "range":
            kind = "serial"
        else:
            shown = self.reading.py.shown(call)
            why = purpose_of(name) or "it needs Python to run"
            raise self.reading.unsupported(call, f"a loop over `{shown}`", why)
        args = list(call.args)
        if kind == "thread":
            thread = thread or self._thread_axis(call, args)
        return kind, thread, [self._bounds(call, args)], False

    def _loop_options(self, call: ast.Call, name: str) -> str | None:
        """Return the thread axis that a loop names; other options are left out or refused."""
        thread: str | None = None
        for one in call.keywords:
            if one.arg == "thread" and name == "thread_binding":
                thread = self.reading.string(one.value, "a thread axis")
            elif one.arg == "annotations":
                pass
            elif one.arg == "dtype":
                self.reading.drop(one.value, "dtypes of loop variables")
            elif one.arg != "step":
                raise self.reading.unsupported(call, f"`{one.arg}=` of a loop")
        return thread

    def _annotations(self, call: ast.expr) -> tuple[tree.Attr, ...]:
        """Return the `annotations=` of a loop."""
        given = [one.value for one in getattr(call, "keywords", ()) if one.arg == "annotations"]
        if not given or (isinstance(given[0], ast.Constant) and given[0].value is None):
            return ()
        if not isinstance(given[0], ast.Dict):
            self.reading.drop(given[0], "annotations of loops")
            return ()
        return tuple(read_dictionary(self.reading, given[0], what="annotations of loops"))

    def _thread_axis(self, call: ast.Call, args: list[ast.expr]) -> str:
        last = args[-1] if len(args) > 1 else None
        if isinstance(last, ast.Constant) and isinstance(last.value, str):
            args.pop()
            return last.value
        raise self.reading.wrong(call, "a thread binding names its thread axis")

    def _bounds(self, call: ast.Call, args: list[ast.expr]) -> tuple[tree.Range, str | None]:
        """Return the range of a loop from its bounds."""
        if len(args) == 1:
            return self._extent(args[0])
        if len(args) == 3:  # with a step
            args = args[:2]
        if len(args) != 2:
            raise self.reading.unsupported(call, "a loop with a step")
        low, high = self.reader.scalar(args[0]), self.reader.scalar(args[1])
        bounds = tree.Range(low.as_index(), self.reader.extent(high), *self.reading.span(call))
        return bounds, wider_index(low.dtype, high.dtype)

    def _extent(self, node: ast.expr) -> tuple[tree.Range, str | None]:
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:  # `T.grid((lo, hi))`
            low, high = [self.reader.scalar(one) for one in node.elts]
            made = tree.Range(low.as_index(), self.reader.extent(high), *self.reading.span(node))
            return made, wider_index(low.dtype, high.dtype)
        read = self.reader.scalar(node)
        stop = self.reader.extent(read)
        return tree.Range(tree.IntImm(0, None, "0", stop.pos, stop.pos), stop, stop.pos, stop.end), read.dtype

    def launch_thread(self, _node: ast.Expr, call: ast.Call) -> None:
        """Read `T.launch_thread(bx, 128)`, of an axis that `T.env_thread` named."""
        given = call.args[0] if len(call.args) == 2 else None
        if not isinstance(given, ast.Name) or given.id not in self.reader.thread_axes:
            raise self.reading.unsupported(call, "`T.launch_thread(…)`", purpose_of("launch_thread"))
        self.launch(given.id, self.reader.thread_axes[given.id], call.args[1])
