"""What the RFC promises to people who extend the compiler, feature by feature: what works, and what is refused.

Every feature has its number in the RFC's list in the names of its two tests. What is behind a feature has tests of its
own beside its package; here it is used as the RFC uses it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from relax_lang import BlockBuilder, RelaxError, Tensor, api, dim, loads, op, te, topi, transform
from relax_lang.base.node import walk
from relax_lang.rewrite.dpl import is_op, wildcard
from relax_lang.rewrite.matching import rewrite
from relax_lang.rewrite.mutator import Mutator
from relax_lang.rewrite.visitor import Visitor
from relax_lang.scope.alpha.structure import alpha_equal, alpha_hash
from relax_lang.struct_info.printing import shown
from relax_lang.struct_info.types import erase
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import parse_passes
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError, PassRefused
from relax_lang.transform.pass_manager.passes import module_pass

MLP = """
def @main(x: Tensor[(n, 4), float32], w: Tensor[(4, 4), float32], b: Tensor[(4,), float32]) {
  dataflow {
    let p = matmul(x, w);
    let s = add(p, b);
    let r = nn.relu(s);
    output r;
  }
  r
}
"""
X, W, B = (np.random.default_rng(0).normal(size=size).astype(np.float32) for size in ((3, 4), (4, 4), (4,)))


class _Terminal:
    """A stream that is a terminal."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def isatty(self) -> bool:
        return True


def test_feature_2_a_module_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """In colours on a terminal; without them it is the formatted text."""
    module = loads(MLP)
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    module.show()
    assert "\x1b[" in terminal.text
    terminal.text = ""
    monkeypatch.setenv("NO_COLOR", "1")
    module.show()
    assert terminal.text == module.script() == api.format_text(module.script())


def test_feature_2_what_is_no_program_is_not_formatted() -> None:
    with pytest.raises(RelaxError, match="syntax"):
        api.format_text("def @main(x {")


def test_feature_8_passes_are_functions_of_modules() -> None:
    """The log shows the order, and every step is a program that the checker takes."""
    seen: list[str] = []

    class Log(transform.Instrument):
        def after(self, typed: Any, one: Any, result: Any) -> None:
            seen.append(repr(one))
            assert not api.check(str(result)).has_errors

    program = api.typed(MLP)
    for order in ("LegalizeOps, FuseOps", "FuseOps, LegalizeOps"):
        seen.clear()
        made = parse_passes(order)(program, transform.PassContext(instruments=[Log()]))
        assert ", ".join(seen) == order
        np.testing.assert_allclose(loads(str(made)).main(X, W, B), loads(MLP).main(X, W, B), rtol=1e-5)


def test_feature_8_a_pass_that_breaks_a_program_is_named() -> None:
    @module_pass("LosesABinding")
    def loses(typed: Any, run: Any) -> Any:
        """Leave out a binding that is used."""
        (function,) = typed.functions
        block = function.body.blocks[0]
        body = tree.SeqExpr((tree.DataflowBlock(block.bindings[1:], block.outputs),), function.body.body)
        made = tree.Function(function.name, False, None, function.params, None, (), body)
        return typed.with_items({function: made})

    program = api.typed(MLP)
    with pytest.raises(PassBrokeProgram, match="LosesABinding") as caught:
        loses()(program, transform.PassContext(instruments=[transform.Verify()]))
    assert caught.value.before is program


def test_feature_9_two_views_of_what_is_known() -> None:
    """The type is the struct info without dimensions."""
    infos = api.typed(MLP).infos
    views = {(shown(info), shown(erase(info))) for info in infos.values()}
    assert ("Tensor[(n, 4), float32]", "Tensor[ndim=2, float32]") in views


def test_feature_9_types_alone_do_not_hold_shapes_apart() -> None:
    """What differs in its dimensions only is of one type, and refused by its struct info."""
    one, other = (api.typed(f"def @f(x: Tensor[({size},), float32]) {{ x }}") for size in (3, 4))
    infos = [shown(erase(next(iter(each.infos.values())))) for each in (one, other)]
    assert infos[0] == infos[1]
    with pytest.raises(RelaxError, match="op-shape-mismatch"):
        api.check_sound("def @f(x: Tensor[(3,), float32], y: Tensor[(4,), float32]) { x + y }")


FMA = "def @main(a: Tensor[(n,), float32]) {{ dataflow {{ let m = multiply(a, a); let s = add(m, a); {0} }} {1} }}"


def fused(text: str) -> str:
    a, b, c = wildcard(), wildcard(), wildcard()
    pattern = is_op("add")(is_op("multiply")(a, b), c)
    made = rewrite(pattern, lambda call, found: op.ewise_fma(found[a], found[b], found[c]), api.typed(text))
    return str(transform.DeadCodeElimination()(made))


def test_feature_18_patterns_are_rewritten_in_dataflow_blocks() -> None:
    text = fused(FMA.format("output s;", "s"))
    assert "ewise_fma(a, a, a)" in text
    assert "multiply" not in text


def test_feature_18_what_is_an_output_stays() -> None:
    assert "let m = multiply(a, a)" in fused(FMA.format("output m, s;", "(m, s)"))


def test_feature_19_trees_are_equal_up_to_names() -> None:
    one, other = (
        api.typed(f"def @f({x}: Tensor[(n,), float32]) {{ let y{x} = exp({x}); y{x} }}") for x in "ab"
    )
    assert alpha_equal(one.functions[0], other.functions[0])
    assert alpha_hash(one.functions[0]) == alpha_hash(other.functions[0])
    kinds = {type(node).__name__ for node in walk(api.typed(MLP).module)}
    assert kinds >= {"Call", "Op", "Var", "DataflowVar", "VarBinding", "DataflowBlock", "SeqExpr", "Function"}


def test_feature_19_what_differs_in_more_is_not() -> None:
    one, other = (api.typed(f"def @f(x: Tensor[(n,), float32]) {{ {f}(x) }}") for f in ("exp", "sin"))
    assert not alpha_equal(one.functions[0], other.functions[0])


def test_feature_29_the_builder_builds_the_program_of_the_text() -> None:
    bb, n = BlockBuilder(), dim("n")
    x, w = bb.var("x", Tensor((n, 4), "float32")), bb.var("w", Tensor((4, 4), "float32"))
    b = bb.var("b", Tensor((4,), "float32"))
    with bb.function("main", [x, w, b]):
        with bb.dataflow():
            r = bb.emit_output(op.nn.relu(x @ w + b))
        bb.emit_func_output(r)
    built = bb.get().typed.functions[0]
    assert alpha_equal(built, api.typed(MLP).functions[0])


def test_feature_29_what_does_not_fit_is_refused_at_its_line() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((3, 4), "float32"))
    with bb.function("main", [x]):
        with pytest.raises(
            RelaxError, match=r"test_promises\.py:\d+:\d+: error\[RLX0447 op-shape-mismatch\]"
        ):
            bb.emit(x @ x)
        bb.emit_func_output(x)


def test_feature_30_tensor_expressions_are_prim_funcs() -> None:
    bb, n = BlockBuilder(), dim("n")
    a, b = bb.var("a", Tensor((n, 4), "float32")), bb.var("b", Tensor((4, 4), "float32"))
    with bb.function("main", [a, b]):
        product = bb.emit_te(topi.matmul, a, b)
        doubled = bb.emit_te(lambda x: te.compute(x.shape, lambda i, j: x[i, j] * 2.0), product)
        bb.emit_func_output(doubled)
    module = bb.get()
    assert module.script().count("call_tir(") == 2
    np.testing.assert_allclose(module.main(X, W), X @ W * 2, rtol=1e-5)


def test_feature_30_operands_of_two_dtypes_are_refused() -> None:
    bb = BlockBuilder()
    a = bb.var("a", Tensor((4,), "float32"))
    with bb.function("main", [a]):
        with pytest.raises(RelaxError, match="float32"):
            bb.emit_te(lambda x: te.compute(x.shape, lambda i: x[i] + te.const(1, "int64")), a)
        bb.emit_func_output(a)


def test_feature_32_visitors_count_and_mutators_rename() -> None:
    class Counts(Visitor):
        def __init__(self) -> None:
            self.calls = 0

        def visit_Call(self, call: tree.Call) -> None:
            self.calls += 1

    class SinesToCosines(Mutator):
        def visit_Call(self, call: tree.Call) -> object:
            return op.cos(call.args[0]) if self.name_of(call) == "sin" else call

    program = api.typed("def @f(x: Tensor[(n,), float32]) { let y = sin(x); exp(y) }")
    counts = Counts()
    counts.visit(program.module)
    assert counts.calls == 2
    after = SinesToCosines()(program)
    assert "let y = cos(x);" in str(after)
    assert SinesToCosines()(after) is after


def test_feature_32_a_mutator_that_makes_what_does_not_fit_is_refused() -> None:
    class Wrong(Mutator):
        def visit_Call(self, call: tree.Call) -> object:
            return op.reshape(call.args[0], (7,))

    with pytest.raises(RelaxError):
        Wrong()(api.typed("def @f(x: Tensor[(3,), float32]) { exp(x) }"))


FUSION = (
    "ConvertToDataflow(min_size=1), LegalizeOps, AnnotateTIROpPattern, FuseOps, FuseTIR, DeadCodeElimination"
)


def test_feature_34_annotate_decide_and_apply() -> None:
    """A product and what follows it are one PrimFunc; the result is the same."""
    made = parse_passes(FUSION)(api.typed(MLP))
    assert str(made).count("call_tir(") == 1
    np.testing.assert_allclose(loads(str(made)).main(X, W, B), np.maximum(X @ W + B, 0), rtol=1e-5)


def test_feature_34_what_is_opaque_is_not_fused() -> None:
    text = (
        "def @main(x: Tensor[(n, 4), float32]) { dataflow { let a = exp(cumsum(x, axis=0)); output a; } a }"
    )
    assert str(parse_passes(FUSION)(api.typed(text))).count("call_tir(") == 2


def test_feature_35_a_pattern_of_the_user_decides() -> None:
    made = parse_passes('FuseOpsByPattern(my.dense="nn.relu(add(matmul(x, w), b))")')(api.typed(MLP))
    assert 'Composite: "my.dense"' in str(made)


def test_feature_35_what_is_used_elsewhere_is_not_taken() -> None:
    text = MLP.replace("output r;", "output r, s;").replace("\n  r\n", "\n  (r, s)\n")
    made = parse_passes('FuseOpsByPattern(my.dense="nn.relu(add(matmul(x, w), b))")')(api.typed(text))
    assert "Composite" not in str(made)


def test_feature_36_long_functions_need_no_recursion() -> None:
    """More bindings than Python's stack has frames; 50,000 are in `benchmarks/pipeline.py`."""
    count = sys.getrecursionlimit() + 500
    lines = " ".join([f"let v{at + 1} = tanh(v{at});" for at in range(count)])
    text = f"def @main(v0: Tensor[(2,), float32]) {{ dataflow {{ {lines} output v{count}; }} v{count} }}"
    made = transform.pipeline("optimize")(api.typed(text))
    assert load_and_run(str(made)).shape == (2,)


def load_and_run(text: str) -> Any:
    return loads(text).main(np.float32([0.5, 1.0]))


def test_feature_36_functions_inside_of_each_other_are_bounded() -> None:
    """What would need the stack is refused with a place."""
    depth = 5_000
    text = (
        "def @main(x: Tensor[(2,), float32]) { " + "if true { " * depth + "x" + " } else { x }" * depth + " }"
    )
    assert api.check(text).has_errors


def test_feature_38_operators_are_sent_to_packed_functions() -> None:
    program = api.typed("def @main(x: Tensor[(n,), int64]) { unique(x) }")
    made = transform.DispatchToPacked(unique="my.unique")(program)
    module = loads(str(made), packed={"my.unique": lambda x, *rest: np.unique(x)})
    assert 'extern "my.unique"' in str(made)
    assert module.main(np.array([2, 1, 2])).tolist() == [1, 2]


def test_feature_38_attributes_do_not_get_lost() -> None:
    program = api.typed("def @main(x: Tensor[(n, m), float32]) { sum(x, axis=[0]) }")
    with pytest.raises(PassRefused, match="axis"):
        transform.DispatchToPacked(sum="my.sum")(program)
    with pytest.raises(PassError):
        transform.DispatchToPacked(summ="my.sum")(program)


def test_a_pipeline_among_passes_is_named() -> None:
    with pytest.raises(PassError) as caught:
        parse_passes("optimize")
    assert "`optimize` is a pipeline" in caught.value.diagnostic.help
