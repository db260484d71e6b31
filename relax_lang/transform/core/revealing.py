"""Changes after which a failure is certain that only the run met before: the functions in which it is stay valid.

The prover assumes what a program checks: after a check that no sizes pass, nothing is an error. So a pass that leaves
out a check, or says a thing in another way, may make an error of what only fails when it runs, and only there.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.typed import IllTyped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.typed import Typed

    Otherwise = Callable[[tree.Function], tree.Function]


def without_revealing(
    typed: Typed,
    changed: Mapping[tree.Item, tree.Item | None],
    otherwise: Otherwise,
    added: Iterable[tree.Item] = (),
    is_own: Callable[[Diagnostic], bool] = lambda _: False,
) -> Typed:
    """Return a program with items replaced and others added, but where a function is not valid then: there is what
    `otherwise` makes of the function before.

    Raises IllTyped for findings that `is_own` says to be of the change itself.
    """
    added = [*added]
    made = typed.with_items(changed, added)
    if _wrong(made, is_own) is None:
        return made
    kept = dict(changed)
    for before, after in changed.items():
        if not isinstance(before, tree.Function) or after is None:
            continue
        if _wrong(typed.with_items({before: after}, added), is_own) is not None:
            kept[before] = otherwise(before)
    return typed.with_items(kept, added)


def _wrong(made: Typed, is_own: Callable[[Diagnostic], bool]) -> IllTyped | None:
    """Return why a program is not valid; None if it is. Raises what is own to the change."""
    try:
        made.inferred  # noqa: B018  # it is kept
    except IllTyped as found:
        if any(map(is_own, found.diagnostics)):
            raise
        return found
    return None
