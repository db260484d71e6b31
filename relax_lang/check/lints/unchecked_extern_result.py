"""unchecked-extern-result: results of packed functions that are taken for what the call claims. [ERR.13]"""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, Edit, rule
from relax_lang.check.lints.core.registry import lint
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0809", "unchecked-extern-result", OFF, "ERR.13")
def report(rule: Rule, call: Location, claimed: str, edits: list[Edit]) -> Diagnostic:
    """The result of a packed function is used as its call claims, without a check.

    The struct info after `->` is a claim, and the program relies on it: a result that does not fit fails much later,
    or gives wrong numbers. A match_cast checks it when the program runs.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = extern "my.f"(x) -> Tensor[(4,), float32];
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = match_cast(extern "my.f"(x), Tensor[(4,), float32]);
      y
    }
    ```
    """
    found = rule.at(call, "the result is not checked", f"taken to be `{claimed}`")
    if not edits:
        return found.helped("bind it with a match_cast, which checks it")
    return found.fix("check it with a match_cast", *edits)


@lint("unchecked-extern-result")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return calls of packed functions whose result is taken to be more than an Object. [ERR.13]"""
    values = {binding.var: binding.value for binding in index.bindings}
    bound = {binding.value: binding for binding in index.bindings}
    found: list[Diagnostic] = []
    for call in index.calls:
        info = call.struct_info
        if info is None or isinstance(info, tree.ObjectStructInfo) or not _is_packed(index, call.op, values):
            continue
        binding = bound.get(call)
        # The variable of a match_cast has its own annotation, which may say something else.
        is_plain = binding is not None and binding.var.struct_info_annotation is None
        edits = _as_match_cast(index, call, info) if is_plain else []
        found.append(report(call, index.text[info.pos : info.end], edits))
    return found


def _is_packed(index: NodeIndex, callee: tree.Expr, values: dict[tree.Binder, tree.Expr]) -> bool:
    """Return whether a callee is a packed function, as far as names show it."""
    for _ in range(1_000):
        if isinstance(callee, tree.ExternFunc):
            return True
        binder = index.resolved.bindings.get(callee)
        if binder is None:
            return False
        info = binder.struct_info_annotation
        if isinstance(info, tree.FuncStructInfo):
            return info.params is None
        if info is not None or binder not in values:
            return False
        callee = values[binder]
    return False


def _as_match_cast(index: NodeIndex, call: tree.Call, info: tree.StructInfo) -> list[Edit]:
    """Return the edits from `f(x) -> S` to `match_cast(f(x), S)`; none if a comment is in the way."""
    last = max([part.end for part in (call.op, *call.args, *call.attrs)])
    if index.has_comment(last, info.end):
        return []
    text = index.text
    between = text[last : info.pos]  # only punctuation: `) -> `, and brackets around the last argument
    arrow = last + between.rindex("->")
    before = last + len(text[last:arrow].rstrip())
    return [
        Edit(call.pos, call.pos, "match_cast("),
        Edit(before, info.pos, ", "),
        Edit(call.end, call.end, ")"),
    ]
