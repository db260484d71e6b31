"""Mutators, patterns and rules: what they change, what they leave, and their mistakes."""

from __future__ import annotations

import os
from typing import Any

import pytest

from relax_lang import RelaxError, api, loads, op, transform
from relax_lang.check.infer.drivers.incremental import GrowingFunction
from relax_lang.rewrite.dpl import (
    is_call_tir,
    is_const,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from relax_lang.rewrite.matching import rewrite
from relax_lang.rewrite.mutator import Mutator
from relax_lang.rewrite.rules import read_rules
from relax_lang.rewrite.visitor import Visitor
from relax_lang.struct_info.printing import shown
from relax_lang.syntax import tree

PROGRAM = """def @main(x: Tensor[(n, 4), float32], y: Tensor[(n, 4), float32], c: Tensor[(), bool]) {
  dataflow {
    let a = multiply(x, y);
    let b = add(a, x);
    let d = add(b, b);
    output d;
  }
  let e = if c {
    let q = add(d, d);
    q
  } else {
    let r = add(x, y);
    r
  };
  let f = fn (z: Tensor[(n, 4), float32]) {
    let s = add(z, e);
    s
  };
  let g = f(e);
  g
}
"""


class ToSubtract(Mutator):
    def visit_Call(self, call: tree.Call) -> object:
        if self.name_of(call) == "add":
            return op.subtract(call.args[0], op.negative(call.args[1]))
        return call


def test_a_mutator_changes_blocks_branches_and_local_functions() -> None:
    changed = ToSubtract()(loads(PROGRAM))
    text = changed.script()
    assert "add(" not in text
    assert text.count("negative(") == 5
    assert "let b = subtract(a, lv);" in text


def test_nothing_changed_is_the_same_program() -> None:
    program = api.typed(PROGRAM)
    assert Mutator()(program) is program


def test_a_mutator_asks_emits_and_replaces() -> None:
    class Once(Mutator):
        def visit_Call(self, call: tree.Call) -> object:
            if self.name_of(call) == "add" and self.value_of(call.args[0]) is not None:
                info = self.struct_info_of(call.args[0])
                assert isinstance(info, tree.TensorStructInfo)
                shown = self.emit(op.exp(call.args[1]), "shown")
                return call.args[0] if shown is None else op.multiply(call.args[0], shown)
            return call

    text = str(Once()(api.typed(PROGRAM)))
    assert "let shown = exp(x);" in text
    assert "let b = multiply(a, shown);" in text
    assert not api.check(text).has_errors


def test_what_does_not_fit_is_a_diagnostic() -> None:
    class Wrong(Mutator):
        def visit_Call(self, call: tree.Call) -> object:
            return op.matmul(call.args[0], call.args[0])

    with pytest.raises(RelaxError) as caught:
        Wrong()(api.typed("def @main(x: Tensor[(2, 3), float32]) { exp(x) }"))
    assert [one.slug for one in caught.value.diagnostics] == ["op-shape-mismatch"]

    class Nothing(Mutator):
        def visit_Call(self, call: tree.Call) -> None:
            return None

    with pytest.raises(RelaxError, match="returned nothing"):
        Nothing()(api.typed(PROGRAM))
    with pytest.raises(RelaxError, match="a program is needed"):
        Nothing()("def @main() { 1 }")


@pytest.mark.slow
def test_many_statements_need_no_stack() -> None:
    """As many at night as a compiler of models must take; by day more than the stack has frames."""
    count = 50_000 if "RELAX_NIGHTLY" in os.environ else 4_000
    lines = "\n".join([f"let v{at + 1} = add(v{at}, v{at});" for at in range(count)])
    program = api.typed(f"def @main(v0: Tensor[(2,), float32]) {{ {lines} v{count} }}")

    class Count(Visitor):
        def __init__(self) -> None:
            self.count = 0

        def visit_Call(self, _call: tree.Call) -> None:
            self.count += 1

    counter = Count()
    counter.visit(program)
    assert counter.count == count
    [main] = ToSubtract()(program).functions
    assert isinstance(main.body, tree.SeqExpr)
    assert len(main.body.blocks[0].bindings) == 2 * count


A, B, C = wildcard(), wildcard(), wildcard()


def rewritten(pattern: Any, change: Any, text: str = PROGRAM) -> str:
    made = str(rewrite(pattern, change, api.typed(text)))
    assert not api.check(made).has_errors
    return made


def test_a_chain_is_found_in_both_orders_and_what_is_dead_goes() -> None:
    text = rewritten(is_op("add")(C, is_op("multiply")(A, B)), lambda _, f: op.ewise_fma(f[A], f[B], f[C]))
    assert "let b = ewise_fma(x, y, x);" in text
    assert "let a" not in text


def test_an_output_that_is_matched_stays() -> None:
    text = rewritten(
        is_op("add")(is_op("multiply")(A, B), C),
        lambda _, f: op.ewise_fma(f[A], f[B], f[C]),
        PROGRAM.replace("output d;", "output a, d;"),
    )
    assert "let a = multiply(x, y);" in text
    assert "let b = ewise_fma(x, y, x);" in text


def test_used_once() -> None:
    once = is_op("add")(is_op("multiply")(A, B).used_once(), C)
    program = PROGRAM.replace("output d;", "output a, d;")
    assert "ewise_fma" not in rewritten(once, lambda _, f: op.ewise_fma(f[A], f[B], f[C]), program)


def test_no_match_reaches_over_an_effect() -> None:
    program = """def @main(x: Tensor[(3,), float32]) {
      let a = multiply(x, x);
      extern "change"(x) -> ();
      add(a, x)
    }"""
    fused = is_op("add")(is_op("multiply")(A, B), C)
    assert "ewise_fma" not in rewritten(fused, lambda _, f: op.ewise_fma(f[A], f[B], f[C]), program)


def test_the_same_pattern_twice_is_the_same_value() -> None:
    text = rewritten(is_op("add")(A, A), lambda _, f: op.multiply(f[A], 2.0))
    assert "let d = multiply(b, 2.0);" in text
    assert "let r = add(x, y);" in text


def test_no_is_no_and_the_next_alternative_is_tried() -> None:
    either = is_op("add")(is_var("b"), A) | is_op("add")(B, C)

    def change(whole: tree.Expr, found: Any) -> object:
        return op.maximum(found[B], found[C]) if B in found else whole

    text = rewritten(either, change)
    assert "let d = maximum(b, b);" in text


def test_a_rewrite_that_does_not_end_is_stopped() -> None:
    for change in (
        lambda _, f: op.add(f[B], op.negative(f[A])),
        lambda _, f: op.add(f[B], f[A]) + f[A],
    ):
        with pytest.raises(RelaxError, match="rewrite-does-not-end"):
            rewrite(is_op("add")(A, B), change, api.typed(PROGRAM))


def test_kinds_of_patterns() -> None:
    program = """
    prim_func @f(x: Buffer[(3,), float32], y: Buffer[(3,), float32]) {
      for i in 0..3 {
        y[i] = x[i];
      }
    }
    def @main(x: Tensor[(3,), float32]) {
      dataflow {
        let t = (x, exp(x));
        let first = t[1];
        let s = sum(first, axis=0);
        let two = multiply(x, 2.0);
        let made = call_tir(@f, (two,)) -> Tensor[(3,), float32];
        output s, made;
      }
      (s, made)
    }"""
    field = is_tuple_get_item(is_tuple([A, B]), 1)
    assert "let first = exp(x);" not in rewritten(field, lambda _, f: f[B], program)
    summed = is_op("sum")(is_tuple_get_item(is_tuple([A, B]))).has_attr({"axis": 0})
    assert "first" not in rewritten(summed, lambda _, f: op.sum(f[B], axis=0), program)
    assert "add(x, x)" in rewritten(
        is_op("multiply")(A, is_const(2)), lambda _, f: op.add(f[A], f[A]), program
    )
    assert "nn.relu(" in rewritten(is_call_tir("f"), lambda w, _: op.nn.relu(w.args[1].fields[0]), program)
    assert "nn.relu(" not in rewritten(
        is_call_tir("g"), lambda w, _: op.nn.relu(w.args[1].fields[0]), program
    )
    shaped = is_op("multiply")(A, B).has_shape((4,)).has_dtype("float32")
    assert "multiply" in rewritten(shaped, lambda _, f: f[A], program)
    typed = is_op("multiply")(A.has_info("Tensor[(3,), float32]"), ~is_var())
    assert "multiply" not in rewritten(typed, lambda _, f: op.exp(f[A]), program)


RULES = """def @pattern(x: Tensor[(n, m), float32]) { add(x, x) }
def @replacement(x: Tensor[(n, m), float32]) { multiply(x, 2.0) }
def @pattern_flat(x: Tensor[(n, m), float32]) { flatten(relu(x)) }
def @replacement_flat(x: Tensor[(n, m), float32]) { reshape(nn.relu(x), shape(n * m)) }
""".replace("relu(x))", "nn.relu(x))", 1)


def test_rules() -> None:
    rules, wrong = read_rules(api.typed(RULES))
    assert wrong == []
    program = api.typed("""def @main(x: Tensor[(k, 4), float32], v: Tensor[(k,), float32]) {
      let a = add(x, x);
      let b = flatten(nn.relu(a));
      (b, add(v, v))
    }""")
    for rule in rules:
        program = rule.applied(program)
    text = str(program)
    assert "let a = multiply(x, 2.0);" in text
    assert "reshape(" in text
    assert "shape(k * 4)" in text
    assert "add(v, v)" in text  # a tensor of rank 1 does not fit the parameter
    assert not api.check(text).has_errors


WRONG = {
    "def @pattern(x: Tensor) { exp(x) }": "has no replacement",
    "def @replacement(x: Tensor) { x }": "has no pattern",
    "def @f(x: Tensor) { x }": "is not a rule",
    "def @pattern(x: Tensor, y: Tensor) { x } def @replacement(x: Tensor, y: Tensor) { x }": "does not use `y`",
    "def @pattern(x: Tensor[(n,), float32]) { exp(x) } def @replacement(x: Tensor[(n,), float32]) { sum(x) }": (
        "the replacement is `Tensor[(), float32]`"
    ),
    "def @pattern(x: Tensor[(n,), float32]) { exp(x) } def @replacement(x: Tensor[(n,), int32]) { x }": (
        "other parameters"
    ),
    "def @pattern(x: Tensor) { if true { x } else { x } } def @replacement(x: Tensor) { x }": "cannot have an `if`",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_rule(text: str) -> None:
    rules, wrong = read_rules(api.typed(text))
    assert [one.slug for one in wrong] == ["bad-rule"]
    assert WRONG[text] in wrong[0].message
    assert rules == []


def test_bad_patterns() -> None:
    for make in (
        lambda: is_op("ad"),
        lambda: is_op("add")(A, "b"),
        lambda: rewrite("add", lambda w, f: w, api.typed(PROGRAM)),
        lambda: rewrite(is_op("add")(A, B), lambda w, f: None, api.typed(PROGRAM)),
        lambda: rewrite(is_op("add")(A, B), lambda w, f: w, 3),
    ):
        with pytest.raises(RelaxError) as caught:
            make()
        assert caught.value.diagnostics[0].slug in ("bad-pattern", "builder-name")


class Turned(Mutator):
    """Makes a column of what sines are taken of, and notes what is known of every other call by then."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def visit_Call(self, call: tree.Call) -> object:
        if self.name_of(call) == "sin":
            return op.reshape(op.sin(call.args[0]), (3, 1))
        for arg in call.args:
            if isinstance(arg, tree.Var):
                self.known[arg.name_hint] = shown(self.struct_info_of(arg))
        return call


LATER = (
    "def @main(x: Tensor[(3,), float32]) { let a = exp(x); let b = sin(a); let c = cos(b); let d = c * c; d }"
)


def test_only_what_changed_and_what_depends_on_it_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    derived: list[str] = []
    bind = GrowingFunction.bind

    def watched(self: Any, binding: tree.Binding, within: Any = None) -> Any:
        derived.append("" if binding.var is None else binding.var.name_hint)
        return bind(self, binding, within)

    monkeypatch.setattr(GrowingFunction, "bind", watched)
    mutator = Turned()
    after = mutator(api.typed(LATER))
    assert "let d = multiply(c, c);" in str(after)
    assert [name for name in derived if len(name) == 1] == ["b", "c", "d"]  # not `a`
    assert mutator.known["c"] == "Tensor[(3, 1), float32]"


class Rounded(Mutator):
    """Takes floors twice: what is known of the results stays."""

    def visit_Call(self, call: tree.Call) -> object:
        return op.floor(op.floor(call.args[0])) if self.name_of(call) == "sin" else call


def test_an_equal_info_reaches_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[str] = []
    keep = GrowingFunction.keep

    def watched(self: Any, binding: tree.VarBinding, info: Any) -> None:
        kept.append(binding.var.name_hint)
        keep(self, binding, info)

    monkeypatch.setattr(GrowingFunction, "keep", watched)
    assert "floor" in str(Rounded()(api.typed(LATER)))
    assert kept == ["a", "c", "d"]


def test_what_does_not_fit_any_more_is_found_where_nothing_changed() -> None:
    text = LATER.replace("let d = c * c;", "let d = matmul(c, x);")
    with pytest.raises(RelaxError, match="op-shape-mismatch"):
        Turned()(api.typed(text))


def test_the_public_names_are_in_one_place() -> None:
    from relax_lang import rewrite as room
    from relax_lang.rewrite import dpl, matching, mutator

    assert room.Mutator is mutator.Mutator
    assert room.rewrite is matching.rewrite
    assert room.is_op is dpl.is_op
    assert all(getattr(room, name) is not None for name in dir(room))
    assert {"PatternContext", "Visitor", "wildcard"} <= set(dir(room))
    assert not hasattr(room, "methods_of")


def test_what_a_method_returns_and_does_not_fit_is_an_error_at_its_line() -> None:
    class Wrong(Mutator):
        def visit_Call(self, call: tree.Call) -> object:
            return op.matmul(call.args[0], call.args[0]) if self.name_of(call) == "exp" else call

    @transform.module_pass("MakesWhatDoesNotFit")
    def makes_what_does_not_fit(typed: Any, run: Any) -> Any:
        return Wrong()(typed)

    program = api.typed("def @main(x: Tensor[(2, 3), float32]) { let y = exp(x); y }")
    with pytest.raises(RelaxError) as caught:
        makes_what_does_not_fit()(program)
    (one,) = caught.value.diagnostics
    assert one.slug == "op-shape-mismatch"
    assert caught.value.source.text[one.pos : one.end].startswith("return op.matmul(")
    assert "while `MakesWhatDoesNotFit` worked" in one.notes


def test_matches_do_not_reach_over_changes_in_place() -> None:
    text = """
    prim_func @grown(X: Buffer[(3,), float32]) { for i in 0..3 { X[i] = X[i] + 1.0; } }
    def @main(x: Tensor[(3,), float32]) {
      dataflow {
        let a = exp(x);
        let z = call_tir_inplace(@grown, (x,), inplace_indices=[0]) -> Tensor[(3,), float32];
        let b = nn.relu(a);
        let c = exp(z);
        let d = nn.relu(c);
        output b, d;
      }
      (b, d) }"""
    inner = wildcard()
    relu_of_exp = is_op("nn.relu")(is_op("exp")(inner))
    after = str(rewrite(relu_of_exp, lambda _, found: op.abs(found[inner]), api.typed(text)))
    assert "let b = nn.relu(a);" in after
    assert "let d = abs(z);" in after
