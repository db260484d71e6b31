"""RemoveUnusedParameters: private functions take only what they need."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import replaced, walk
from relax_lang.scope.spans import bare_dims
from relax_lang.syntax import tree
from relax_lang.transform.core.emitting import names_of
from relax_lang.transform.core.known_infos import KnownInfos, match_sizes
from relax_lang.transform.core.rebuild import Rewriting, copied, with_body
from relax_lang.transform.pass_manager.finding import private_callees
from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.typed import Typed


@module_pass("RemoveUnusedParameters", idempotent=True)
def remove_unused_parameters(typed: Typed, run: Run) -> Typed:
    """Leave out parameters of private functions that nothing in them needs, and what their callers pass for them.

    A parameter that is only passed on to where it is not needed is not needed either. Shape variables that only such
    parameters determine, and that the function needs, are passed as a `Shape`. Functions that are used as values keep
    their signatures, and so do those with a call that would check more than is known of its arguments.

    ```relax before
    private def @f(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) -> Tensor[(n * m,), float32] {
      let a = zeros(shape(n * m), dtype=float32);
      let b = sum(x);
      let c = add(a, b);
      c
    }

    def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {
      let z = @f(x, y);
      z
    }
    ```

    ```relax after
    private def @f(x: Tensor[(n,), float32], sizes: Shape[(m,)]) -> Tensor[(n * m,), float32] {
      let a = zeros(shape(n * m), dtype=float32);
      let b = sum(x);
      let c = add(a, b);
      c
    }

    def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {
      let z = @f(x, shape(m));
      z
    }
    ```
    """
    while True:
        kept = set[str]()
        needs = _Needs(typed, kept)
        while (unknown := needs.without_sizes()) is not None:
            kept.add(unknown)
            needs = _Needs(typed, kept)
        after = needs.applied()
        if after is typed:
            return typed
        typed = after


class _Needs:
    """What private functions need of their parameters and of the shape variables that these determine."""

    def __init__(self, typed: Typed, kept: set[str]) -> None:
        self._typed = typed
        self._callees = {name: one for name, one in private_callees(typed).items() if name not in kept}
        self._infos: dict[tree.Function, KnownInfos] = {}
        self._uncertain()
        self._live: dict[str, set[str]] = {name: set() for name in self._callees}
        """Names of the parameters that each of the functions needs."""
        self._sizes: dict[tree.Function, set[str]] = {function: set() for function in typed.functions}
        """Shape variables that each function needs."""
        while self._grown():
            pass

    def _uncertain(self) -> None:
        """Leave functions alone that have a call whose arguments are not known to fit."""
        proved = self._typed.inferred.proved
        for function in self._typed.functions:
            for node in walk(function):
                callee = self._callee(node)
                if callee is not None and node not in proved:
                    del self._callees[_name(callee)]

    def _callee(self, node: tree.Node) -> tree.Function | None:
        if isinstance(node, tree.Call) and isinstance(node.op, tree.GlobalVar):
            return self._callees.get(node.op.name_hint)
        return None

    def _grown(self) -> bool:
        """Go over all functions once; return whether more is needed than was known before."""
        before = sum(map(len, self._live.values())) + sum(map(len, self._sizes.values()))
        for function in self._typed.functions:
            live = self._live.get(_name(function))
            params = {param.name_hint: param for param in function.params}
            for node in self._needed(function):
                if isinstance(node, tree.Var) and live is not None and node.name_hint in params:
                    live.add(node.name_hint)
                elif isinstance(node, tree.PrimVar):
                    self._sizes[function].add(node.name)
            if live is not None:
                for name, param in params.items():
                    dims = _plain_sizes(param)
                    if dims and not self._sizes[function].isdisjoint(dims):
                        live.add(name)  # a shape that is passed for its sizes already
        return sum(map(len, self._live.values())) + sum(map(len, self._sizes.values())) > before

    def _needed(self, function: tree.Function) -> Iterator[tree.Node]:
        """Go over what a function needs, as far as is known now: not what it passes where it is not needed."""
        if function.ret_struct_info is not None:
            yield from walk(function.ret_struct_info)
        live = self._live.get(_name(function))
        for param in function.params:
            info = param.struct_info_annotation
            if info is not None and (live is None or param.name_hint in live):
                yield from walk(info)
        passed = set[tree.Node]()
        for node in walk(function.body):
            callee = self._callee(node)
            if callee is not None:
                assert isinstance(node, tree.Call)
                for param, arg in zip(callee.params, node.args, strict=True):
                    if param.name_hint not in self._live[_name(callee)]:
                        passed.update(walk(arg))
                for dim in self._dims(function, node, callee).values():
                    if dim is not None:
                        yield from walk(dim)
            if node not in passed:
                yield node

    def _missing(self, callee: tree.Function) -> list[str]:
        """Return the shape variables that a function needs and only parameters determine that it does not need."""
        live, needed = self._live[_name(callee)], self._sizes[callee]
        bound = {name for param in callee.params if param.name_hint in live for name in _bound(param)}
        lost = [name for param in callee.params for name in _bound(param)]
        return [name for name in dict.fromkeys(lost) if name in needed and name not in bound]

    def _dims(
        self, caller: tree.Function, call: tree.Call, callee: tree.Function
    ) -> dict[str, tree.PrimExpr | None]:
        """Return what the shape variables that have to be passed are at a call; None for one that is not known."""
        missing = self._missing(callee)
        if not missing:
            return {}
        infos = self._infos.get(caller)
        if infos is None:
            infos = self._infos[caller] = KnownInfos(self._typed, caller)
        sizes: dict[str, tree.PrimExpr] = {}
        for param, arg in zip(callee.params, call.args, strict=True):
            if param.struct_info_annotation is not None:
                match_sizes(param.struct_info_annotation, infos.of(arg), sizes)
        return {name: sizes.get(name) for name in missing}

    def without_sizes(self) -> str | None:
        """Return a function with a call at which sizes are not known that it would have to be passed."""
        for function in self._typed.functions:
            for node in walk(function):
                callee = self._callee(node)
                if callee is not None:
                    assert isinstance(node, tree.Call)
                    if None in self._dims(function, node, callee).values():
                        return _name(callee)
        return None

    def applied(self) -> Typed:
        """Return the program without the parameters; the same if every one of them is needed."""
        changed: dict[tree.Item, tree.Item | None] = {}
        for function in self._typed.functions:
            made = self._with_calls(function)
            if function.name is not None and function.name.name_hint in self._callees:
                made = self._with_parameters(function, made)
            if made is not function:
                changed[function] = made
        return self._typed.with_items(changed)

    def _with_calls(self, function: tree.Function) -> tree.Function:
        def change(node: tree.Node) -> tree.Node:
            callee = self._callee(node)
            if callee is None or not self._changes(callee):
                return node
            assert isinstance(node, tree.Call)
            live = self._live[_name(callee)]
            args = [
                arg for param, arg in zip(callee.params, node.args, strict=True) if param.name_hint in live
            ]
            dims = [copied(dim) for dim in self._dims(function, node, callee).values()]
            if dims:
                args.append(tree.ShapeExpr(tuple(dims), node.pos, node.end))
            return tree.Call(node.op, tuple(args), node.attrs, node.struct_info, node.pos, node.end)

        if not any(self._callee(node) is not None for node in walk(function)):
            return function
        return with_body(function, Rewriting(change).of(function.body))

    def _changes(self, callee: tree.Function) -> bool:
        return len(self._live[_name(callee)]) < len(callee.params)

    def _with_parameters(self, function: tree.Function, made: tree.Function) -> tree.Function:
        if not self._changes(function):
            return made
        live = self._live[_name(function)]
        params = [param for param in function.params if param.name_hint in live]
        missing = self._missing(function)
        if missing:
            name = FreshNames(names_of(function)).fresh("sizes")
            dims = tuple([tree.PrimVar(one) for one in missing])
            params.append(tree.Var(name, tree.ShapeStructInfo(dims, None), function.pos, function.end))
        return replaced(made, params=tuple(params))


def _name(function: tree.Function) -> str:
    return "" if function.name is None else function.name.name_hint


def _bound(param: tree.Var) -> list[str]:
    """Return the shape variables that a parameter determines."""
    info = param.struct_info_annotation
    return [] if info is None else [dim.name for dim in bare_dims(info)]


def _plain_sizes(param: tree.Var) -> list[str]:
    """Return the shape variables of a parameter that is a shape of nothing but shape variables."""
    info = param.struct_info_annotation
    if not isinstance(info, tree.ShapeStructInfo) or not info.values:
        return []
    return _bound(param) if all(isinstance(dim, tree.PrimVar) for dim in info.values) else []
