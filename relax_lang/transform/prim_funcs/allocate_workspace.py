"""AllocateWorkspace: callers allocate what PrimFuncs need for intermediate results."""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos, match_sizes
from relax_lang.transform.core.prim_funcs import PrimFuncs
from relax_lang.transform.core.rebuild import Substitution, copied, with_bindings, with_blocks, with_value
from relax_lang.transform.lowering.statements import bound, number, operator
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.transform.prim_funcs.workspaces import Workspace, workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.typed import Typed


@module_pass("AllocateWorkspace", "least: int>=0 = 4096", idempotent=True)
def allocate_workspace(typed: Typed, run: Run, least: int) -> Typed:
    """Make parameters of what PrimFuncs `alloc` for whole intermediate results; direct calls allocate it.

    So `StaticPlanBlockMemory` places these arrays in the storages of the function, where tensors are that do not live
    during the call. Within a PrimFunc, arrays of one dtype and shape share a parameter if the one is read for the last
    time before the other is stored to first, or at the element which is being stored; one that has fewer rows of the
    same shape is a view of the first rows of the other.

    What is smaller than `least` bytes stays where it is, and so does an array that the compiled PrimFunc does not make
    as a whole, since it works on blocks of rows; `--explain` says so. Calls by `call_tir` keep the PrimFunc as it
    was: `CallTIRRewrite` comes before.

    ```relax before
    force_pure def @main(x: Tensor[(n, n), float32]) -> Tensor[(n, n), float32] {
      let y = builtin.alloc_tensor(shape(n, n), 0, dtype=float32);
      @cube(x, y);
      y
    }

    private prim_func @cube(X: Buffer[(n, n), float32], Y: Buffer[(n, n), float32]) {
      alloc square: Buffer[(n, n), float32];
      for i, j, k in grid(n, n, n) {
        block square (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
          init { square[vi, vj] = 0; }
          square[vi, vj] += X[vi, vk] * X[vk, vj];
        }
      }
      for i, j, k in grid(n, n, n) {
        block cube (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
          init { Y[vi, vj] = 0; }
          Y[vi, vj] += square[vi, vk] * X[vk, vj];
        }
      }
    }
    ```

    ```relax after
    force_pure def @main(x: Tensor[(n, n), float32]) -> Tensor[(n, n), float32] {
      let y = builtin.alloc_tensor(shape(n, n), 0, dtype=float32);
      let square = builtin.alloc_tensor(shape(n, n), 0, dtype=float32);
      @cube(x, y, square);
      y
    }

    private prim_func @cube(
      X: Buffer[(n, n), float32],
      Y: Buffer[(n, n), float32],
      square: Buffer[(n, n), float32],
    ) {
      for i, j, k in grid(n, n, n) {
        block square (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
          init { square[vi, vj] = 0; }
          square[vi, vj] += X[vi, vk] * X[vk, vj];
        }
      }
      for i, j, k in grid(n, n, n) {
        block cube (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
          init { Y[vi, vj] = 0; }
          Y[vi, vj] += square[vi, vk] * X[vk, vj];
        }
      }
    }
    ```
    """
    prim_funcs = _PrimFuncs(typed, run, least)
    called = {
        function: _Calls(typed, function, prim_funcs)
        for function in typed.functions
        if any(prim_funcs.workspace(name) for name in typed.mentions(function).functions)
    }
    items = PrimFuncs(typed)
    changed: dict[tree.Item, tree.Item | None] = {}
    names: dict[str, str] = {}
    for name in {call.name for calls in called.values() for call in calls.found.values()}:
        workspace = prim_funcs.workspace(name)
        assert workspace is not None
        if workspace.func.private and not any(name in calls.others for calls in called.values()):
            names[name] = name
            changed[workspace.func] = workspace.taken(name)
        else:
            names[name] = items.add(workspace.taken(f"{name}_in_workspace"))
    for function, calls in called.items():
        made = calls.rewritten(function, names)
        if made is not function:
            changed[function] = made
    return typed.with_items(changed, items.added)


class _PrimFuncs:
    """The PrimFuncs of a module, with what they may be given."""

    def __init__(self, typed: Typed, run: Run, least: int) -> None:
        self._run = run
        self._least = least
        self._funcs = typed.prim_funcs
        self._known: dict[str, Workspace | None] = {}

    def workspace(self, name: str) -> Workspace | None:
        """Return what a PrimFunc may be given, if there is something."""
        if name not in self._known:
            func = self._funcs.get(name)
            found = None if func is None else workspace_of(func, self._least)
            for node, reason in [] if found is None else found.kept:
                self._run.remark(node, reason)
            self._known[name] = found if found is not None and found.arrays else None
        return self._known[name]


class _Call(NamedTuple):
    """A direct call, with the workspace that it can allocate."""

    name: str
    workspace: Workspace
    shapes: list[tuple[tree.PrimExpr, ...]]


class _Calls:
    """The direct calls of one function."""

    def __init__(self, typed: Typed, function: tree.Function, prim_funcs: _PrimFuncs) -> None:
        self.found: dict[tree.Call, _Call] = {}
        self.others: set[str] = set()
        """PrimFuncs that something else mentions."""
        infos = KnownInfos(typed, function)
        callees: set[tree.Node] = set()
        for node in walk(function):
            if not isinstance(node, tree.VarBinding) or not isinstance(node.value, tree.Call):
                continue
            call = node.value
            if not isinstance(call.op, tree.GlobalVar):
                continue
            workspace = prim_funcs.workspace(call.op.name_hint)
            shapes = None if workspace is None else _shapes(call, workspace, infos)
            if workspace is not None and shapes is not None:
                self.found[call] = _Call(call.op.name_hint, workspace, shapes)
                callees.add(call.op)
        for node in walk(function):
            if isinstance(node, tree.GlobalVar) and node not in callees:
                self.others.add(node.name_hint)

    def rewritten(self, function: tree.Function, names: Mapping[str, str]) -> tree.Function:
        """Return the function with calls of the PrimFuncs that take their workspace."""
        fresh = FreshNames(names_of(function))

        def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
            made: list[tree.Binding] = []
            for binding in one.bindings:
                call = binding.value
                found = self.found.get(call) if isinstance(call, tree.Call) else None
                if found is None:
                    made.append(binding)
                    continue
                assert isinstance(call, tree.Call)
                given: list[tree.Expr] = []
                for array, dims in zip(found.workspace.arrays, found.shapes, strict=True):
                    name = fresh.fresh(array.name)
                    args = (tree.ShapeExpr(dims), number(0))
                    made.append(bound(name, operator("builtin.alloc_tensor", args, call, array.dtype), call))
                    given.append(tree.Var(name, None, call.pos, call.end))
                callee = tree.GlobalVar(names[found.name], call.op.pos, call.op.end)
                args = (*call.args, *given)
                direct = tree.Call(callee, args, call.attrs, call.struct_info, call.pos, call.end)
                made.append(with_value(binding, direct))
            return with_bindings(one, tuple(made))

        return with_blocks(function, block)


def _shapes(
    call: tree.Call, workspace: Workspace, infos: KnownInfos
) -> list[tuple[tree.PrimExpr, ...]] | None:
    """Return the shapes of a workspace as a call has them; None if the function does not know them."""
    params = workspace.func.params
    if len(call.args) != len(params):
        return None
    sizes: dict[str, tree.PrimExpr] = {}
    for param, arg in zip(params, call.args, strict=True):
        if isinstance(param, tree.Buffer):
            match_sizes(tree.TensorStructInfo(tree.ShapeExpr(param.shape), None), infos.of(arg), sizes)
    meaning = Substitution(sizes=sizes)
    shapes: list[tuple[tree.PrimExpr, ...]] = []
    for array in workspace.arrays:
        names = {node.name for dim in array.shape for node in walk(dim) if isinstance(node, tree.PrimVar)}
        if not names <= sizes.keys():
            return None
        shapes.append(tuple([copied(meaning.of(dim)) for dim in array.shape]))
    return shapes
