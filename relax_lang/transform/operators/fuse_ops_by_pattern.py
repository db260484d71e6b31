"""FuseOpsByPattern: what matches a pattern becomes a function, for a library to take over."""

from __future__ import annotations

from relax_lang.analysis.bindings import bindings_of
from relax_lang.base.node import walk
from relax_lang.normalize.normalize import normalize
from relax_lang.rewrite.dpl import CallPattern, FieldPattern, Pattern, TuplePattern, wildcard
from relax_lang.rewrite.matching import matches_in
from relax_lang.rewrite.rules import NoPattern, pattern_of
from relax_lang.scope.resolve import resolve
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.transform.core.grouping import COMPOSITE, Groups
from relax_lang.transform.pass_manager.passes import Run, module_pass
from relax_lang.transform.prim_funcs.fuse_ops import is_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.rewrite.dpl import Found
    from relax_lang.typed import Typed

    Check = Callable[[tree.Expr, Found], bool]


@module_pass("FuseOpsByPattern", "bind_constants: bool = false, **: pattern", idempotent=True)
def fuse_ops_by_pattern(typed: Typed, run: Run, bind_constants: bool, **patterns: Any) -> Typed:
    """Make private functions of what matches patterns, with the attribute `Composite` and the name of the pattern.

    `FuseOpsByPattern(my.dense_relu="nn.relu(matmul(x, w))")`: names that are not operators stand for any value. From
    Python, a pattern may be one of `relax_lang.rewrite`, or a pair of it and of a function that gets the matched
    expression and what was found, and decides whether it is wanted. Patterns are tried in the order in which they are
    given; no statement is in two functions. Only in dataflow blocks, and only where nothing inside of the match is
    used elsewhere. With `bind_constants`, constants are part of the functions; otherwise they are passed.

    ```relax before
    def @main(x: Tensor[(n, 8), float32], w: Tensor[(8, 8), float32]) {
      dataflow {
        let y = matmul(x, w);
        let z = nn.relu(y);
        output z;
      }
      z
    }
    ```

    ```relax after my.dense_relu="nn.relu(matmul(x, w))"
    def @main(x: Tensor[(n, 8), float32], w: Tensor[(8, 8), float32]) {
      dataflow {
        let z = @fused_matmul_nn_relu(x, w);
        output z;
      }
      z
    }

    private def @fused_matmul_nn_relu(
      x: Tensor[(n, 8), float32],
      w: Tensor[(8, 8), float32],
    ) -> Tensor[(n, 8), float32] attrs { Composite: "my.dense_relu" } {
      dataflow {
        let y = matmul(x, w);
        let z = nn.relu(y);
        output z;
      }
      z
    }
    ```
    """
    read = [(name, *_read(name, given, run)) for name, given in patterns.items()]
    groups = Groups(typed)
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        if is_group(function) or not typed.mentions(function).dataflow:
            continue
        numbers, names = _chosen(typed, function, read)

        def decide(_block: tree.DataflowBlock, numbers: dict[str, int] = numbers) -> dict[str, int]:
            return numbers

        def attrs(number: int, names: list[str] = names) -> tuple[tree.Attr, ...]:
            return (tree.Attr(COMPOSITE, tree.StrLit(names[number])),)

        made = groups.apply(function, decide, attrs, bind_constants=bind_constants) if numbers else function
        if made is not function:
            changed[function] = made
    return typed.with_items(changed, groups.added)


def _read(name: str, given: Any, run: Run) -> tuple[Pattern, Check | None]:
    parts: list[Any] = [*given] if isinstance(given, tuple) and len(given) == 2 else [given, None]  # pyright: ignore[reportUnknownArgumentType]
    pattern, check = parts
    if isinstance(pattern, str):
        return _of_text(name, pattern, run), check
    if not isinstance(pattern, Pattern):
        run.refuse(None, f"`{name}` must be a pattern, or a text like `nn.relu(matmul(x, w))`")
    return pattern, check


def _of_text(name: str, text: str, run: Run) -> Pattern:
    """Return the pattern that an expression means, in which names stand for any value."""
    first = parse(f"def @pattern() {{ {text} }}")
    if first.diagnostics:
        run.refuse(None, f"cannot read the pattern of `{name}`: {first.diagnostics[0].message}")
    called = {node.op for node in walk(first.tree) if isinstance(node, tree.Call)}
    names = [node.name_hint for node in walk(first.tree) if isinstance(node, tree.Var) and node not in called]
    params = list(dict.fromkeys(names))
    head = ", ".join([f"{param}: Object" for param in params])
    parsed = parse(f"def @pattern({head}) {{ {text} }}")
    resolved = resolve(parsed.tree, parsed.losses, parsed.parens)
    wrong = [*parsed.diagnostics, *resolved.diagnostics]
    if wrong:
        run.refuse(None, f"the pattern of `{name}`: {wrong[0].message}")
    [function] = normalize(parsed.tree, resolved).items
    assert isinstance(function, tree.Function)
    try:
        return pattern_of(function, {param: wildcard() for param in params})
    except NoPattern as found:
        run.refuse(None, f"the pattern of `{name}` cannot have {found}")


def _chosen(
    typed: Typed, function: tree.Function, patterns: list[tuple[str, Pattern, Check | None]]
) -> tuple[dict[str, int], list[str]]:
    """Return the groups of a function: variable to number, and the name of the pattern of each number."""
    variables = {
        binding.value: binding.var.name_hint
        for seq in walk(function)
        if isinstance(seq, tree.SeqExpr)
        for binding in bindings_of(seq)
        if isinstance(binding, tree.VarBinding)
    }
    uses: dict[str, int] = {}
    binders = {node.var for node in walk(function) if isinstance(node, tree.Binding)}
    for node in walk(function):
        if isinstance(node, tree.Var) and node not in binders:
            uses[node.name_hint] = uses.get(node.name_hint, 0) + 1
    numbers: dict[str, int] = {}
    names: list[str] = []
    for name, pattern, check in patterns:
        for whole, found in matches_in(pattern, typed, function):
            own = {variables[whole], *_inside(found)}
            if own & numbers.keys() or "_" in own or (check is not None and not check(whole, found)):
                continue
            inner = own - {variables[whole]}
            seen = dict.fromkeys(inner, 0)
            for value, variable in variables.items():
                for node in walk(value) if variable in own else ():
                    if isinstance(node, tree.Var) and node.name_hint in inner:
                        seen[node.name_hint] += 1
            if any(uses[one] > count for one, count in seen.items()):
                continue  # something inside is used elsewhere, too
            numbers.update(dict.fromkeys(own, len(names)))
            names.append(name)
    return numbers, names


def _inside(found: Found) -> set[str]:
    """Return the variables that a match goes through."""
    return {
        node.name_hint
        for pattern, node in found.items()
        if isinstance(pattern, CallPattern | TuplePattern | FieldPattern) and isinstance(node, tree.Var)
    }
