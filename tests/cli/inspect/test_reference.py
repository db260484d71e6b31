"""`relax explain` and `relax ops`: what the toolchain says about itself."""

from __future__ import annotations

import pytest

from relax_lang.check.explain import all_rules
from relax_lang.ops import registry
from tests.cli.harness import Relax


@pytest.mark.parametrize("word", ["RLX0201", "undefined-variable", "rlx0201"])
def test_explain(relax: Relax, word: str) -> None:
    status, out, err = relax("explain", word)
    assert (status, err) == (0, "")
    assert out.startswith("## undefined-variable\n\n`RLX0201` · error · Rules: ")
    assert "```relax wrong\n" in out
    assert "```relax right\n" in out


def test_explain_unknown(relax: Relax) -> None:
    status, out, err = relax("explain", "undefined-varable")
    assert (status, out) == (2, "")
    assert "did you mean `undefined-variable`?" in err


def test_explain_takes_no_code_for_a_misspelled_one(relax: Relax) -> None:
    """Any digit of a code may be the wrong one: nothing is guessed. A name is asked about."""
    assert "did you mean" not in relax("explain", "RLX0999").err
    assert "did you mean `undefined-variable`?" in relax("explain", "undefined-variabel").err


def test_explain_nothing(relax: Relax) -> None:
    status, out, err = relax("explain")
    assert (status, out) == (2, "")
    assert "`relax explain --all` lists them" in err


def test_explain_all(relax: Relax) -> None:
    status, out, _ = relax("explain", "--all")
    assert status == 0
    lines = out.splitlines()
    assert len(lines) == len(all_rules())
    assert lines == sorted(lines)
    assert any(line.startswith("RLX0201  undefined-variable  ") for line in lines)


def test_explain_a_group(relax: Relax) -> None:
    status, out, _ = relax("explain", "lints")
    assert status == 0
    names = [line.split()[1] for line in out.splitlines()]
    assert names == [one.slug for one in all_rules() if one.slug == "shadowing" or one.code[:5] == "RLX08"]
    assert relax("explain", "all").out == relax("explain", "--all").out
    assert relax("explain", "lints", "--markdown").out.count("\n## ") == len(names) - 1


def test_explain_all_as_markdown(relax: Relax) -> None:
    _, out, _ = relax("explain", "--all", "--markdown")
    assert [line[3:] for line in out.splitlines() if line.startswith("## ")] == [
        one.slug for one in all_rules()
    ]


def test_explain_on_a_terminal_is_laid_out(relax: Relax, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _, out, _ = relax("explain", "undefined-variable", "--color", "never")
    assert "```" not in out
    assert "undefined-variable" in out
    assert 0 < out.index("wrong:\n  def @main") < out.index("right:\n  def @main")
    _, out, _ = relax("explain", "undefined-variable", "--color", "always")
    assert "\x1b[35mdef\x1b[0m \x1b[34m@main\x1b[0m" in out


def test_ops_lists_all(relax: Relax) -> None:
    status, out, err = relax("ops")
    assert (status, err) == (0, "")
    signatures = [line[2:].partition("(")[0] for line in out.splitlines() if line.startswith("  ")]
    assert sorted(signatures) == registry.names()


def test_ops_describes_one(relax: Relax) -> None:
    status, out, err = relax("ops", "matmul")
    assert (status, err) == (0, "")
    assert out.startswith("matmul(x1: ")
    assert "Example\n" in out


def test_ops_of_what_others_have_as_one_operator(relax: Relax) -> None:
    _, _, err = relax("ops", "logsumexp")
    assert "help: write `log(sum(exp(x), axis=…))`" in err
    _, _, err = relax("ops", "torch.swapaxes")
    assert "help: write `permute_dims(x, axes=[…])`" in err


def test_ops_unknown(relax: Relax) -> None:
    status, out, err = relax("ops", "nn.sofmax")
    assert (status, out) == (2, "")
    assert (
        err
        == "error[RLX0010 usage]: there is no operator `nn.sofmax`\n  = help: did you mean `nn.softmax`?\n\n"
    )


def test_ops_as_markdown(relax: Relax) -> None:
    _, out, _ = relax("ops", "--markdown")
    assert out.startswith("# Operators\n")
    assert "### matmul\n" in out


def test_explanations_are_laid_out_in_colour_where_that_is_asked_for(relax: Relax) -> None:
    plain = relax("explain", "use-before-bind").out
    laid_out = relax("explain", "use-before-bind", "--color", "always").out
    assert plain.startswith("## use-before-bind")
    assert "\x1b" not in plain
    assert not laid_out.startswith("## ")
    assert "\x1b[1;31mwrong:\x1b[0m" in laid_out
    assert "\x1b" not in relax("explain", "use-before-bind", "--color", "never").out
    assert relax("explain", "use-before-bind", "--color", "always", "--markdown").out == plain
