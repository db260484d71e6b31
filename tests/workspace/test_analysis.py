"""How much is analysed again, how an analysis is stopped, and what stays of an older one."""

import gc
import random
import sys
from itertools import pairwise
from types import FunctionType, ModuleType

import pytest

from relax_lang.base.cancellation import CancellationToken, Cancelled, stoppable
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.syntax.tree import Function
from relax_lang.workspace.incremental.analysis import Analysis
from relax_lang.workspace.text.cuts import cuts
from relax_lang.workspace.text.document import Change
from relax_lang.workspace.text.pieces import read
from relax_lang.workspace.workspace import Workspace
from tests.workspace.random_edits import analyse, analysed, edited, fresh

HEAD = "def @f{0}(x: Tensor[(n, 4), float32]) {{\n  let a = exp(x);\n"


def chain(count: int) -> str:
    """Functions without result annotation, each calling the one before."""
    parts = [HEAD.format(0) + "  a\n}\n"]
    parts += [HEAD.format(i) + f"  @f{i - 1}(a)\n}}\n" for i in range(1, count)]
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("what", "old", "new", "counts"),
    [
        ("a value in the first body", "let a = exp(x);\n  a", "let a = sin(x);\n  a", (1, 1, 1)),
        ("a longer body", "let a = exp(x);\n  a", "let a = exp(x); let b = exp(a);\n  a", (1, 1, 1)),
        ("a comment at the top", "def @f0", "# words\ndef @f0", (1, 1, 2)),
        ("a blank in the first head", "@f0(x:", "@f0(x :", (1, 1, 2)),
        ("another result", "  a\n}", "  (a, a)\n}", (1, 1, 10)),
        ("the last function", "  @f8(a)", "  @f8(exp(a))", (1, 1, 1)),
        ("an undefined name in the last function", "  @f8(a)", "  @f8(b)", (1, 1, 1)),
    ],
)
def test_an_edit_costs_what_it_touches(what: str, old: str, new: str, counts: tuple[int, int, int]) -> None:
    text = chain(10)
    before = analyse(text, None)
    assert (before.counts.parsed, before.counts.resolved, before.counts.inferred) == (10, 10, 10)
    after = analyse(text.replace(old, new, 1), before)
    assert (after.counts.parsed, after.counts.resolved, after.counts.inferred) == counts, what


@pytest.mark.parametrize("other", ["", "def @g() { 1 } }\n", "def @g() { { 1 }\n", "# } } }\n"])
def test_a_missing_brace_is_sought_in_its_own_item(other: str) -> None:
    """What another item has too many or too few of changes no fix."""
    has_its_end = "def @f(x: Tensor)\n  let a = exp(x);\n  a\n}\n\n"
    has_none = "prim_func @p(X: Buffer[(n,), float32]) for i in 0..n { X[i] = 0.0; }\n\n"
    for text, title in ((has_its_end, "add `{`"), (has_none, "write the body in braces")):
        text = text + chain(3) + other
        analysis = analyse(text, None)
        assert analysed(analysis, ()) == fresh(text, ())
        (first, *_) = check_source(SourceFile(text), None, ()).diagnostics
        assert first.fixes[0].title == title


def test_a_gap_under_an_annotated_head_leaves_callers_alone() -> None:
    text = chain(10).replace(
        "@f4(x: Tensor[(n, 4), float32])", "@f4(x: Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32]"
    )
    before = analyse(text, None)
    begin = text.index("@f4(x")
    after = analyse(text[:begin] + text[begin:].replace("exp(x);", "exp(x);\n  let b = nn.", 1), before)
    assert after.counts.inferred <= 2
    assert analysed(after, ()) == fresh(after.layout.text, ())


def test_a_moved_item_is_not_read_again() -> None:
    items = chain(4).split("\n\n")
    before = analyse("\n\n".join(items), None)
    after = analyse("\n\n".join([items[2], items[0], items[1], items[3]]), before)
    assert after.counts.parsed <= 3
    assert analysed(after, ()) == fresh(after.layout.text, ())


class Countdown:
    """Raises Cancelled at the n-th checkpoint."""

    def __init__(self, n: int) -> None:
        self.left = n

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def test_stopped_at_any_checkpoint_the_next_analysis_is_as_a_fresh_one() -> None:
    text = chain(4)
    changed = text.replace("exp(x)", "undefined(x)", 1).replace("@f1(a)", "@f1((a, a))")
    known = expected = fresh(changed, ("lints",))
    before = analyse(text, None)
    stopped = 0
    for n in range(400):
        counter = Countdown(n)
        try:
            with deep_recursion(), stoppable(counter.check):
                Analysis(read(changed, before.layout), before, None)
            break
        except Cancelled:
            stopped += 1
        if n % 5 == 0:
            assert analysed(analyse(changed, before), ("lints",)) == expected
            assert analysed(analyse(text, before), ()) == fresh(text, ())
    assert stopped > 20
    assert known == expected


def test_an_analysis_of_an_older_text_is_stopped() -> None:
    workspace = Workspace()
    workspace.open("a", chain(3))
    token = CancellationToken()
    token.cancel()
    with pytest.raises(Cancelled):
        workspace.check("a", token)
    assert workspace.snapshot("a") is None
    assert workspace.analyse("a").diagnostics == []


def test_a_snapshot_answers_as_it_did_after_many_edits() -> None:
    workspace = Workspace()
    text = chain(5)
    workspace.open("a", text)
    first = workspace.analyse("a")
    rng = random.Random(1)
    for version in range(60):
        text = edited(text, rng, [chain(3)])
        workspace.change("a", [Change(text)], version)
        workspace.analyse("a")
    assert first.text == chain(5)
    offset = first.text.index("@f3(a)")
    here = first.occurrence_at(offset)
    assert here is not None
    assert here.name == "f3"
    assert first.info_at(first.text.index("a = exp")) is not None


def test_old_trees_are_given_up() -> None:
    gc.collect()
    others = [one for one in gc.get_objects() if type(one) is Function]  # what other tests left somewhere
    before = {id(one) for one in others}
    workspace = Workspace()
    text = chain(6)
    workspace.open("a", text)
    rng = random.Random(2)
    for version in range(150):
        new = edited(text, rng, [chain(2)]) if version % 2 else chain(6)
        workspace.change("a", [Change(new)], version)
        workspace.analyse("a")
        text = new[:4_000]
    workspace.change("a", [Change(chain(6))], 999)
    workspace.analyse("a")
    workspace.change("a", [Change(chain(6) + "\n")], 1_000)
    made = workspace.analyse("a")
    gc.collect()
    known = {id(item) for item in made.items}
    written = [
        one
        for one in gc.get_objects()
        if type(one) is Function and id(one) not in before and one.name is not None
    ]
    assert len(known) == 6
    assert len(written) < 60


def test_a_text_is_cut_where_a_text_without_a_past_is() -> None:
    rng = random.Random(5)
    start = "# words\n\n" + chain(12).replace("\n\n", "\n").replace("def", "private\ndef")
    text, known = start, cuts(start)
    for step in range(1_000):
        old = text
        place = rng.randrange(len(text) + 1)
        if step % 2:
            place = text.rfind("\n", 0, place) + 1
        end = min(len(text), place + rng.choice((0, 0, 1, 3, 60)))
        text = text[:place] + rng.choice(("", "#", "\n", "x", "\n\ndef @g() { 1 }\n", "# a\n")) + text[end:]
        if step % 40 == 39:
            text = start
        known = cuts(text, old, known)
        assert known == cuts(text), text


def test_addresses_and_offsets_are_the_same_places() -> None:
    text = chain(4)
    rng = random.Random(3)
    analysis = None
    for _ in range(60):
        analysis = analyse(text, analysis)
        layout = analysis.layout
        for offset in range(0, len(text), 7):
            assert layout.to_document(layout.to_address(offset)) == offset
            assert layout.padded[layout.to_address(offset)] == text[offset]
        ranges = sorted((piece.start, piece.start + len(piece.text)) for piece in layout.pieces)
        assert all(end < start for (_, end), (start, _) in pairwise(ranges))
        for piece in layout.pieces:
            for item in piece.items:
                assert piece.start <= item.pos <= item.end <= piece.start + len(piece.text)
        text = edited(text, rng, [chain(2)])[:6_000] or "def @f0() { 1 }\n"


def test_what_is_kept_of_a_function_refers_to_what_it_mentions_alone() -> None:
    made = analyse(chain(6), None)
    for inference in made.inferences:
        kept = reachable(inference)
        assert not any(isinstance(one, str) and HEAD[:8] in one for one in kept), "the text"
        names = {one.name.name_hint for one in kept if isinstance(one, Function) and one.name is not None}
        assert 1 <= len(names) <= 2
    for piece in made.layout.pieces:
        assert not any(isinstance(one, str) and HEAD[:8] in one for one in reachable(piece.parsed))
    for state in made.functions.values():
        assert set(state.scope.resolved.globals) <= set(state.mentions.globals)


def reachable(root: object) -> list[object]:
    """Return all objects that an object keeps alive but for code."""
    found: dict[int, object] = {}
    stack = [root]
    while stack:
        one = stack.pop()
        if id(one) not in found and not isinstance(one, ModuleType | type):
            found[id(one)] = one
            stack += one.__closure__ or () if isinstance(one, FunctionType) else gc.get_referents(one)
    return list(found.values())


@pytest.mark.parametrize("text", [chain(4), chain(4).replace("  a\n", "  b\n", 1), "def @f(x: Any) {\n  let"])
def test_an_analysis_that_is_dropped_leaves_no_garbage(text: str) -> None:
    """What refers to itself in a circle stays in memory until the collector looks, which is seldom."""
    analysis = analyse(text, None)
    gc.collect()
    gc.disable()
    try:
        for old, new in (("exp(x)", "sin(x)"), ("exp(x)", "cos(x)"), ("sin(x)", "exp(x)")):
            text = text.replace(old, new, 1)
            analysis = analyse(text, analysis)
        assert gc.collect() == 0
    finally:
        gc.enable()
    assert analysis.layout.text == text


def test_fixes_know_the_parentheses_of_the_author() -> None:
    text = "def @main(x: Tensor[(n, 4), float32]) {\n  let y = reshape(x, (n));\n  y\n}\n"
    assert analysed(analyse(text, None), ()) == fresh(text, ())


@pytest.mark.parametrize("is_long", [True, False])
def test_an_analysis_looks_at_its_flag_all_along(is_long: bool) -> None:
    """No stretch without a look does more than a small part of the work, counted in calls."""
    if is_long:
        lines = "".join([f"  let v{i} = add(x, x);\n" for i in range(1_200)])
        text = "def @main(x: Tensor[(n, 4), float32]) {\n" + lines + "  x\n}\n"
    else:
        text = chain(60)
    calls, looks = 0, [0]

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    class Token(CancellationToken):
        def check(self) -> None:
            looks.append(calls)

    for _ in range(2):  # the first one loads modules
        workspace = Workspace()
        workspace.open("a", text)
        calls, looks = 0, [0]
        sys.setprofile(count)
        try:
            workspace.check("a", Token())
        finally:
            sys.setprofile(None)
    stretches = [later - before for before, later in pairwise([*looks, calls])]
    assert max(stretches) <= 0.05 * calls
