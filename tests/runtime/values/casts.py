"""Programs of one `match_cast`, and what they give."""

from __future__ import annotations

from tests.runtime.harness import body, failure_of, run_text


def cast(target: str, value: object, rest: str = "()") -> object:
    """Cast a value to a struct info and evaluate `rest`, which may use what was bound."""
    return run_text(body(f"let v = match_cast(u, {target}); {rest}", "u: Object"), value)


def refused(target: str, value: object) -> str:
    """Return why a cast fails, without the part that all such messages share."""
    failure = failure_of(body(f"match_cast(u, {target}); ()", "u: Object"), value)
    assert failure.slug == "match-cast-failed"
    start = f"match_cast to `{target}` failed: "
    assert failure.message.startswith(start), failure.message
    return failure.message.removeprefix(start)
