"""Questions about a text whose change is still being analysed: places that the change left alone are known."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from relax_lang.format.printer import show
from relax_lang.workspace.incremental.occurrences import Occurrence
from relax_lang.workspace.incremental.snapshot import Snapshot
from relax_lang.workspace.queries import navigation
from relax_lang.workspace.text.document import Change
from relax_lang.workspace.workspace import Workspace
from tests.workspace.random_edits import edited

SAMPLES = Path(__file__).parents[2] / "samples"
PROGRAMS = [
    path
    for path in sorted([*SAMPLES.glob("*.rlx"), *SAMPLES.glob("bad/*.rlx")])
    if path.stat().st_size < 2_000
][::5]

TEXT = """def @first(x: Tensor[(n, 4), float32]) {
  let y = add(x, x);
  let z = exp(y);
  z
}

def @second(x: Tensor[(m, 4), float32]) {
  let q = @first(x);
  nn.relu(q)
}
"""


def changed(text: str) -> Workspace:
    """A workspace that has analysed TEXT and has been told of another text."""
    workspace = Workspace()
    workspace.open("a.rlx", TEXT)
    workspace.analyse("a.rlx")
    workspace.change("a.rlx", [Change(text)], 1)
    return workspace


def answers(made: Snapshot, offset: int) -> tuple[object, ...]:
    info = made.info_at(offset)
    here = made.occurrence_at(offset)
    defined = navigation.definition(made, offset)
    return (
        None if info is None else show(info),
        None if here is None else (here.kind, here.name),
        defined if defined is None or made.layout.knows(defined) else "wait",
    )


def agree(old: tuple[object, ...], new: tuple[object, ...]) -> bool:
    return all(left in (right, "wait") for left, right in zip(old, new, strict=True))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("let y", "# why\n  let y"),
        ("  let z", "  let unused = x;\n  let z"),
        ("add(x, x)", "add( x,  x )"),
        ("\n\ndef @second", "\n\n\n# more\ndef @second"),
        ("nn.relu(q)\n}\n", "nn.relu(q)\n}\n\n\n"),
    ],
)
def test_where_nothing_else_changes_all_answers_are_those_of_the_new_text(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    workspace = changed(text)
    known = [(offset, workspace.recent("a.rlx", offset)) for offset in range(len(text))]
    moved = [(offset, answers(made, offset)) for offset, made in known if made is not None]
    assert len(moved) > len(text) // 2
    fresh = workspace.analyse("a.rlx")
    assert all(agree(found, answers(fresh, offset)) for offset, found in moved)
    assert sum("wait" in found for _, found in moved) < len(moved) // 20


def test_a_place_in_the_change_has_to_wait() -> None:
    text = TEXT.replace("add(", "adding(")
    workspace = changed(text)
    at = text.index("adding")
    assert [workspace.recent("a.rlx", offset) for offset in range(at, at + 7)] == [None] * 7
    assert workspace.recent("a.rlx", at + 7) is not None
    assert workspace.recent("b.rlx", 0) is None


def test_names_keep_their_places_whatever_is_edited() -> None:
    rng = random.Random(20_261_122)
    n_known = 0
    for _ in range(150):
        text = edited(TEXT, rng, [TEXT])
        workspace = changed(text)
        for match in re.finditer(r"[\w.@]+", text):
            made = workspace.recent("a.rlx", match.start())
            here = None if made is None else made.occurrence_at(match.start())
            if made is not None and here is not None:
                n_known += 1
                begin, end = made.layout.span(here.pos, here.end)
                assert text[begin:end].removeprefix("@") == here.name
    assert n_known > 500


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_one_name_is_what_it_is_among_all_names(path: Path) -> None:
    text = path.read_text("utf-8")
    workspace = Workspace()
    workspace.open("a.rlx", text)
    quick = workspace.analyse("a.rlx")
    whole = Snapshot(quick.document, quick.analysis, [], [])
    for item in whole.items:
        whole.occurrences(item)
    for offset in range(len(text)):
        one, other = quick.occurrence_at(offset), whole.occurrence_at(offset)
        assert named(one) == named(other), offset
        assert navigation.definition(quick, offset) == navigation.definition(whole, offset), offset
        quick._occurrences.clear()  # pyright: ignore[reportPrivateUsage]


def named(one: Occurrence | None) -> tuple[object, ...] | None:
    return None if one is None else (one.pos, one.end, one.kind, one.name, one.key, one.is_definition)
