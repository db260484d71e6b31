"""What is around the cursor is the same whether an item is read from its beginning or from the last mark."""

import random

import pytest

from relax_lang.workspace.queries import token_context
from relax_lang.workspace.queries.completion import complete
from relax_lang.workspace.queries.token_context import Marks, TokenContext
from relax_lang.workspace.workspace import Workspace
from tests.workspace.random_edits import edited
from tests.workspace.test_random_edits import TEXTS


def _shown(context: TokenContext) -> object:
    brackets = [
        (one.mark, one.pos, one.before, one.commas, one.attribute, one.named, one.is_output)
        for one in context.brackets
    ]
    words = context.prefix, context.start, context.previous, context.in_comment, context.in_prim_func
    return words, list(context.binders), brackets


@pytest.mark.parametrize("seed", [*range(10), 72, 139])
def test_marks_change_no_answer(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_context, "TOKENS_BETWEEN_MARKS", 7)
    rng = random.Random(seed)
    text = rng.choice(TEXTS) + "\n" + rng.choice(TEXTS)
    marks = Marks()
    for _ in range(40):
        offset = rng.randrange(len(text) + 1)
        assert _shown(TokenContext(text, offset, marks)) == _shown(TokenContext(text, offset)), (text, offset)
        if rng.random() < 0.5:
            text = edited(text, rng, TEXTS)[:8_000]


def test_typing_at_the_end_of_a_long_function_reads_little(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join([f"  let v{i} = add(x, x);\n" for i in range(2_000)])
    text = "def @main(x: Tensor[(2,), float32]) {\n" + lines + "  let last = nn."
    marks = Marks()
    TokenContext(text, len(text), marks)
    words: list[str] = []
    take = token_context._State.take

    def noted(self: token_context._State, word: str, pos: int) -> None:
        words.append(word)
        take(self, word, pos)

    monkeypatch.setattr(token_context._State, "take", noted)
    context = TokenContext(text + "re", len(text) + 2, marks)
    assert context.prefix == "nn.re"
    assert len(words) <= 2 * token_context.TOKENS_BETWEEN_MARKS
    assert next(iter(context.binders)) == "last"


NESTED = """
def @main(x: Tensor[(n,), float32], c: bool) {
  dataflow {
    let inside = exp(x);
    let outside = exp(inside);
    output outside;
  }
  let chosen = if c {
    let here = exp(x);
    here
  } else {
    x
  };
  let last =
"""


@pytest.mark.parametrize("is_analysed", [False, True])
def test_only_names_in_scope_are_offered_the_last_one_first(is_analysed: bool) -> None:
    workspace = Workspace()
    workspace.open("a.rlx", NESTED)
    snapshot = workspace.analyse("a.rlx") if is_analysed else None
    found = complete(NESTED, len(NESTED), snapshot).found
    names = [one.label for one in found if one.kind == "name"]
    assert names.index("chosen") < names.index("outside")
    assert not {"inside", "here"}.intersection(names)
    if is_analysed:
        assert {"x", "c", "n"} <= set(names)
        assert next(one.detail for one in found if one.label == "outside") == "Tensor[(n,), float32]"
    within = NESTED.index("    here\n")
    assert "here" in [one.label for one in complete(NESTED, within + 4, snapshot).found]


@pytest.mark.parametrize(
    ("line", "prefix"),
    [
        ("  let y = re", "re"),
        ("  let y = nn.re", "nn.re"),
        ("  let y = @ma", "@ma"),
        ("  let y = @", "@"),
        ("  let y = 12", ""),
        ("  let y = 1.0e", "e"),
        ("  let y = `a b", "`a b"),
        ("  let `a b` = re", "re"),
        ("  let `a b` = ", ""),
        ("  let `a b` = `c d", "`c d"),
    ],
)
def test_the_part_of_a_name_before_the_cursor(line: str, prefix: str) -> None:
    text = f"def @f(x: Tensor) {{\n{line}"
    assert TokenContext(text, len(text)).prefix == prefix
