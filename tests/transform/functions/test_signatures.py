"""Passes that change what private functions take and return. [X.O1]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.transform.catalogue import parse_passes
from tests.transform.core.changes import after


def twice(name: str, text: str) -> str:
    """Return the text after a pass, which is held against the program, and changes nothing the second time."""
    made = after(name, text)
    assert str(parse_passes(name)(api.typed(made))) == made
    return made


class TestParameters:
    def test_what_is_only_passed_on_to_itself_is_not_needed(self) -> None:
        text = twice(
            "RemoveUnusedParameters",
            "private def @f(x: Tensor[(n,), float32], y: Tensor[(n,), float32], k: Tensor[(), int32])"
            " -> Tensor[(n,), float32] { if k > 0 { @f(x, y, k - 1) } else { x } }"
            " def @main(x: Tensor[(n,), float32]) { @f(x, x, const(3, int32)) }",
        )
        assert "@f(x: Tensor[(n,), float32], k: Tensor[(), int32])" in text
        assert "@f(x, const(3, int32))" in text

    def test_sizes_are_passed_through_several_functions(self) -> None:
        text = twice(
            "RemoveUnusedParameters",
            "private def @f(x: Tensor[(n,), float32], s: Shape[(n,)]) { ones(shape(n), dtype=float32) }"
            " private def @g(x: Tensor[(n,), float32], z: Tensor) { @f(x, shape(n)) }"
            " def @main(x: Tensor[(n,), float32], y: Tensor[float32, ndim=1]) { @g(x, y) }",
        )
        assert "@f(s: Shape[(n,)])" in text
        assert "@g(sizes: Shape[(n,)])" in text
        assert "@g(shape(n))" in text

    def test_sizes_that_no_one_knows_keep_the_parameter(self) -> None:
        text = (
            "private def @f(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { ones(shape(n), dtype=float32) }"
            " def @main(x: Tensor[float32, ndim=1]) { @f(x) }"
        )
        assert "@f(x: Tensor[(n,), float32])" in twice("RemoveUnusedParameters", text)

    def test_a_check_that_may_fail_keeps_the_parameters(self) -> None:
        text = twice(
            "RemoveUnusedParameters",
            "private def @f(x: Tensor[(n,), float32], y: Tensor[(n,), float32]) { x }"
            " def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) { @f(x, y) }",
        )
        assert "@f(x, y)" in text

    @pytest.mark.parametrize("head", ["def @f", "private def @f"])
    def test_signatures_that_others_know_stay(self, head: str) -> None:
        call = "@f(x, x)" if head == "def @f" else "let g = @f; g(x, x)"
        text = f"{head}(x: Tensor, y: Tensor) {{ x }} def @main(x: Tensor) {{ {call} }}"
        assert "@f(x: Tensor, y: Tensor)" in twice("RemoveUnusedParameters", text)

    def test_local_functions_need_what_they_take_from_outside(self) -> None:
        text = twice(
            "RemoveUnusedParameters",
            "private def @f(x: Tensor[(n,), float32], y: Tensor[(n,), float32], z: Tensor[(n,), float32]) {"
            " let g = fn (a: Tensor[(n,), float32]) { a + y }; g(x) }"
            " def @main(x: Tensor[(n,), float32]) { @f(x, x, x) }",
        )
        assert "@f(x, x)" in text


class TestOutputs:
    def test_fields_get_other_numbers(self) -> None:
        text = twice(
            "RemoveUnusedOutputs",
            "private def @f(x: Tensor[(n,), float32]) -> (Tensor[(n,), float32], Shape[(n,)], Tensor[(n,), float32])"
            " { dataflow { let a = exp(x); let b = sin(x); let t = (a, shape(n), b); output t; } t }"
            " def @main(x: Tensor[(n,), float32]) { let p = @f(x); let q = @f(p[2]); q[0] }",
        )
        assert "-> (Tensor[(n,), float32], Tensor[(n,), float32]) {" in text
        assert "let t = (a, b);" in text
        assert "p[1]" in text

    def test_what_is_left_alone_is_no_tuple(self) -> None:
        text = twice(
            "RemoveUnusedOutputs",
            "private def @f(x: Tensor[(n,), float32]) { (x, x) }"
            " private def @g(x: Tensor[(n,), float32]) { let r = @f(x); (x, r[0]) }"
            " def @main(x: Tensor[(n,), float32]) { let p = @f(x); let q = @g(p[0]); q[0] }",
        )
        assert "(x, " not in text

    @pytest.mark.parametrize(
        "body",
        [
            "let p = @f(x); (p, p[0])",
            "let p: (Tensor, Tensor) = @f(x); p[0]",
            "let g = @f; let p = g(x); p[0]",
            "let p = match_cast(@f(x), (Tensor, Tensor)); p[0]",
        ],
    )
    def test_results_that_are_used_as_a_whole_stay(self, body: str) -> None:
        text = "private def @f(x: Tensor[(n,), float32]) { let a = exp(x); (x, a) }"
        assert "(x, a)" in twice(
            "RemoveUnusedOutputs", f"{text} def @main(x: Tensor[(n,), float32]) {{ {body} }}"
        )

    def test_a_declared_result_that_is_checked_stays(self) -> None:
        text = twice(
            "RemoveUnusedOutputs",
            "private def @f(x: Tensor[(n,), float32], y: Tensor[(m,), float32])"
            " -> (Tensor[(n,), float32], Tensor[(n,), float32]) { (x, y) }"
            " def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) { let p = @f(x, y); p[0] }",
        )
        assert "(x, y)" in text
