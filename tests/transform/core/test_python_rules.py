"""What is promised of programs that Python makes and changes, end to end; details are in the tests beside this."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from relax_lang import BlockBuilder, Tensor, api, dim, loads, op, te, topi, transform
from relax_lang.rewrite.dpl import is_op, wildcard
from relax_lang.rewrite.matching import rewrite
from relax_lang.rewrite.mutator import Mutator
from relax_lang.rewrite.visitor import Visitor
from relax_lang.scope.alpha.equality import differences
from relax_lang.scope.alpha.structure import alpha_equal, alpha_hash
from relax_lang.struct_info.types import erase
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.transform.catalogue import PIPELINES, parse_passes, passes
from relax_lang.transform.core.rebuild import with_body
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError

SAMPLES = sorted(Path("samples/passes").glob("model.rlx"))
PROGRAM = """def @main(x: Tensor[(n, 8), float32], w: Tensor[(8, 8), float32], b: Tensor[(8,), float32]) {
  dataflow {
    let h = nn.relu(matmul(x, w) + b);
    let y = nn.softmax(h, axis=-1) * 2.0;
    output y;
  }
  y
}
"""


def result(program: object, *values: np.ndarray) -> object:
    return loads(str(program)).main(*values)


def values() -> list[np.ndarray]:
    random = np.random.default_rng(3)
    return [random.normal(size=shape).astype(np.float32) for shape in ((3, 8), (8, 8), (8,))]


def test_PY_1_print_and_read() -> None:
    program = api.typed(PROGRAM)
    text = str(program)
    assert str(api.typed(text)) == text
    assert not differences(api.typed(text).module, program.module)


def test_PY_2_passes_compose_in_any_order() -> None:
    names = ("ConvertToDataflow", "LegalizeOps", "FuseOps", "EliminateCommonSubexpr", "DeadCodeElimination")
    expected = result(PROGRAM, *values())
    for order in itertools.islice(itertools.permutations(names), 0, None, 11):
        log: list[tuple[str, str]] = []
        watching = [transform.Verify(), transform.PrintAfter(lambda *seen, into=log: into.append(seen))]
        after = parse_passes(", ".join(order))(
            api.typed(PROGRAM), transform.PassContext(instruments=watching)
        )
        for _, text in log:
            assert not api.check(text).has_errors
        np.testing.assert_allclose(result(after, *values()), expected, rtol=1e-5)


def test_PY_3_struct_info_and_type() -> None:
    program = api.typed(PROGRAM)
    infos = {
        var.name_hint: info
        for var, info in program.infos.items()
        if isinstance(var, tree.Var | tree.DataflowVar)
    }
    from relax_lang.format.printer import show

    assert show(infos["h"]) == "Tensor[(n, 8), float32]"
    assert show(erase(infos["h"])) == "Tensor[ndim=2, float32]"


@pytest.mark.parametrize("output", ["d", "p, d"])
def test_PY_4_a_pattern_inside_of_a_block(output: str) -> None:
    text = (
        "def @main(a: Tensor[(n,), float32], b: Tensor[(n,), float32]) {"
        f" dataflow {{ let p = multiply(a, b); let d = add(p, a); output {output}; }} ({output},) }}"
    )
    one, two, three = wildcard(), wildcard(), wildcard()
    product = (one * two).used_once()
    made = rewrite(product + three, lambda whole, found: op.subtract(found[one], found[three]), loads(text))
    assert ("subtract" in made.script()) == (output == "d")


def test_PY_5_names_do_not_matter() -> None:
    one, other, third = [
        api.typed(
            f"def @main({a}: Tensor[({n},), float32]) {{ let {b} = {called}({a}); add({b}, {a}) }}"
        ).functions[0]
        for a, b, n, called in (("x", "y", "n", "exp"), ("u", "v", "m", "exp"), ("x", "y", "n", "sin"))
    ]
    assert alpha_equal(one, other)
    assert alpha_hash(one) == alpha_hash(other)
    assert not alpha_equal(one, third)


def test_PY_6_builder_and_text() -> None:
    bb, n = BlockBuilder(), dim("n")
    x, w = bb.var("x", Tensor((n, 8), "float32")), bb.var("w", Tensor((8, 8), "float32"))
    b = bb.var("b", Tensor((8,), "float32"))
    with bb.function("main", [x, w, b]):
        with bb.dataflow():
            hidden = bb.emit(op.nn.relu(x @ w + b))
            out = bb.emit_output(op.nn.softmax(hidden, axis=-1) * 2.0)
        bb.emit_func_output(out)
    assert not differences(bb.get().typed.module, api.typed(PROGRAM).module)


def test_PY_7_tensor_expressions() -> None:
    bb, n = BlockBuilder(), dim("n")
    x, w = bb.var("x", Tensor((n, 8), "float32")), bb.var("w", Tensor((8, 4), "float32"))
    with bb.function("main", [x, w]):
        product = bb.emit_te(topi.matmul, x, w)
        doubled = bb.emit_te(
            lambda a: te.compute(a.shape, lambda i, j: a[i, j] * te.cast(2, "float32")), product
        )
        bb.emit_func_output(doubled)
    module = bb.get()
    assert module.script().count("call_tir(") == module.script().count("prim_func @") == 2
    one, two, _ = values()
    np.testing.assert_allclose(module.main(one, two[:, :4]), one @ two[:, :4] * 2, rtol=1e-5)


def test_PY_8_visitors_and_mutators() -> None:
    counts: dict[str, int] = {}

    class Count(Visitor):
        def visit_Call(self, node: tree.Call) -> None:
            if isinstance(node.op, tree.Op):
                counts[node.op.op_name] = counts.get(node.op.op_name, 0) + 1

    class Rename(Mutator):
        def visit_Call(self, node: tree.Call) -> object:
            name = node.op.op_name if isinstance(node.op, tree.Op) else ""
            return op.nn.gelu(node.args[0]) if name == "nn.relu" else node

    program = loads(PROGRAM)
    Count().visit(program.typed.module)
    assert counts == {"matmul": 1, "add": 1, "nn.relu": 1, "nn.softmax": 1, "multiply": 1}
    assert "nn.gelu(" in Rename()(program).script()


def test_PY_9_annotate_decide_merge() -> None:
    program = api.typed(PROGRAM)
    grouped = parse_passes("LegalizeOps, AnnotateTIROpPattern, FuseOps")(program)
    merged = parse_passes("FuseTIR, DeadCodeElimination")(grouped)
    assert "Primitive: true" in str(grouped)
    assert str(merged).count("call_tir(") < str(grouped).count("call_tir(")
    np.testing.assert_allclose(result(merged, *values()), result(program, *values()), rtol=1e-5)
    legal = str(parse_passes("LegalizeOps")(program))
    opaque = re.sub(r"\) \{\n  (for|alloc)", r") attrs { op_pattern: 8 } {\n  \1", legal)
    assert opaque.count("op_pattern: 8") > 1
    assert "Primitive" not in str(parse_passes("FuseOps")(api.typed(opaque)))


def test_PY_10_functions_of_what_matches() -> None:
    pattern = is_op("nn.relu")(is_op("add")(is_op("matmul")(wildcard(), wildcard()), wildcard()))
    after = transform.FuseOpsByPattern(**{"my.dense": pattern})(api.typed(PROGRAM))
    assert str(after).count('Composite: "my.dense"') == 1
    np.testing.assert_allclose(result(after, *values()), result(PROGRAM, *values()), rtol=1e-5)


def test_PY_11_many_bindings() -> None:
    lines = "".join([f"let a{at + 1} = sin(a{at});" for at in range(1_500)])
    program = api.typed(
        f"def @main(a0: Tensor[(n,), float32]) {{ dataflow {{ {lines} output a1500; }} a1500 }}"
    )
    for name, kind in passes().items():
        required = any(spec.required for spec in kind.signature.attrs) or kind.any_option
        if not required and name not in ("Gradient", "FuseOps", "FuseTIR"):
            assert str(kind()(program)).count("\n") >= 1_500


def test_PY_12_operators_and_packed_functions() -> None:
    program = api.typed("def @main(x: Tensor[(n,), float32]) { nn.relu(x) }")
    after = transform.DispatchToPacked(**{"nn.relu": "my.relu"})(program)
    module = loads(str(after), packed={"my.relu": lambda x: np.maximum(x, 0)})
    assert module.main(np.array([-1, 2], np.float32)).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("FoldConstants", "did you mean `FoldConstant`"),
        ("FoldConstant(limits=3)", "there is `limit`"),
        ("RemoveUnusedParameter", "did you mean `RemoveUnusedParameters`"),
        ('LegalizeOps(skip=["nn.rely"])', "did you mean `nn.relu`"),
        ("DecomposeOps(only=[add])", "is not an operator that is made of smaller ones"),
        ("Gradient(func=man)", "did you mean `main`"),
    ],
)
def test_PY_13_what_is_no_pass(text: str, word: str) -> None:
    with pytest.raises(PassError) as caught:
        parse_passes(text)(api.typed(PROGRAM))
    found = caught.value.diagnostic
    assert word in " ".join([found.message, *[note.message for note in found.notes], str(found.help)])


def test_PY_13_a_pass_that_breaks_a_program_is_named() -> None:
    @transform.function_pass("LoseTheResult")
    def lose(function: tree.Function, _run: object) -> tree.Function:
        body = parse("def @f() { y_that_is_not_there }").tree.items[0].body
        return with_body(function, tree.SeqExpr((), body.body if isinstance(body, tree.SeqExpr) else body))

    with pytest.raises(PassBrokeProgram) as caught:
        lose()(api.typed(PROGRAM), transform.PassContext(instruments=[transform.Verify()]))
    assert "LoseTheResult" in caught.value.diagnostic.message
    assert str(caught.value.before) == str(api.typed(PROGRAM))
    assert PIPELINES
