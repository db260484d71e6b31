"""What holds for every text, whatever is in it.

    python -m tests.fuzz.properties FIRST LAST

tries the seeds from FIRST to LAST and prints what goes wrong, with the text; the tests do the same in small.
"""

from __future__ import annotations

import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from types import FrameType

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, RULES, Diagnostic
from relax_lang.base.node import same
from relax_lang.base.source import SourceFile
from tests.fuzz.mutations import mutated

GENEROUS = 20
"""Seconds after which a text of a few lines is taken to hang, on a busy machine, too."""

SEVERITIES = ("error", "warning", "hint", "off")


class HangError(Exception):
    """A text took too long."""


def hold_for(text: str, seed: int) -> None:
    """Check a text in every way; the seed decides which of the slower ones are tried."""
    checked = api.check(text, lints=["lints"])
    for one in checked.diagnostics:
        _is_sound(one, text)
    _can_be_shown(text, checked.diagnostics[: 3 + seed % 5])
    _formats(text)
    if not checked.has_errors:
        assert checked.normal is not None
    if any(one.fixes for one in checked.diagnostics):
        _is_fixed(text, checked.diagnostics, unsafe=seed % 2 == 0)
    if "# error" in text or "# reveals" in text:
        for one in api.test(text):
            _is_sound(one, text)


def _is_sound(one: Diagnostic, text: str) -> None:
    assert RULES[one.slug].code == one.code
    assert one.slug != "internal-error", one
    assert one.severity in SEVERITIES
    assert one.message
    assert "\n" not in one.message or "\n" in text
    places = [(one.pos, one.end), *[(label.pos, label.end) for label in one.labels]]
    for fix in one.fixes:
        assert fix.title
        edits = sorted((edit.pos, edit.end) for edit in fix.edits)
        assert edits
        for (_, end), (pos, _) in pairwise(edits):
            assert end <= pos, (one, "edits overlap")
        places += edits
    for pos, end in places:
        assert (pos, end) == (-1, -1) or 0 <= pos <= end <= len(text), (one, pos, end)


def _can_be_shown(text: str, found: list[Diagnostic]) -> None:
    from relax_lang.cli.render import text as renderer
    from relax_lang.cli.render.style import Style

    source = SourceFile(text, "fuzz.rlx")
    for one in found:
        shown = renderer.render(source, one, Style(width=40 + one.pos % 60))
        assert shown.encode("utf-8")


def _formats(text: str) -> None:
    before = api.parse(text)
    if any(one.severity == ERROR for one in before.diagnostics):
        return  # which `fmt` reports and leaves as it is
    formatted = api.format_text(text)
    assert api.format_text(formatted) == formatted
    after = api.parse(formatted)
    assert not any(one.severity == ERROR for one in after.diagnostics), after.diagnostics
    assert same(before.tree, after.tree)


def _is_fixed(text: str, found: list[Diagnostic], *, unsafe: bool) -> None:
    def n_errors(diagnostics: list[Diagnostic], start: str = "RLX") -> int:
        return sum(one.severity == ERROR and one.code.startswith(start) for one in diagnostics)

    # As many errors of each kind, before anything changes their severities.
    before, syntax_before = n_errors(found), n_errors(found, "RLX01")
    result = api.fix_text(text, unsafe=unsafe, lints=["lints"], want=list)
    after = api.check(result.text, lints=["lints"]).diagnostics
    assert n_errors(after) <= before, (result.text, after)
    assert n_errors(after, "RLX01") <= syntax_before, (result.text, after)
    assert result.changed or result.text == text


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise HangError where the body takes far too long; only where the system has alarms."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        del signum, frame
        raise HangError(f"more than {GENEROUS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(GENEROUS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def failure(seed: int) -> str:
    """Return what goes wrong with the text of a seed; empty if nothing does."""
    text = mutated(seed)
    try:
        with time_limit():
            hold_for(text, seed)
    except Exception:
        return f"seed {seed}:\n{text!r}\n{traceback.format_exc()}"
    return ""


def main() -> int:
    """Try a range of seeds."""
    first, last = int(sys.argv[1]), int(sys.argv[2])
    begin = time.perf_counter()
    failed = 0
    for seed in range(first, last):
        what = failure(seed)
        if what:
            failed += 1
            _say(what)
        if seed % 5_000 == 0:
            _say(f"... {seed}, {failed} failed, {time.perf_counter() - begin:.0f} s")
    _say(f"{last - first} texts, {failed} failed, {time.perf_counter() - begin:.0f} s")
    return 1 if failed else 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
