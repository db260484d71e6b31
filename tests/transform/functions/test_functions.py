"""Passes on functions and on calls of operators."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.errors import PassError
from tests.transform.core.changes import after

VERIFIED = transform.PassContext(instruments=[transform.Verify()])


def lifted(text: str) -> str:
    made = after("LambdaLift", text)
    module = api.parse(made).tree
    assert not any(
        isinstance(node, tree.Function) and node.name is None for item in module.items for node in walk(item)
    )
    return made


class TestLambdaLift:
    def test_recursion_through_its_own_name(self) -> None:
        text = lifted(
            "def @main(x: Tensor[(), int32]) -> Tensor[(), int32] {"
            " let f = fn (k: Tensor[(), int32]) -> Tensor[(), int32] {"
            " if k <= 0 { x } else { f(k - 1) + x } }; f(const(3, int32)) }"
        )
        assert "@main_f(gv_1, x)" in text

    def test_sizes_that_the_type_of_a_captured_function_binds_are_not_passed(self) -> None:
        """`j` is bound by the type of `f`, and by nothing where `g` is made."""
        text = lifted(
            "def @main(x: Tensor[(n, k), int32]) { let f = fn (p: Tensor[(j, k), int32]) -> Tensor[ndim=1, int32]"
            " { repeat(x, repeats=2) }; let v = f(x); let g = fn (q: Tensor[_, int32]) { (x, f) }; (v, g(x)) }"
        )
        assert "Shape[(j" not in text
        assert not api.check(text).diagnostics

    def test_functions_in_functions_and_in_branches(self) -> None:
        text = lifted(
            "def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {"
            " let r = if c { let f = fn (y: Tensor[(n,), float32]) {"
            " let g = fn (z: Tensor[(n,), float32]) { z + x + y }; g(y) }; f(x) } else { x }; r }"
        )
        assert "private def @main_f(" in text
        assert "private def @main_g(" in text

    def test_sizes_that_nothing_determines_are_passed(self) -> None:
        text = lifted(
            "def @main(x: Tensor[(n,), float32]) {"
            " let f = fn (y: Tensor[(), int32]) { zeros(shape(n), dtype=float32) }; f(const(1, int32)) }"
        )
        assert "sizes: Shape[(n,)]" in text
        assert "@main_f(const(1, int32), shape(n))" in text

    def test_shapes_with_names_are_written_out(self) -> None:
        text = lifted(
            "def @main(x: Tensor[(n, m), float32]) { let s = shape(n, m); let t: Tensor[s, float32] = exp(x);"
            " let f = fn (y: Tensor) -> Tensor[(n, m), float32] { t }; f(x) }"
        )
        assert "t: Tensor[(n, m), float32]" in text

    def test_a_function_as_a_value(self) -> None:
        text = lifted(
            "def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {"
            " let f = fn (y: Tensor[(n,), float32]) { y + x };"
            " let g = fn (y: Tensor[(n,), float32]) { y * 2.0 };"
            " let h = if c { f } else { g }; h(x) }"
        )
        assert "make_closure(@main_f, (x,))" in text
        assert "make_closure(@main_g, (shape(n),))" in text
        assert "let f = @main_f;" in lifted("def @main(x: Tensor) { let f = fn (y: Tensor) { y }; (f, x) }")

    def test_a_function_that_holds_another_as_a_value(self) -> None:
        program = """
        def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
          let f = fn (y: Tensor[(n,), float32]) -> Tensor[(n,), float32] { x + y };
          let g = fn (y: Tensor[(n,), float32]) -> Object { (f, f(y)) };
          let pair = match_cast(g(x), (Object, Tensor[(n,), float32]));
          pair[1]
        }"""
        text = lifted(program)
        assert "f: fn(Tensor[(n,), float32]) -> Tensor[(n,), float32]" in text
        assert np.array_equal(np.asarray(api.run(text, [1.0, 2.0])), np.asarray(api.run(program, [1.0, 2.0])))

    def test_impure_functions(self) -> None:
        lifted("def @main(x: Tensor[(n,), float32]) { let f = fn (y: Tensor) { print(y); x }; f(x); f(x) }")

    def test_names_that_exist(self) -> None:
        text = lifted(
            "def @main(x: Tensor[(n,), float32]) { let f = fn (y: Tensor) { y }; @main_f(f(x)) }"
            " private def @main_f(x: Tensor) { x }"
        )
        assert "@main_f_1(x)" in text


class TestBindSymbolicVars:
    TEXT = "def @main(x: Tensor[(n, m), float32]) { reshape(x, shape(n * m, 1)) } def @f(y: Tensor[(n,), int32]) { y }"

    def test_one_function_or_all(self) -> None:
        both = str(transform.BindSymbolicVars(n=3)(api.typed(self.TEXT)))
        assert "Tensor[(3, m), float32]" in both
        assert "shape(m * 3, 1)" in both.replace("3 * m", "m * 3")
        only = str(transform.BindSymbolicVars(n=3, func="f")(api.typed(self.TEXT)))
        assert "Tensor[(3,), int32]" in only
        assert "Tensor[(n, m), float32]" in only

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"k": 1}, "no function has a shape variable `k`"),
            ({"n": -1}, "an integer of at least 0"),
            ({"n": "4"}, "an integer of at least 0"),
            ({"n": 1, "func": "g"}, "there is no function `g`"),
        ],
    )
    def test_what_is_refused(self, options: dict[str, object], words: str) -> None:
        with pytest.raises(PassError) as caught:
            transform.BindSymbolicVars(**options)(api.typed(self.TEXT))
        assert words in caught.value.diagnostic.message

    def test_calls_that_would_not_fit(self) -> None:
        text = "def @main(x: Tensor[(2,), int32]) { @f(x) } def @f(y: Tensor[(n,), int32]) { y }"
        with pytest.raises(PassError, match="does not fit these sizes"):
            transform.BindSymbolicVars(n=3)(api.typed(text))


class TestDispatch:
    def test_arguments_and_results(self) -> None:
        text = "def @main(x: Tensor[(n,), float32]) { dataflow { let y = nn.relu(x); output y; } y }"
        assert 'extern "relu"(x, pure=true) -> Tensor[(n,), float32]' in after(
            'DispatchToPacked(nn.relu="relu")', text
        )

    @pytest.mark.parametrize(
        ("table", "words"),
        [("nn.rely=f", "there is no operator `nn.rely`"), ("sum=f", "has the attribute `keepdims`")],
    )
    def test_what_is_refused(self, table: str, words: str) -> None:
        text = "def @main(x: Tensor[(n,), float32]) { sum(x, keepdims=true) }"
        with pytest.raises(PassError) as caught:
            after(f"DispatchToPacked({table})", text)
        assert words in caught.value.diagnostic.message


class TestBindParams:
    TEXT = (
        "def @main(x: Tensor[(n, m), float32], w: Tensor[(m, k), float32], b: Tensor[(k * 2,), float32]) {"
        " (matmul(x, w), b, shape(n, k)) }"
    )

    def test_sizes_follow_from_arrays(self) -> None:
        weights = np.arange(6, dtype=np.float32).reshape(2, 3)
        made = transform.BindParams(w=weights)(api.typed(self.TEXT), VERIFIED)
        head = "def @main(x: Tensor[(n, 2), float32], b: Tensor[(6,), float32])"
        assert str(made).startswith(head)
        x, b = np.ones((4, 2), np.float32), np.ones(6, np.float32)
        expected, found = api.run(self.TEXT, x, weights, b), api.run(made, x, b)
        assert isinstance(expected, tuple)
        assert isinstance(found, tuple)
        assert np.array_equal(expected[0], found[0])
        assert expected[2] == found[2]
        both = transform.BindParams(w=weights, b=b)(api.typed(self.TEXT), VERIFIED)
        assert [param.name_hint for param in both.functions[0].params] == ["x"]

    def test_large_arrays_are_held(self) -> None:
        weights = np.arange(60, dtype=np.float32).reshape(2, 30)
        made = transform.BindParams(w=weights)(api.typed(self.TEXT), VERIFIED)
        assert list(made.source.arrays) == [("constants.npz", "c0")]
        found = api.run(made, np.ones((1, 2), np.float32), np.ones(60, np.float32))
        assert isinstance(found, tuple)
        assert np.array_equal(found[0], np.ones((1, 2), np.float32) @ weights)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"v": np.zeros(2)}, "has no parameter `v`"),
            ({"w": np.zeros((2, 2))}, "has the dtype float32, the array has float64"),
            ({"w": np.zeros(2, np.float32)}, "has 2 dimensions, the array has 1"),
            ({"w": 3}, "not an array"),
            ({"w": np.zeros((2, 2), np.float32), "b": np.zeros(3, np.float32)}, "the dimension `k * 2`"),
            ({"func": "man"}, "there is no function `man`"),
        ],
    )
    def test_what_is_refused(self, options: dict[str, object], words: str) -> None:
        with pytest.raises(PassError) as caught:
            transform.BindParams(**options)(api.typed(self.TEXT))
        assert words in caught.value.diagnostic.message

    def test_a_function_that_is_called(self) -> None:
        text = "def @main(x: Tensor[(2,), float32]) { x } def @g(y: Tensor[(2,), float32]) { @main(y) }"
        with pytest.raises(PassError, match="is called here"):
            transform.BindParams(x=np.zeros(2, np.float32))(api.typed(text))
