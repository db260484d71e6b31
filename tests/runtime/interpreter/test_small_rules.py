"""Rules that are quickly told, on both engines: blocks, effects, packed functions, older forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relax_lang.base.node import walk
from relax_lang.runtime.session import Session
from relax_lang.values import PackedFunc, RunFailure, ShapeValue
from tests.runtime.harness import f32, failure_of, run_text, session_of


class Told:
    """A packed function that writes down what it is given, and hands it back."""

    def __init__(self) -> None:
        self.values: list[object] = []

    def __call__(self, value: object) -> object:
        self.values.append(value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value)
        return value


def run(text: str, *arguments: object, **packed: Callable[..., object]) -> Any:
    return run_text(text, *arguments, packed=packed)


def test_M_5_2_nothing_more_is_checked_of_a_packed_function() -> None:
    for info in ("PackedFunc", 'PackedFunc[derive="empty"]', "Object"):
        packed = PackedFunc("any", lambda: 1)
        assert run(f"def @main(u: Object) {{ let v = match_cast(u, {info}); v }}", packed) is packed
    with pytest.raises(RunFailure, match="a packed function"):
        run("def @main(u: Object) { match_cast(u, PackedFunc); u }", f32(2))


def test_X_10_1_X_10_5_braces_open_and_close_a_scope() -> None:
    text = """
    def @main(u: Object, v: Object) {
      let a = 1;
      let one = { let a = 2; match_cast(u, Tensor[(k,), float32]); (a, shape(k)) };
      let other = if true { let a = 3; match_cast(v, Tensor[(k,), float32]); (a, shape(k)) } else { one };
      (one, other, a)
    }
    """
    one, other, a = run(text, f32(4), f32(5))
    assert (one[0], one[1]) == (2, ShapeValue((4,)))
    assert (other[0], other[1]) == (3, ShapeValue((5,)))
    assert a == 1


def test_X_10_2_X_10_4_bindings_in_order_then_the_result() -> None:
    told = Told()
    text = """
    def @main() {
      let a = extern "tell"(1);
      extern "tell"(2);
      dataflow { let b = extern "tell"(3, pure=true); let c = extern "tell"(4, pure=true); output b, c; }
      { let d = extern "tell"(5); extern "tell"(6); (extern "tell"(7), d, c, b, a) }
    }
    """
    assert run(text, tell=told) == (7, 5, 4, 3, 1)
    assert told.values == [1, 2, 3, 4, 5, 6, 7]


def test_X_10_4_a_failure_before_the_result_leaves_none() -> None:
    told = Told()
    text = 'def @main(u: Object) { match_cast(u, Shape); extern "tell"(1) }'
    with pytest.raises(RunFailure):
        run(text, f32(2), tell=told)
    assert told.values == []


def test_P_1_a_pure_call_changes_nothing_that_is_seen() -> None:
    text = """
    pure def @work(a: Tensor[(n,), float32]) -> Tensor[(n,), float32] { let b = exp(a); nn.relu(b + a) }
    def @main(x: Tensor[(n,), float32]) { let one = @work(x); let other = @work(x); (one, other, x) }
    """
    x = np.arange(5, dtype=np.float32)
    before = x.copy()
    one, other, same = run(text, x)
    assert same is x
    assert np.array_equal(x, before)
    assert np.array_equal(one, other)
    assert not np.shares_memory(one, other)


def test_P_12_what_depends_on_the_outside_is_evaluated_each_time() -> None:
    count = iter(range(1, 10))
    text = 'def @main() { let unused = extern "next"(); (extern "next"(), extern "next"()) }'
    assert run(text, next=lambda: next(count)) == (2, 3)


def test_X15_9_tuples_and_shapes_never_change() -> None:
    text = 'def @main(t: (Object, Object), s: Shape) { extern "look"((t, s)); (t, s, t) }'
    given = (f32(1), ShapeValue((2, 3)))

    def look(value: object) -> None:
        assert isinstance(value, tuple)
        with pytest.raises(TypeError):
            value[0][0] = 1
        with pytest.raises(TypeError):
            value[1][0] = 1
        assert type(value[1].values) is tuple

    t, s, again = run(text, given, given[1], look=look)
    assert t == given
    assert t is again
    assert s == ShapeValue((2, 3))


@pytest.mark.parametrize("value", [f32(2, 3), ShapeValue((2, 3))])
def test_B_5_match_shape_fails_as_match_cast_does(value: object) -> None:
    info = "Tensor[ndim=2, float32]" if isinstance(value, np.ndarray) else "Shape[ndim=2]"
    text = f"def @main(x: {info}) {{ match_shape(x, (n, n)); shape(n) }}"
    with pytest.raises(RunFailure) as caught:
        run(text, value)
    assert caught.value.slug == "match-cast-failed"
    assert "dimension 1: expected n = 2, found 3" in caught.value.message
    square = f32(4, 4) if isinstance(value, np.ndarray) else ShapeValue((4, 4))
    assert run(text, square) == ShapeValue((4,))


def test_B_6_B_7_nothing_is_checked_of_an_unknown_shape() -> None:
    text = "def @main(x: Tensor[_, float32]) { let y: Tensor[_, float32] = x; y }"
    for value in (f32(), f32(2), f32(0, 3, 1)):
        assert run(text, value) is value
    with pytest.raises(RunFailure, match="dtype: expected float32, found int32"):
        run(text, np.zeros(2, np.int32))


def test_B_10_B_12_a_computed_shape_is_computed_once_in_its_place() -> None:
    text = """
    def @main(x: Tensor[_, float32], y: Tensor[extern "sizes"(x), float32]) -> Tensor[extern "sizes"(y), float32] {
      let z: Tensor[extern "sizes"(x), float32] = y;
      let w = match_cast(x, Tensor[extern "sizes"(z), float32]);
      w
    }
    """
    for engine in ("interpreter", "compiled"):
        asked: list[int] = []

        def sizes(value: np.ndarray, asked: list[int] = asked) -> ShapeValue:
            asked.append(int(value[0]))
            return ShapeValue(value.shape)

        one, two = np.full(3, 1, np.float32), np.full(3, 2, np.float32)
        value = run_text(text, one, two, packed={"sizes": sizes}, engine=engine)
        assert value is one
        assert asked == [1, 2, 1, 2]
        with pytest.raises(RunFailure) as caught:
            run_text(text, one, np.full(4, 2, np.float32), packed={"sizes": sizes}, engine=engine)
        assert caught.value.slug == "match-cast-failed"
        assert "dimension 0: expected gv[0] = 3, found 4" in caught.value.message


def test_B_15_a_missing_extern_fails_before_or_after_the_effects_of_its_arguments() -> None:
    told = Told()
    with pytest.raises(RunFailure) as caught:
        run('def @main() { extern "missing"(extern "tell"(1)) }', tell=told)
    assert caught.value.slug == "extern-not-found"
    assert told.values in ([], [1])


def test_M_12_where_checks_are_left_out_sizes_are_bound_all_the_same() -> None:
    text = """
    def @main(u: Object, s: Object) { @inner(u, s) }
    private def @inner(u: Tensor[(n, m), float32], s: Shape[(n, j)]) -> Shape[(n, m)] {
      let v = match_cast(u, Tensor[(k, 3), float32]);
      match_cast(s, Shape[(n, i)]);
      shape(n, k, m, j, i)
    }
    """
    arguments = f32(2, 4), ShapeValue((5, 6))
    assert failure_of(text, *arguments).slug == "argument-check-failed"
    module = session_of(text, engine="interpreter")._module
    unchecked = Session(module, None, engine="compiled", proved=frozenset(walk(module)))
    assert unchecked.call("main", arguments) == ShapeValue((2, 2, 4, 6, 6))
