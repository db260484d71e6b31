"""RemoveUnusedOutputs: private functions return only what their callers read."""

from __future__ import annotations

from relax_lang.base.node import replaced, walk
from relax_lang.normalize.inner_bodies import body_of
from relax_lang.syntax import tree
from relax_lang.transform.core.rebuild import Rewriting
from relax_lang.transform.pass_manager.finding import private_callees
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("RemoveUnusedOutputs", idempotent=True)
def remove_unused_outputs(typed: Typed, run: Run) -> Typed:
    """Leave out fields of the tuples that private functions return, where no caller reads them.

    A single field that is left is returned by itself. A function stays as it is if it is used as a value, if one of
    its results is used as a whole, or if a declared result would be checked. What computed the fields stays until
    `DeadCodeElimination`.

    ```relax before
    private def @f(x: Tensor[(n,), float32]) {
      let a = exp(x);
      let b = sin(x);
      (a, b)
    }

    def @main(x: Tensor[(n,), float32]) {
      let pair = @f(x);
      let y = pair[1];
      y
    }
    ```

    ```relax after
    private def @f(x: Tensor[(n,), float32]) {
      let a = exp(x);
      let b = sin(x);
      b
    }

    def @main(x: Tensor[(n,), float32]) {
      let pair = @f(x);
      let y = pair;
      y
    }
    ```
    """
    while True:
        after = _Outputs(typed).applied()
        if after is typed:
            return typed
        typed = after


class _Outputs:
    """Which fields of the results of private functions are read."""

    def __init__(self, typed: Typed) -> None:
        self._typed = typed
        proved = typed.inferred.proved
        self._fields: dict[str, tree.Tuple] = {}
        """What functions return whose results may become smaller."""
        for name, function in private_callees(typed).items():
            made = _returned(function)
            info = function.ret_struct_info
            if made is not None and (
                info is None or (isinstance(info, tree.TupleStructInfo) and info in proved)
            ):
                self._fields[name] = made
        self._results: dict[tree.Function, dict[str, str]] = {}
        """Variables that are results of these functions, with the names of the functions."""
        self._read: dict[str, set[int]] = {name: set() for name in self._fields}
        for function in typed.functions:
            self._look(function)

    def _look(self, function: tree.Function) -> None:
        """Note which fields a function reads of the results of others."""
        results = self._results[function] = self._results_in(function)
        other: set[tree.Node] = set()
        """Variables that are definitions, outputs, or whose field is read."""
        for node in walk(function):
            if isinstance(node, tree.DataflowBlock):
                other.update(node.outputs)
            elif isinstance(node, tree.Binding) and node.var is not None:
                other.add(node.var)
            elif isinstance(node, tree.TupleGetItem) and isinstance(node.tuple_value, tree.Var):
                called = results.get(node.tuple_value.name_hint)
                if called is not None:
                    other.add(node.tuple_value)
                    self._read[called].add(node.index)
        for node in walk(function):
            if isinstance(node, tree.Var) and node not in other and node.name_hint in results:
                self._fields.pop(results[node.name_hint], None)  # used as a whole

    def _results_in(self, function: tree.Function) -> dict[str, str]:
        """Return the variables of a function that are results; what checks one keeps all of it."""
        results: dict[str, str] = {}
        for node in walk(function):
            called = self._called(node.value) if isinstance(node, tree.Binding) else None
            if called is None:
                continue
            if isinstance(node, tree.VarBinding) and node.var.struct_info_annotation is None:
                results[node.var.name_hint] = called
            else:
                self._fields.pop(called)
        return results

    def _called(self, value: tree.Expr) -> str | None:
        if isinstance(value, tree.Call) and isinstance(value.op, tree.GlobalVar):
            return value.op.name_hint if value.op.name_hint in self._fields else None
        return None

    def applied(self) -> Typed:
        """Return the program with the smaller results; the same if all of them are read."""
        left = {
            name: sorted(self._read[name])
            for name, made in self._fields.items()
            if len(self._read[name]) < len(made.fields)
        }
        if not left:
            return self._typed
        changed: dict[tree.Item, tree.Item | None] = {}
        for function in self._typed.functions:
            made = self._with_reads(function, left)
            name = "" if function.name is None else function.name.name_hint
            if name in left:
                made = _with_result(made, left[name])
            if made is not function:
                changed[function] = made
        return self._typed.with_items(changed)

    def _with_reads(self, function: tree.Function, left: dict[str, list[int]]) -> tree.Function:
        results = {var: name for var, name in self._results[function].items() if name in left}
        if not results:
            return function

        def change(node: tree.Node) -> tree.Node:
            if not isinstance(node, tree.TupleGetItem) or not isinstance(node.tuple_value, tree.Var):
                return node
            called = results.get(node.tuple_value.name_hint)
            if called is None:
                return node
            if len(left[called]) == 1:
                return node.tuple_value
            at = left[called].index(node.index)
            return tree.TupleGetItem(node.tuple_value, at, node.pos, node.end)

        return Rewriting(change).of(function)


def _returned(function: tree.Function) -> tree.Tuple | None:
    """Return the tuple that a function returns, if it is written out and nothing else of the function uses it."""
    body = body_of(function.body)
    if isinstance(body.body, tree.Tuple):
        return body.body
    if not isinstance(body.body, tree.Var):
        return None
    name, found, uses = body.body.name_hint, None, 0
    for node in walk(body):
        if isinstance(node, tree.VarBinding) and node.var.name_hint == name:
            if node.var.struct_info_annotation is not None or not isinstance(node.value, tree.Tuple):
                return None
            found = node.value
            uses -= isinstance(node.var, tree.Var)  # walked over, too
        elif isinstance(node, tree.DataflowBlock):
            uses -= sum(var.name_hint == name for var in node.outputs)
        elif isinstance(node, tree.Var) and node.name_hint == name:
            uses += 1
    return found if uses == 1 else None


def _with_result(function: tree.Function, left: list[int]) -> tree.Function:
    """Return a function that returns these fields of its tuple only."""
    made = _returned(function)
    assert made is not None
    fields = tuple([made.fields[at] for at in left])
    result = fields[0] if len(left) == 1 else tree.Tuple(fields, made.pos, made.end)
    info = function.ret_struct_info
    if isinstance(info, tree.TupleStructInfo):
        infos = tuple([info.fields[at] for at in left])
        info = infos[0] if len(left) == 1 else tree.TupleStructInfo(infos, info.pos, info.end)
    body = Rewriting(lambda node: result if node is made else node).of(function.body)
    return replaced(function, ret_struct_info=info, body=body)
