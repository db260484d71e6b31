"""StaticPlanBlockMemory: tensors that do not live at the same time share storages."""

from __future__ import annotations

from relax_lang.analysis.aliasing import Aliasing
from relax_lang.analysis.bindings import FreeNames, bindings_of, names_in
from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import bytes_of
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.rebuild import sequence, with_bindings, with_body, with_branches, with_value
from relax_lang.transform.lowering.places import Life, life, placed
from relax_lang.transform.lowering.purity import as_pure_as
from relax_lang.transform.lowering.statements import Allocation, bound, number, octets, operator
from relax_lang.transform.lowering.upper_bounds import at_most, checks, read_bounds
from relax_lang.transform.pass_manager.passes import Run, function_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.transform.lowering.places import Storage


@function_pass("StaticPlanBlockMemory", "least: int>=0 = 4096, upper_bounds: list[str] = []", idempotent=True)
def static_plan_block_memory(
    function: tree.Function, run: Run, least: int, upper_bounds: list[str]
) -> tree.Function:
    """Put tensors that a function makes for itself into storages which they share, if they do not live at once.

    Planned are the results of `builtin.alloc_tensor` with a written-out shape and at least `least` bytes, or a
    size that is not known, which nothing but this sequence of statements can reach: not what is returned, is
    the value of a branch, or was given to anything but operators and PrimFuncs that only look at it or write it. A
    life ends with the last use of the tensor under any name, and of its views. Sizes with a common factor
    share a storage: each tensor has the lowest place in it that is free during its life. In dataflow blocks nothing
    changes.

    With `upper_bounds=["n=1024"]` memory is planned for sizes up to that, so that more tensors share it, and the
    function checks them first: a larger `n` ends the program.

    ```relax before
    force_pure def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
      let a = builtin.alloc_tensor(shape(n, 4), 0, dtype=float32);
      @relu(x, a);
      let b = builtin.alloc_tensor(shape(n, 4), 0, dtype=float32);
      @relu(a, b);
      let c = builtin.alloc_tensor(shape(4, n), 0, dtype=float32);
      let y = builtin.alloc_tensor(shape(n, 4), 0, dtype=float32);
      @relu(b, y);
      y
    }

    prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) {
        Y[i, j] = max(X[i, j], 0.0);
      }
    }
    ```

    ```relax after
    force_pure def @main(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32] {
      let storage = memory.alloc_storage(shape(n * 32), 0);
      let a = memory.alloc_tensor(storage, 0, shape(n, 4), dtype=float32);
      @relu(x, a);
      let b = memory.alloc_tensor(storage, n * 16, shape(n, 4), dtype=float32);
      @relu(a, b);
      let c = memory.alloc_tensor(storage, 0, shape(4, n), dtype=float32);
      let y = builtin.alloc_tensor(shape(n, 4), 0, dtype=float32);
      @relu(b, y);
      y
    }

    prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) {
        Y[i, j] = max(X[i, j], 0.0);
      }
    }
    ```
    """
    if not any(Allocation.of(node) for node in walk(function) if isinstance(node, tree.VarBinding)):
        return function
    planner = _Planner(run, function, least, read_bounds(run, upper_bounds))
    return as_pure_as(function, planner.planned(), run.typed)


class _Planner:
    """Plans one function."""

    def __init__(self, run: Run, function: tree.Function, least: int, bounds: Mapping[str, int]) -> None:
        self._function = function
        self._context = run.context
        infos = [param.struct_info_annotation for param in function.params]
        signature = {
            node.name for info in infos if info for node in walk(info) if isinstance(node, tree.PrimVar)
        }
        self._bounds = {name: most for name, most in bounds.items() if name in signature}
        self._bounded: set[str] = set()
        """Names whose bounds the plan relies on."""
        self._least = least
        self._names = FreshNames(names_of(function))
        self._aliasing = Aliasing(function, run.typed.prim_funcs)
        self._free_names = FreeNames()
        self._extents: dict[str, tuple[int, int]] = {}
        """Class of variables that may share memory to the numbers of its first and last variable; see `_number`."""
        self._numbered = 0
        for param in function.params:
            self._number(param.name_hint)
        self._spans: dict[tree.SeqExpr, tuple[int, int]] = {}
        """Body or branch to the numbers of the variables that are bound in it and in its branches."""
        self._number_sequence(body_of(function.body))

    def _number(self, name: str) -> None:
        """Number a variable: those of a body or a branch follow each other, but for those of its local functions."""
        root = self._aliasing.root(name)
        first, _ = self._extents.get(root, (self._numbered, 0))
        self._extents[root] = first, self._numbered
        self._numbered += 1

    def _number_sequence(self, seq: tree.SeqExpr) -> None:
        first = self._numbered
        functions: list[tree.Function] = []
        for binding in bindings_of(seq):
            if binding.var is not None:
                self._number(binding.var.name_hint)
            if isinstance(binding.value, tree.If):
                for branch in (binding.value.true_branch, binding.value.false_branch):
                    self._number_sequence(body_of(branch))
            elif isinstance(binding.value, tree.Function):
                functions.append(binding.value)
        self._spans[seq] = first, self._numbered
        for function in functions:
            for node in walk(function):
                if isinstance(node, tree.Binding) and node.var is not None:
                    self._number(node.var.name_hint)

    def planned(self) -> tree.Function:
        body = self._sequence(body_of(self._function.body))
        if self._bounded:
            used = {name: self._bounds[name] for name in sorted(self._bounded)}
            first = tree.BindingBlock(tuple(checks(used, self._names, body)), False, body.pos, body.end)
            body = sequence(body, (first, *body.blocks), body.body)
        return with_body(self._function, body)

    def _at_most(self, size: Polynomial) -> int | None:
        return None if size.value is not None else at_most(size, self._bounds)

    def _sequence(self, seq: tree.SeqExpr) -> tree.SeqExpr:
        """Return a body or a branch with storages; each branch has its own."""
        lives = self._lives(seq)
        storages = placed(lives)
        begins: dict[str, tuple[Storage, str]] = {}
        named = {self._names.fresh("storage"): storage for storage in storages}
        for name, storage in named.items():
            begins.update(dict.fromkeys(storage.offsets, (storage, name)))
        self._context.planned(self._function, named, lives)
        made: set[str] = set()
        blocks: list[tree.BlockOfBindings] = []
        for block in seq.blocks:
            bindings: list[tree.Binding] = []
            for binding in block.bindings:
                value = binding.value
                if isinstance(value, tree.If):
                    branches = [
                        self._sequence(body_of(one)) for one in (value.true_branch, value.false_branch)
                    ]
                    bindings.append(with_value(binding, with_branches(value, *branches)))
                    continue
                found = begins.get(binding.var.name_hint) if binding.var is not None else None
                if found is None:
                    bindings.append(binding)
                    continue
                storage, name = found
                if name not in made:
                    made.add(name)
                    size = tree.ShapeExpr((storage.octets(storage.units),))
                    call = operator("memory.alloc_storage", (size, number(0)), binding)
                    bindings.append(bound(name, call, binding))
                bindings.append(self._placed(binding, storage, name))
            blocks.append(with_bindings(block, tuple(bindings)))
        return sequence(seq, blocks, seq.body)

    def _placed(self, binding: tree.Binding, storage: Storage, name: str) -> tree.Binding:
        found = Allocation.of(binding)
        assert found is not None
        assert binding.var is not None
        offset = storage.octets(storage.offsets[binding.var.name_hint])
        return with_value(binding, found.placed(name, offset, binding.value))

    def _lives(self, seq: tree.SeqExpr) -> list[Life]:
        """Return the tensors that are planned in a sequence, with the statements of their lives."""
        first, end = self._spans[seq]
        last: dict[str, int] = {}
        root = self._aliasing.root
        bindings = list(bindings_of(seq))
        for at, binding in enumerate(bindings):
            # What branches bind is of a class that the `if` mentions, or of that of its variable.
            mentioned = {*self._free_names.around_branches(binding.value)}
            if binding.var is not None and binding.var.struct_info_annotation is not None:
                mentioned |= names_in(binding.var.struct_info_annotation)
            if isinstance(binding, tree.MatchCast):
                mentioned |= names_in(binding.struct_info)
            for name in mentioned:
                last[root(name)] = at
        leaving = {root(name) for name in names_in(seq.body)}
        local = {
            one for block in seq.blocks if isinstance(block, tree.DataflowBlock) for one in block.bindings
        }
        found: list[Life] = []
        for at, binding in enumerate(bindings):
            allocation = Allocation.of(binding)
            if allocation is None or binding.var is None or binding.var.name_hint == "_" or binding in local:
                continue
            name = binding.var.name_hint
            of = root(name)
            of_first, of_last = self._extents[of]
            is_inside = first <= of_first and of_last < end
            if not self._aliasing.is_private(name) or of in leaving or not is_inside:
                continue
            dtype = allocation.dtype.name
            size = octets(allocation.dims, dtype)
            one = life(name, (at, last.get(of, at)), bytes_of(dtype), size, self._at_most)
            if one is not None and not (one.unit.value == 1 and one.units < self._least):
                found.append(one)
                if one.unit.value is not None:  # a number: by itself, or by the bounds of its names
                    dims = [node for dim in allocation.dims for node in walk(dim)]
                    self._bounded |= {node.name for node in dims if isinstance(node, tree.PrimVar)}
        return found
