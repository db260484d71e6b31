"""Functions that nothing can reach. On by default, so it needs nothing but the tables of name resolution."""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.check.lints import diagnostics as diag
from relax_lang.format.lexemes import global_name
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.resolve import Resolved


def unreached(module: tree.IRModule, resolved: Resolved, text: str) -> list[Diagnostic]:
    """Return the private functions of a module without errors that no public one leads to. [W.11]"""
    queue = [item for item in module.items if not item.private]
    if not queue:
        return []  # which is reported as such
    reached = set(queue)
    for item in queue:
        for _, used, _ in resolved.references.get(item, ()):
            if used not in reached:
                reached.add(used)
                queue.append(used)
    dead = [item for item in module.items if item not in reached]
    users: dict[tree.Item, str] = {}
    for item in dead:
        for _, used, _ in resolved.references.get(item, ()):
            if used is not item:
                users.setdefault(used, _shown(item))
    return [_report(item, users.get(item), text) for item in dead]


def _name(item: tree.Item) -> tree.GlobalVar:
    name = item.name
    assert name is not None  # only function literals have none
    return name


def _shown(item: tree.Item) -> str:
    return global_name(_name(item).name_hint)


def _report(item: tree.Item, user: str | None, text: str) -> Diagnostic:
    report = diag.dead_prim_func if isinstance(item, tree.PrimFunc) else diag.dead_function
    return report(_name(item), _shown(item), _removal(item, text), user)


def _removal(item: tree.Item, text: str) -> Edit:
    """Return the edit that takes an item away, with the doc comments above it and one empty line below."""
    start = text.rfind("\n", 0, item.pos) + 1
    if text[start : item.pos].strip():
        return Edit(item.pos, item.end, "")
    while start > 0:
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].lstrip().startswith("##"):
            break
        start = above
    end = text.find("\n", item.end)
    if end < 0 or text[item.end : end].strip():
        return Edit(start, len(text) if end < 0 and not text[item.end :].strip() else item.end, "")
    end += 1
    following = text.find("\n", end)
    if following >= 0 and not text[end:following].strip():
        end = following + 1
    return Edit(start, end, "")
