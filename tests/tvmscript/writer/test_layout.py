"""Long lines of exported Python are broken as black and ruff break them."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from relax_lang import api
from relax_lang.tvmscript.writer.layout import WIDTH, broken
from tests.cli.harness import ROOT

CASES = {
    "a call": (
        '    lv: R.Tensor((n, 4), dtype="float32") = R.nn.layer_norm(x, gamma, beta, axes=[-1], epsilon=1e-05)',
        """
            lv: R.Tensor((n, 4), dtype="float32") = R.nn.layer_norm(
                x, gamma, beta, axes=[-1], epsilon=1e-05
            )
        """,
    ),
    "a call with many arguments": (
        "    gv = R.f(an_argument_with_a_long_name, " + ", ".join(["another_argument"] * 4) + ")",
        """
            gv = R.f(
                an_argument_with_a_long_name,
                another_argument,
                another_argument,
                another_argument,
                another_argument,
            )
        """,
    ),
    "a function": (
        '    def main(x: R.Tensor((1, 2, 3), dtype="float32"), y: R.Tensor((1, 2, 3), dtype="float32")) -> R.Tensor:',
        """
            def main(
                x: R.Tensor((1, 2, 3), dtype="float32"), y: R.Tensor((1, 2, 3), dtype="float32")
            ) -> R.Tensor:
        """,
    ),
    "a function without parameters": (
        '    def main() -> R.Tuple(R.Tensor((1, 2, 3), dtype="float32"), R.Tensor((1, 2, 3), dtype="int32")):',
        """
            def main() -> R.Tuple(
                R.Tensor((1, 2, 3), dtype="float32"), R.Tensor((1, 2, 3), dtype="int32")
            ):
        """,
    ),
    "operators": (
        "    Y[vi, vj] = Y[vi, vj] + an_array_of_numbers[vi, vj, 0] * another_array_of_numbers[vi, vj, 1]",
        """
            Y[vi, vj] = (
                Y[vi, vj] + an_array_of_numbers[vi, vj, 0] * another_array_of_numbers[vi, vj, 1]
            )
        """,
    ),
    "a condition": (
        "    if " + " and ".join(["a_condition_of_some_length"] * 4) + ":",
        """
            if (
                a_condition_of_some_length
                and a_condition_of_some_length
                and a_condition_of_some_length
                and a_condition_of_some_length
            ):
        """,
    ),
    "brackets in strings": (
        '    gv = R.call_packed("a (string], with = brackets \\" and more", x, y, z, ty_args=(R.Tensor,))',
        """
            gv = R.call_packed(
                "a (string], with = brackets \\" and more", x, y, z, ty_args=(R.Tensor,)
            )
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_line_that_is_too_long(case: str) -> None:
    line, expected = CASES[case]
    assert len(line) > WIDTH
    assert broken(line) == ["    " + one for one in dedent(expected).strip().split("\n")]


def test_a_line_that_fits_stays() -> None:
    line = "    " + "x" * (WIDTH - 4)
    assert broken(line) == [line]
    assert broken(line + "y") == [line + "y"]  # there is no place to break it


@pytest.mark.parametrize(
    "path", sorted((ROOT / "samples" / "models").glob("*.rlx")), ids=lambda path: path.stem
)
def test_the_lines_of_models_fit_and_mean_the_same(path) -> None:
    text = api.to_tvmscript(api.read(str(path))).text
    ast.parse(text)
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []
