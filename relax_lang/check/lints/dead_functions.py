"""dead-function and dead-prim-func: private functions that nothing can reach. [W.11]

Both are on by default, so the driver calls `unreached` itself, which needs only the tables of name resolution.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import HINT, Edit, rule
from relax_lang.format.lexemes import global_name
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.scope.resolve import Resolved


@rule("RLX0804", "dead-function", HINT, "W.11")
def dead_function(rule: Rule, name: Location, shown: str, removal: Edit, user: str | None) -> Diagnostic:
    """A private function that nothing can reach.

    Only functions without `private` can be called from outside, and neither they nor what they use mention this
    one. Functions that only mention each other are all reported.

    ```relax wrong
    private def @twice(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```

    ```relax right
    private def @twice(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor) -> Tensor {
      @twice(x)
    }
    ```
    """
    return _dead(rule.at(name, f"{shown} is private and never used", "not used"), removal, user)


@rule("RLX0805", "dead-prim-func", HINT, "W.11")
def dead_prim_func(rule: Rule, name: Location, shown: str, removal: Edit, user: str | None) -> Diagnostic:
    """A private prim_func that nothing calls.

    A prim_func without `private` can be found under its name by `extern`; a private one is only reached by
    `call_tir` from its module.

    ```relax wrong
    private prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      x
    }
    ```

    ```relax right
    private prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@copy, (x,)) -> Tensor[(n,), float32]
    }
    ```
    """
    return _dead(rule.at(name, f"{shown} is private and never called", "not called"), removal, user)


def _dead(found: Diagnostic, removal: Edit, user: str | None) -> Diagnostic:
    if user is not None:
        found.note(f"only {user} mentions it, which is not used either")
    return found.fix("remove it", removal)


def unreached(module: tree.IRModule, resolved: Resolved, text: str) -> list[Diagnostic]:
    """Return the private functions of a module without errors that no public one leads to. [W.11]"""
    queue = [item for item in module.items if not item.private]
    if not queue:
        return []  # no-entry-point is reported
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
    report = dead_prim_func if isinstance(item, tree.PrimFunc) else dead_function
    return report(_name(item), _shown(item), removal(item.pos, item.end, text), user)


def removal(pos: int, stop: int, text: str) -> Edit:
    """Return the edit that removes the item at a place, with the doc comments above it and one empty line below."""
    start = text.rfind("\n", 0, pos) + 1
    if text[start:pos].strip():
        return Edit(pos, stop, "")
    while start > 0:
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].lstrip().startswith("##"):
            break
        start = above
    end = text.find("\n", stop)
    if end < 0 or text[stop:end].strip():
        return Edit(start, len(text) if end < 0 and not text[stop:].strip() else stop, "")
    end += 1
    following = text.find("\n", end)
    if following >= 0 and not text[end:following].strip():
        end = following + 1
    return Edit(start, end, "")
