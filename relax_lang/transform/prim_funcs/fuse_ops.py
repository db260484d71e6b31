"""FuseOps: calls of PrimFuncs that go well together become one function."""

from __future__ import annotations

from relax_lang.analysis.bindings import names_in
from relax_lang.analysis.effects import OVERWRITING
from relax_lang.analysis.escape import closed_prim_func
from relax_lang.analysis.prim_funcs.op_pattern import (
    BROADCAST,
    ELEMENTWISE,
    INJECTIVE,
    OPAQUE,
    OUT_FUSABLE,
    REDUCTION,
    given_pattern,
    op_pattern,
)
from relax_lang.syntax import tree
from relax_lang.transform.core.grouping import COMPOSITE, PRIMITIVE, Groups
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("FuseOps", "max_depth: int>0 = 256, max_args: int>=0 = 0", idempotent=True)
def fuse_ops(typed: Typed, run: Run, max_depth: int, max_args: int) -> Typed:
    """Make private functions of calls of PrimFuncs in a dataflow block that one loop nest could do.

    Element-wise work joins what it is computed from and what uses it (a product, its bias, an activation), as long as
    all ways to the use lead through it; two products never join. Kinds are those of the attribute `op_pattern`, which
    is found where it is missing. A group has at most `max_depth` calls, and `max_args` arguments (0: any number). Its
    function has the attribute `Primitive`; `FuseTIR` makes one PrimFunc of it. What only the body needs to know of
    sizes is passed as a shape. A call with several results joins the one that uses its fields. Nothing moves across a
    call that stores into its arguments.

    ```relax before
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      dataflow {
        let y = call_tir(@twice, (x,)) -> Tensor[(n,), float32];
        let z = call_tir(@twice, (y,)) -> Tensor[(n,), float32];
        output z;
      }
      z
    }

    private prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * 2.0;
      }
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      dataflow {
        let z = @fused_twice_twice(x);
        output z;
      }
      z
    }

    private prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * 2.0;
      }
    }

    private def @fused_twice_twice(
      x: Tensor[(n,), float32],
    ) -> Tensor[(n,), float32] attrs { Primitive: true } {
      dataflow {
        let y = call_tir(@twice, (x,)) -> Tensor[(n,), float32];
        let z = call_tir(@twice, (y,)) -> Tensor[(n,), float32];
        output z;
      }
      z
    }
    ```
    """
    groups = Groups(typed)
    kinds: dict[str, int] = {}
    attrs = (tree.Attr(PRIMITIVE, tree.BoolLit(True)),)
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        if is_group(function) or not typed.mentions(function).dataflow:
            continue

        def decide(block: tree.DataflowBlock) -> dict[str, int]:
            return _Decision(typed, kinds, block, max_depth, max_args).groups()

        made = groups.apply(function, decide, lambda _: attrs)
        if made is not function:
            changed[function] = made
    return typed.with_items(changed, groups.added)


def is_group(function: tree.Function) -> bool:
    """Return whether a function was made of a group of bindings."""
    return any(attr.key in (PRIMITIVE, COMPOSITE) for attr in function.attrs)


class _Decision:
    """Which calls of one dataflow block go together, by the ways from each call to where all of its uses meet."""

    def __init__(
        self,
        typed: Typed,
        kinds: dict[str, int],
        block: tree.DataflowBlock,
        max_depth: int,
        max_args: int,
    ) -> None:
        self._max_depth = max_depth
        self._max_args = max_args
        self._block = block
        bindings = block.bindings
        prim_funcs = typed.prim_funcs
        self._kinds = [_kind(binding, prim_funcs, kinds) for binding in bindings]
        calls = {
            one.var.name_hint
            for one, kind in zip(bindings, self._kinds, strict=True)
            if kind != OPAQUE and one.var is not None
        }
        for at, one in enumerate(bindings):
            if isinstance(one.value, tree.TupleGetItem) and names_in(one.value).isdisjoint(calls):
                self._kinds[at] = OPAQUE
        defined = {one.var.name_hint: at for at, one in enumerate(bindings) if one.var is not None}
        self._inputs: list[set[str]] = [names_in(binding) for binding in bindings]
        self._users: list[list[int]] = [[] for _ in bindings]
        for at, names in enumerate(self._inputs):
            for name in names:
                if name in defined:
                    self._users[defined[name]].append(at)
        leaves = {var.name_hint for var in block.outputs}
        self._leaves = [
            not isinstance(one.var, tree.DataflowVar) or one.var.name_hint in leaves for one in bindings
        ]
        self._segments = _segments(bindings)
        self._parent = list(range(len(bindings)))
        self._pattern = list(self._kinds)
        self._count = [1] * len(bindings)

    def groups(self) -> dict[str, int]:
        """Return the groups of at least two calls."""
        meets = self._meets()
        for phase in (0, 1):
            for at, sink in enumerate(meets):
                if isinstance(self._block.bindings[at].value, tree.TupleGetItem):
                    continue  # it goes where the call goes whose field it is
                if sink is not None and self._kinds[at] != OPAQUE and self._find(at) != self._find(sink):
                    self._try(at, sink, phase)
        members: dict[int, list[int]] = {}
        for at in range(len(self._kinds)):
            members.setdefault(self._find(at), []).append(at)
        found: dict[str, int] = {}
        for root, own in members.items():
            for at in own if len(own) > 1 else ():
                var = self._block.bindings[at].var
                assert var is not None
                found[var.name_hint] = root
        return found

    def _meets(self) -> list[int | None]:
        """Return, for each binding, the first one that all ways from it to the outside lead through."""
        parents: list[int | None] = [None] * len(self._kinds)
        depths = [0] * len(self._kinds)
        for at in reversed(range(len(self._kinds))):
            users = self._users[at]
            if self._leaves[at] or not users:
                continue
            meet: int | None = users[0]
            for other in users[1:]:
                meet = _common(meet, other, parents, depths)
            parents[at] = meet
            depths[at] = 0 if meet is None else depths[meet] + 1
        return parents

    def _try(self, at: int, sink: int, phase: int) -> None:
        kind, meeting = self._kinds[at], self._pattern[self._find(sink)]
        if kind == OUT_FUSABLE:
            if phase or self._kinds[sink] != ELEMENTWISE or meeting > BROADCAST:
                return
            between, ends = BROADCAST, (ELEMENTWISE, BROADCAST)
        elif kind <= BROADCAST:
            between, ends = INJECTIVE, (ELEMENTWISE, BROADCAST, INJECTIVE, REDUCTION)
        elif kind == INJECTIVE and phase:
            between, ends = INJECTIVE, (ELEMENTWISE, BROADCAST, INJECTIVE)
        else:
            return
        if meeting not in ends:
            return
        path = self._path(at, sink, between)
        if path is not None and self._is_small(path) and len({self._segments[one] for one in path}) == 1:
            for one in path:
                self._join(one, sink)

    def _path(self, at: int, sink: int, most: int) -> set[int] | None:
        """Return all bindings on ways to where they meet, if none between has a kind above `most`."""
        found = {at, sink}
        todo = [at]
        while todo:
            for user in self._users[todo.pop()]:
                if user in found:
                    continue
                if self._pattern[self._find(user)] > most:
                    return None
                found.add(user)
                todo.append(user)
        return found

    def _is_small(self, path: set[int]) -> bool:
        roots = {self._find(one) for one in path}
        if sum([self._count[root] for root in roots]) > self._max_depth:
            return False
        if not self._max_args:
            return True
        inputs: set[str] = set()
        made: set[str] = set()
        for at, binding in enumerate(self._block.bindings):
            if self._find(at) in roots:
                inputs |= self._inputs[at]
                made |= {binding.var.name_hint} if binding.var is not None else set()
        return len(inputs - made) <= self._max_args

    def _find(self, at: int) -> int:
        while self._parent[at] != at:
            self._parent[at] = self._parent[self._parent[at]]
            at = self._parent[at]
        return at

    def _join(self, one: int, other: int) -> None:
        top, below = self._find(other), self._find(one)
        if top != below:
            self._parent[below] = top
            self._count[top] += self._count[below]
            self._pattern[top] = max(self._pattern[top], self._pattern[below])


def _common(one: int | None, other: int | None, parents: list[int | None], depths: list[int]) -> int | None:
    while one != other:
        if one is None or other is None:
            return None
        if depths[one] < depths[other] or (depths[one] == depths[other] and one > other):
            other = parents[other]
        else:
            one = parents[one]
    return one


def _kind(binding: tree.Binding, prim_funcs: dict[str, tree.PrimFunc], kinds: dict[str, int]) -> int:
    """Return the kind of a binding; whatever is not a call of a PrimFunc with one result is opaque."""
    call, var = binding.value, binding.var
    if not isinstance(binding, tree.VarBinding) or var is None or var.name_hint == "_":
        return OPAQUE
    if var.struct_info_annotation is not None:
        return OPAQUE
    if isinstance(call, tree.TupleGetItem) and isinstance(call.tuple_value, tree.Var):
        return ELEMENTWISE
    if not isinstance(call, tree.Call) or not isinstance(call.op, tree.Op) or call.op.op_name != "call_tir":
        return OPAQUE
    func = closed_prim_func(call, prim_funcs)
    if func is None or not _is_of_tensors(call.struct_info):
        return OPAQUE
    if len(call.args) > 2 and not isinstance(call.args[2], tree.ShapeExpr):
        return OPAQUE
    name = func.name.name_hint
    if name not in kinds:
        given = given_pattern(func)
        kinds[name] = op_pattern(func) if given is None else given
    return kinds[name]


def _is_of_tensors(info: tree.StructInfo | None) -> bool:
    if isinstance(info, tree.TupleStructInfo):
        return bool(info.fields) and all(isinstance(one, tree.TensorStructInfo) for one in info.fields)
    return isinstance(info, tree.TensorStructInfo)


def _segments(bindings: tuple[tree.Binding, ...]) -> list[int]:
    """Return a number for each binding, another one behind each call that stores into its arguments."""
    found: list[int] = []
    number = 0
    for binding in bindings:
        found.append(number)
        number += _overwrites(binding.value)
    return found


def _overwrites(value: tree.Expr) -> bool:
    return isinstance(value, tree.Call) and isinstance(value.op, tree.Op) and value.op.op_name in OVERWRITING
