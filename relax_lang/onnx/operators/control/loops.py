"""Loops: rounds one after the other where they are few, else a local function that calls itself.

What the rounds stack has its final size from the start where the number of them is known before; else it gets twice
the size whenever it is full, so that rows are copied once on average. Sequences that a loop makes longer are stacked,
too.
"""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.blocks import block, bound, names_of
from relax_lang.onnx.building.builder import info_of
from relax_lang.onnx.building.layer_norms import write_layer_norms
from relax_lang.onnx.building.node import Node, known_array
from relax_lang.onnx.building.prim_funcs import write_row
from relax_lang.onnx.errors import Refused
from relax_lang.onnx.operators.control.rounds import Lists, Step
from relax_lang.onnx.values import Sizes, Tensor
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.operators.control.rounds import MakeStep
    from relax_lang.onnx.values import Value

UNROLLED = 8
"""Rounds that are written one after the other."""
ROOM = 16
"""Rows for which there is room at first, where the number of rounds is not known."""


def run_loop(
    node: Node,
    count: Value | None,
    condition: Value | None,
    states: list[Value],
    step: MakeStep,
    names: Sequence[str] = (),
) -> tuple[list[Value], list[Value]]:
    """Return the last states, and the stacked outputs. `step` writes one round into a block.

    `names` are what the states are called in a round.
    """
    flag = None if condition is None else known_array(condition)
    rounds = None if count is None else known_array(count)
    if condition is not None and flag is not None and not bool(flag.reshape(-1)[0]):
        rounds = node.builder.constant(0, "int64").array
    if (
        rounds is not None
        and (condition is None or flag is not None)
        and int(rounds.reshape(-1)[0]) <= UNROLLED
    ):
        found = _unrolled(node, int(rounds.reshape(-1)[0]), states, step)
        if found is not None:
            return found
    always = condition is None or (flag is not None and bool(flag.reshape(-1)[0]))
    test = None if always else condition
    lists = Lists(states, step)
    plain, called = lists.without(states), lists.without(names)

    def run(*, trusts: bool) -> tuple[list[Value], list[Value]]:
        return _Recursion(node, count, test, plain, lists.step, called, trusts=trusts).run()

    try:
        made, outputs = run(trusts=False)
    except _ExtentOfData:
        made, outputs = run(trusts=True)
    return lists.results(node.builder, made, outputs)


class _ExtentOfData(Refused):
    """The shape of what a round stacks is not known outside of the loop."""


def _unrolled(
    node: Node, rounds: int, states: list[Value], step: MakeStep
) -> tuple[list[Value], list[Value]] | None:
    """Write all rounds; None if a condition that is not known may end them, or there are none."""
    b = node.builder
    outputs: list[list[Value]] = []
    if rounds <= 0:
        return None
    mark, release, true = len(b.bindings), b.names.mark(), b.constant(True, "bool")
    for at in range(rounds):
        made = step(b, b.constant(at, "int64"), true, states)
        if made.flag is not None:
            known = known_array(made.flag)
            if known is None:
                del b.bindings[mark:]
                release()
                return None
            states = made.states
            outputs.append(made.outputs)
            if not bool(known.reshape(-1)[0]):
                break
            continue
        states = made.states
        outputs.append(made.outputs)
    stacked: list[Value] = [_stack(node, list(parts)) for parts in zip(*outputs, strict=True)]
    return states, stacked


def _stack(node: Node, parts: list[Value]) -> Value:
    b = node.builder
    rows = [b.op("expand_dims", one, axis=0) for one in parts]
    return rows[0] if len(rows) == 1 else b.op("concat", tuple(rows), axis=0)


class _Recursion:
    """A loop as a local function: its parameters are the round, whether it goes on, the states and the stacks.

    With `trusts` extents that follow from data are those that the model declares, which is checked.
    """

    def __init__(
        self,
        node: Node,
        count: Value | None,
        condition: Value | None,
        states: list[Value],
        step: MakeStep,
        names: Sequence[str] = (),
        *,
        trusts: bool = False,
    ) -> None:
        self.node = node
        self.b = node.builder
        self.count = None if count is None else self.b.reshape(count, [])
        self.condition = None if condition is None else self.b.reshape(condition, [])
        self.states = [self.b.tensor(one) if not isinstance(one, Tensor) else one for one in states]
        self.step = step
        self.names = list(names) or [one.name for one in self.states]
        self.shapes: list[list[dims.Dim | None]] = [list(one.dims) for one in self.states]
        self.checks_flag = self.condition is not None
        self._trusts = trusts
        self.rounds: dims.Dim | None = None
        """The number of rounds, if nothing else ends the loop and it stacks something."""

    def run(self) -> tuple[list[Value], list[Value]]:
        """Write the function and its first call."""
        b = self.b
        release = b.names.mark()
        try:
            outputs = self._settle()
            for one in outputs:
                self._outside(one)  # before names are given back, as others may be called so later
        finally:
            release()
        self.rounds = self._rounds() if outputs else None
        hint, b.hint = b.hint, "rows"
        length = dims.dim(ROOM) if self.rounds is None else self.rounds
        stacks: list[Value] = [
            b.emit("zeros", [length, *self._outside(one)], dtype=one.dtype) for one in outputs
        ]
        b.hint = hint
        name = b.names.fresh("loop")
        inner = b.inner()
        params, index, flag, states, rows = self._parameters(inner, outputs)
        ret = self._result(outputs)
        go_on = self._goes_on(inner, index, flag)
        body = inner.inner()
        made = self._round(body, index, flag or body.constant(True, "bool"), states)
        if made.flag is None:
            made.flag = body.constant(True, "bool")
        body.hint = "next"
        next_index = body.op("add", index, body.constant(1, "int64"))
        grown = [self._grown(body, index, *pair) for pair in zip(rows, made.outputs, strict=True)]
        arguments: list[Value] = [
            next_index,
            *([body.reshape(made.flag, [])] if flag else []),
            *made.states,
            *grown,
        ]
        if body.folds:
            write_layer_norms(body, arguments)
        call = tree.Call(tree.Var(name, None), tuple([body.operand(one)[0] for one in arguments]), (), None)
        blocks = (tree.BindingBlock(tuple(body.bindings), False),) if body.bindings else ()
        done = self._done(inner.inner(), index, states, rows)
        test, _ = inner.operand(go_on)
        choice = tree.If(test, tree.SeqExpr(blocks, call), done)
        whole = tree.SeqExpr(
            (tree.BindingBlock(tuple(inner.bindings), False),) if inner.bindings else (), choice
        )
        function = tree.Function(None, False, None, params, ret, (), whole, -1)
        b.bind(tree.VarBinding(tree.Var(name, None), function))
        first = [
            b.constant(0, "int64"),
            *([self.condition] if flag and self.condition else []),
            *self.states,
            *stacks,
        ]
        if flag and self.condition is None:
            first.insert(1, b.constant(True, "bool"))
        start = tree.Call(tree.Var(name, None), tuple([b.operand(one)[0] for one in first]), (), None)
        shapes = [*self.shapes, *[[self.rounds, *self._outside(one)] for one in outputs]]
        dtypes = [one.dtype for one in [*self.states, *outputs]]
        results = self._bound(start, shapes, dtypes)
        return results[: len(self.states)], results[len(self.states) :]

    def _bound(
        self, call: tree.Call, shapes: Sequence[Sequence[dims.Dim | None]], dtypes: Sequence[str]
    ) -> list[Value]:
        if not shapes:
            raise Refused("it gives nothing")
        return bound(self.b, call, shapes, dtypes)

    def _rounds(self) -> dims.Dim | None:
        """Return how many rounds there are, if the number of them alone decides."""
        if self.checks_flag or self.count is None:
            return None
        known = known_array(self.count)
        if known is not None:
            return dims.dim(max(int(known), 0))
        if isinstance(self.count, Sizes):
            return dims.maximum(self.count.items[0], dims.dim(0))
        b = self.b
        count: Value = b.op("maximum", b.cast(self.count, "int64"), b.constant(0, "int64"))
        return b.size_of(count)

    def _round(self, builder: Builder, index: Tensor, flag: Value, states: list[Value]) -> Step:
        """Return what one round gives, written into a block."""
        made = self.step(builder, index, flag, states)
        if self._trusts:
            count = len(made.states)
            once: dict[Value, Value] = {}
            found: list[Value] = []
            for value, shape in zip([*made.states, *made.outputs], made.declared, strict=True):
                if value not in once:
                    once[value] = _as_declared(builder, value, shape)
                found.append(once[value])
            made.states, made.outputs = found[:count], found[count:]
        return made

    def _grown(self, body: Builder, index: Tensor, rows: Value, row: Value) -> Value:
        """Return what was stacked with one more row."""
        body.hint = rows.name if isinstance(rows, Tensor) else body.hint
        if self.rounds is None:
            rows = self._with_room(body, index, rows)
        return write_row(self.node, body, rows, row, index)

    @staticmethod
    def _with_room(body: Builder, index: Tensor, rows: Value) -> Value:
        """Return what was stacked, with twice the room if there is none for one more row."""
        full = body.op("equal", index, Sizes((rows.dims[0],), scalar=True))
        wider = body.inner()
        twice = wider.op("concat", (rows, wider.emit("zeros", rows.dims, dtype=rows.dtype)), axis=0)
        test, _ = body.operand(full)
        made = tree.If(test, block(wider, [twice]), block(body.inner(), [rows]))
        return bound(body, made, [[None, *rows.dims[1:]]], [rows.dtype])[0]

    def _done(self, b: Builder, index: Tensor, states: list[Value], rows: list[Value]) -> tree.SeqExpr:
        """Return what the function gives in the end: of what was stacked, as many rows as there were rounds."""
        if self.rounds is None and rows:
            count = b.size_of(index)
            rows = [b.slice(one, [0], [0], [count]) for one in rows]
        return block(b, [*states, *rows])

    def _outside(self, value: Value) -> list[dims.Dim]:
        """Return the shape of a value as far as it is known outside of the loop. Raises Refused."""
        for one in value.dims:
            if not names_of(one) <= self.b.shape_vars:
                raise _ExtentOfData("the shape of what a loop stacks follows from data")
        return list(value.dims)

    def _settle(self) -> list[Value]:
        """Find the extents of states that change, by trying rounds; return what a round stacks."""
        for _ in range(4):
            trial = self.b.inner()
            states = [self._state(trial, at) for at in range(len(self.states))]
            made = self._round(trial, Tensor("i", (), "int64"), Tensor("c", (), "bool"), [*states])
            if made.flag is not None and not _is_flag(made.flag):
                known = known_array(made.flag)
                self.checks_flag |= known is None or not bool(known.reshape(-1)[0])
            changed = False
            for at, (own, new) in enumerate(zip(states, made.states, strict=True)):
                if len(own.dims) != len(new.dims) or own.dtype != new.dtype:
                    raise Refused("a state changes its rank or dtype")
                for axis, (one, other) in enumerate(zip(own.dims, new.dims, strict=True)):
                    if self.shapes[at][axis] is not None and not dims.equal(one, other):
                        self.shapes[at][axis] = None
                        changed = True
            if not changed:
                return made.outputs
        raise Refused("the shapes of its states do not settle")

    def _state(self, builder: Builder, at: int) -> Tensor:
        """Return a state as a parameter: extents that change have names of their own."""
        shape = tuple([builder.fresh_dim() if one is None else one for one in self.shapes[at]])
        builder.shape_vars |= {one.name for one in shape if isinstance(one, tree.PrimVar)}
        made = Tensor(builder.names.fresh(self.names[at]), shape, self.states[at].dtype)
        builder.made[made.name] = made
        return made

    def _parameters(
        self, inner: Builder, outputs: list[Value]
    ) -> tuple[tuple[tree.Var, ...], Tensor, Tensor | None, list[Value], list[Value]]:
        index = Tensor(inner.names.fresh("i"), (), "int64")
        flag = Tensor(inner.names.fresh("go_on"), (), "bool") if self.checks_flag else None
        states = [self._state(inner, at) for at in range(len(self.states))]
        rows: list[Tensor] = []
        for one in outputs:
            count = inner.fresh_dim() if self.rounds is None else self.rounds
            inner.shape_vars |= names_of(count)
            rows.append(Tensor(inner.names.fresh("rows"), (count, *one.dims), one.dtype))
        every = [index, *([flag] if flag else []), *states, *rows]
        params = tuple([tree.Var(one.name, info_of(one.dims, one.dtype)) for one in every])
        return params, index, flag, [*states], [*rows]

    def _result(self, outputs: list[Value]) -> tree.StructInfo:
        infos: list[tree.StructInfo] = []
        for one, shape in zip(self.states, self.shapes, strict=True):
            known = [extent for extent in shape if extent is not None]
            whole = len(known) == len(shape)
            infos.append(
                info_of(tuple(known), one.dtype)
                if whole
                else tree.TensorStructInfo(None, tree.DType(one.dtype), len(shape))
            )
        if self.rounds is not None:
            infos += [info_of((self.rounds, *one.dims), one.dtype) for one in outputs]
        else:
            infos += [
                tree.TensorStructInfo(None, tree.DType(one.dtype), len(one.dims) + 1) for one in outputs
            ]
        return infos[0] if len(infos) == 1 else tree.TupleStructInfo(tuple(infos))

    def _goes_on(self, inner: Builder, index: Tensor, flag: Tensor | None) -> Value:
        if self.count is None:
            return flag or inner.constant(True, "bool")
        less = inner.op("less", index, self.count)
        return inner.op("logical_and", less, flag) if flag else less


def _as_declared(builder: Builder, value: Value, shape: Sequence[int | str | None] | None) -> Value:
    """Return a value with the extents that the model declares for it where they follow from data."""
    if not isinstance(value, Tensor) or shape is None or len(shape) != len(value.dims):
        return value
    wanted = tuple(
        [
            dims.dim(said) if isinstance(said, int) and dims.number(own) is None else own
            for own, said in zip(value.dims, shape, strict=True)
        ]
    )
    changed = any(new is not own for new, own in zip(wanted, value.dims, strict=True))
    return builder.match_cast(value, wanted) if changed else value


def _is_flag(value: Value) -> bool:
    """Return whether a round hands on the condition that it was given."""
    return isinstance(value, Tensor) and value.name == "c"
