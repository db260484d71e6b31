"""Effects as far as names show them: inferred, claimed, overridden, and kept out of dataflow blocks."""

from __future__ import annotations

import pytest

from relax_lang.base.node import Node
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.check.infer.purity import Purity
from relax_lang.normalize.origins import Origins
from relax_lang.syntax import tree

HELPERS = """
def @impure_one(x: Tensor) -> Tensor {
  print(x);
  x
}
def @pure_one(x: Tensor) -> Tensor { add(x, x) }
def @through(x: Tensor) -> Tensor { @impure_one(x) }
force_pure def @forced(x: Tensor) -> Tensor { @impure_one(x) }
pure def @claimed(x: Tensor) -> Tensor { @pure_one(x) }
impure def @declared(x: Tensor) -> Tensor { extern "f"(x) -> Tensor }
"""


def found(text: str) -> list[tuple[str, str]]:
    diagnostics = check_source(SourceFile(text)).diagnostics
    return [(one.slug, text[one.pos : one.end]) for one in diagnostics]


def in_dataflow(call: str, before: str = "") -> list[tuple[str, str]]:
    params = "x: Tensor, f: fn(Tensor) -> Tensor, g: impure fn(Tensor) -> Tensor, h: PackedFunc, o: Object"
    text = f"def @main({params}) -> Object {{ {before} dataflow {{ let y = {call}; output y; }} y }}"
    return found(text + HELPERS)


@pytest.mark.parametrize(
    "call",
    [
        'extern "f"(x) -> Tensor',
        'extern "f"(x, pure=false)',
        "print(x)",
        'call_dps_packed(extern "f", (x,)) -> Tensor[(2,), float32]',
        "@impure_one(x)",
        "@through(x)",
        "@declared(x)",
        "g(x)",
        "h(x)",
        "add(@impure_one(x), x)",
    ],
)
def test_P_4_P_5_P_8_W_6_4_no_impure_call_in_a_dataflow_block(call: str) -> None:
    marked = "@impure_one(x)" if call.startswith("add(") else call
    assert in_dataflow(call) == [("impure-in-dataflow", marked)]


@pytest.mark.parametrize(
    "call",
    [
        'extern "f"(x, pure=true) -> Tensor',
        'call_dps_packed(extern "f", (x,), pure=true) -> Tensor[(2,), float32]',
        "add(x, x)",
        "@pure_one(x)",
        "@forced(x)",
        "@claimed(x)",
        "f(x)",
        "h(x, pure=true)",
        "match_cast(x, Tensor[ndim=2])",
    ],
)
def test_P_2_P_4_P_7_P_10_pure_calls_may_stand_there(call: str) -> None:
    assert in_dataflow(call) == []


def test_P_11_W_6_5_creating_an_impure_closure_is_pure_and_calling_it_is_not() -> None:
    make = "let k = fn (a: Tensor) -> Tensor { print(a); a };"
    assert in_dataflow("x", make) == []
    assert in_dataflow("k(x)", make) == [("impure-in-dataflow", "k(x)")]
    text = "def @f(x: Tensor) -> Object { dataflow { let h = fn (a: Tensor) -> Tensor { print(a); a }; output h; } h }"
    assert found(text) == []


def test_P_8_variables_are_looked_through() -> None:
    before = 'let k = extern "f"; let l = k;'
    assert in_dataflow("l(x)", before) == [("impure-in-dataflow", "l(x)")]
    assert in_dataflow("l(x, pure=true)", before) == []


def test_P_6_T_K11_2_a_claim_is_checked_at_the_first_impure_call() -> None:
    text = "pure def @f(a: Tensor) -> Tensor { add(a, a); print(a); print(a); a }"
    assert found(text) == [("impure-body", "print(a)")]
    assert found("def @f(a: Tensor) -> Tensor { print(a); a }") == []
    local = "def @f(x: Tensor) -> Object { let g = pure\n fn (a: Tensor) -> Tensor { print(a); a }; g }"
    assert found(local) == [("impure-body", "print(a)")]
    assert found("pure def @f(a: Tensor) -> Tensor { add(a, a) }") == []


def test_P_7_T_K11_3_force_pure_overrides() -> None:
    assert found("force_pure def @f(a: Tensor) -> Tensor { print(a); a }") == []


def test_T_K11_2_impure_that_is_not_needed_is_a_hint() -> None:
    assert found("impure def @f(a: Tensor) -> Tensor { add(a, a) }") == [("impure-not-needed", "impure")]
    assert found("impure def @f(a: Tensor, o: impure fn(Tensor) -> Object) -> Object { o(a) }") == []


def test_P_5_through_a_circle_of_functions() -> None:
    text = (
        "def @a(x: Tensor) -> Tensor { @b(x) }\ndef @b(x: Tensor) -> Tensor { if true { @a(x) } else { @c(x) } }\n"
        "def @c(x: Tensor) -> Tensor { print(x); x }\npure def @d(x: Tensor) -> Tensor { @a(x) }"
    )
    assert found(text) == [("impure-body", "@a(x)")]


def test_P_4_the_fix_says_pure() -> None:
    text = 'def @f(x: Tensor) -> Tensor { dataflow { let y = extern "f"(x) -> Tensor; output y; } y }'
    (one,) = check_source(SourceFile(text)).diagnostics
    (edit,) = one.fixes[0].edits
    mended = text[: edit.pos] + edit.text + text[edit.end :]
    assert 'extern "f"(x, pure=true) -> Tensor' in mended
    assert found(mended) == []


def test_P_8_annotations_of_variables_inside_a_dataflow_block() -> None:
    make = "let k: impure fn(Tensor) -> Tensor = f; let y = k(x, pure=true); output y;"
    text = f"def @main(x: Tensor, f: fn(Tensor) -> Tensor) -> Object {{ dataflow {{ {make} }} y }}"
    assert found(text) == [("impure-in-dataflow", "k(x, pure=true)")]


def test_P_1_an_expression_or_a_binding_of_a_new_class_is_impure() -> None:
    class Assert(Node):
        """A statement that a contributor has just added to the grammar."""

        def __init__(self, pos: int) -> None:
            self.pos, self.end = pos, pos + 1

    bound = tree.VarBinding(tree.Var("_", None), Assert(5))
    blocks = tree.DataflowBlock((bound,), ()), tree.BindingBlock((Assert(9),), False)
    body = tree.SeqExpr(blocks, tree.Tuple(()))
    function = tree.Function(tree.GlobalVar("f"), False, "pure", (), None, (), body)
    purity = Purity(tree.IRModule((), (function,)), {"f": function}, {}, Origins())
    assert [(one.slug, one.pos, one.message) for one in purity.diagnostics()] == [
        ("impure-in-dataflow", 5, "this may have effects; a dataflow block must be pure"),
        ("impure-body", 5, "@f is declared pure but has an effect here"),
    ]
    assert {type(one) for one in purity.effects()} == {Assert}
