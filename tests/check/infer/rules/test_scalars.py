"""Scalars, `Prim[…]`: what they fit, what operators and PrimFuncs make of them. [V.12] [O.4]"""

from tests.check.infer.harness import found, infos, slugs
from tests.runtime.harness import run_text

SCALE = """
prim_func @scale(X: Buffer[(n,), float32], by: float32, Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * by; }
}
"""


def test_a_scalar_is_a_tensor_of_rank_0_where_one_is_expected():
    assert slugs("let a: Tensor[(), float32] = prim_value(1.5); let b = add(x, prim_value(1.5)); b") == []
    assert slugs("let a: Tensor[(), int64] = prim_value(1.5); a") == ["annotation-mismatch"]
    assert slugs("let a: Shape = prim_value(1); a") == ["annotation-mismatch"]


def test_a_tensor_of_rank_0_needs_a_match_cast_to_be_a_scalar():
    assert slugs("let a: Prim[bool] = c; a") == ["needs-match-cast"]
    assert slugs("let a = match_cast(c, Prim[bool]); a") == []
    assert slugs("let a = match_cast(c, Prim[int64]); a") == ["match-cast-never"]
    assert slugs("let a: Prim[float32] = x; a") == ["annotation-mismatch"]


def test_the_dtypes_of_numbers():
    text = """def @main(x: Tensor[(n,), float32]) -> () {
      let a = prim_value(n + 1); let b = prim_value(0.5); let d = prim_value(n > 2); let e = prim_value(3, dtype=int8);
      ()
    }"""
    known = infos(text)
    assert [known[name] for name in "abde"] == ["Prim[int64]", "Prim[float32]", "Prim[bool]", "Prim[int8]"]


def test_branches_join_scalars_and_tensors():
    text = """def @main(c: Prim[bool], t: Tensor[(), int64]) -> () {
      let a = if c { prim_value(1) } else { prim_value(2) };
      let b = if c { prim_value(1) } else { t };
      let d = if c { prim_value(1) } else { prim_value(0.5) };
      ()
    }"""
    known = infos(text)
    assert known["a"] == "Prim[int64]"
    assert known["b"] == "Tensor[(), int64]"
    assert known["d"] == "Tensor[()]"


def test_call_tir_takes_scalars_in_the_order_of_the_parameters():
    head = SCALE + "def @main(x: Tensor[(k,), float32], s: Prim[float32], t: Tensor[(), int64]) -> Object {"
    right = head + " call_tir(@scale, (x, s)) -> Tensor[(k,), float32] }"
    assert found(right) == []
    wrong = head + " call_tir(@scale, (x, t)) -> Tensor[(k,), float32] }"
    assert found(wrong) == [("call-tir-arguments", "t")]
    turned = head + " call_tir(@scale, (s, x)) -> Tensor[(k,), float32] }"
    assert next(slug for slug, _ in found(turned)) == "call-tir-arguments"


def test_V_12_a_direct_call_gives_nothing_and_is_impure():
    head = (
        SCALE + "def @main(x: Tensor[(k,), float32], y: Tensor[(k,), float32], s: Prim[float32]) -> Object {"
    )
    assert found(head + " @scale(x, s, y); y }") == []
    assert infos(head + " let r = @scale(x, s, y); r }")["r"] == "()"
    assert found(head + " dataflow { @scale(x, s, y); } y }") == [("impure-in-dataflow", "@scale(x, s, y)")]
    assert found(head + " @scale(x, y); y }") == [("primfunc-call", "@scale(x, y)")]
    assert found(head + " @scale(x, y, s); y }")[0] == ("call-tir-arguments", "y")


def test_V_12_both_engines_store_into_what_is_passed():
    text = (
        SCALE
        + """def @main() -> (Tensor[(2,), float32], Tensor[(2,), float32]) {
      let x = const([1.0, 2.0]);
      let y = zeros(shape(2), dtype=float32);
      let z = y;
      @scale(x, prim_value(3.0), y);
      @scale(y, prim_value(0.5), y);
      let w = call_tir(@scale, (z, prim_value(2.0))) -> Tensor[(2,), float32];
      (z, w)
    }"""
    )
    for engine in ("compiled", "interpreter"):
        z, w = run_text(text, engine=engine)  # type: ignore[misc]
        assert (z.tolist(), w.tolist()) == ([1.5, 3.0], [3.0, 6.0])


def test_a_scalar_is_checked_when_a_function_is_entered():
    text = "def @main(s: Prim[float32]) -> Prim[float32] { s }"
    import numpy as np

    from tests.runtime.harness import failure_of

    assert run_text(text, np.array(1.5, np.float32)) == 1.5
    assert failure_of(text, np.array([1.5], np.float32)).slug == "argument-check-failed"
    assert failure_of(text, np.array(1, np.int64)).slug == "argument-check-failed"


def test_the_dtype_of_a_scalar_is_written():
    assert found("def @main(s: Prim) -> () { () }") == [("syntax", "Prim")]
    assert [slug for slug, _ in found("def @main(s: Prim[(2,), float32]) -> () { () }")] == ["syntax"]
