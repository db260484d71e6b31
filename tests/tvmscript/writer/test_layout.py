"""Long lines of exported Python are broken as black and ruff break them."""

from __future__ import annotations

import ast
from textwrap import dedent

import numpy as np
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


def test_what_is_known_of_tuples_that_share_parts_is_left_out() -> None:
    """A text says each part as often as it occurs: 2 ** 30 times here."""
    tuples = "".join([f"let t{at} = (t{at - 1}, t{at - 1}); " for at in range(1, 30)])
    fields = "".join([f"let s{at} = s{at - 1}[0]; " for at in range(1, 31)])
    text = (
        f"def @main(x: Tensor[(n, 4), float32]) {{ let t0 = (exp(x), x); {tuples}let s0 = t29; {fields}s30 }}"
    )
    exported = api.to_tvmscript(text).text
    assert len(exported) < 100_000
    x = np.ones((2, 4), np.float32)
    for program in (text, api.from_tvmscript(exported)):
        np.testing.assert_array_equal(np.asarray(api.run(program, x)), np.exp(x))
