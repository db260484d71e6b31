"""Files of rules: what replacements bring along, what they may have, and rules that do not end."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, loads
from relax_lang.rewrite.rules import read_rules
from relax_lang.syntax import tree
from relax_lang.transform.apply_rules import rules_pass
from relax_lang.transform.core.rebuild import Rewriting
from relax_lang.transform.pass_manager.instruments import Verify

PROGRAM = """def @main(x: Tensor[(n, 4), float32]) {
  dataflow { let a = exp(x); let b = exp(a); output b; }
  b
}
"""
DOUBLE = """
private prim_func @double(x: Buffer[(a, b), float32], y: Buffer[(a, b), float32]) {
  for i, j in grid(a, b) { y[i, j] = x[i, j] * 2.0; }
}
"""
HEAD = "def @pattern(x: Tensor[(a, b), float32]) { exp(x) }\ndef @replacement(x: Tensor[(a, b), float32])"
X = np.ones((2, 4), np.float32)


def after(rules: str, program: str = PROGRAM) -> str:
    """Return the text of a program after rules, which are checked."""
    made, wrong = rules_pass(api.typed(rules))
    assert made is not None, [one.message for one in wrong]
    return str(api.optimize(program, made, instruments=[Verify()]))


def mistakes(rules: str) -> list[str]:
    """Return what is wrong with a file of rules, with advice."""
    return [f"{one.message}; {one.help}" for one in read_rules(api.typed(rules))[1]]


def test_what_is_used_twice_is_computed_once() -> None:
    made = after(f"{HEAD} {{ let t = tanh(x); let u = add(t, t); add(u, u) }}")
    assert made.count("tanh(") == 2
    assert made.count("add(") == 4
    np.testing.assert_allclose(loads(made).main(X), 4 * np.tanh(4 * np.tanh(X)), rtol=1e-5)


def test_prim_funcs_come_along_once() -> None:
    made = after(f"{HEAD} {{ call_tir(@double, (x,)) -> Tensor[(a, b), float32] }}{DOUBLE}")
    assert made.count("prim_func") == 1
    np.testing.assert_array_equal(loads(made).main(X), 4 * X)


def test_prim_funcs_get_names_that_are_free() -> None:
    other = 'prim_func @double(y: Buffer[(4,), float32]) attrs {kind: "other"} { y[0] = 1.0; }\n'
    made = after(f"{HEAD} {{ call_tir(@double, (x,)) -> Tensor[(a, b), float32] }}{DOUBLE}", PROGRAM + other)
    assert "call_tir(@double_1, " in made
    np.testing.assert_array_equal(loads(made).main(X), 4 * X)


def test_private_functions_come_along_with_what_they_call() -> None:
    helper = """
private def @choose(x: Tensor[(a, b), float32]) -> Tensor[(a, b), float32] {
  let r = if true { call_tir(@double, (x,)) -> Tensor[(a, b), float32] } else { x };
  r
}
"""
    rules = f"{HEAD} {{ @choose(x) }}{helper}{DOUBLE}"
    made = after(rules)
    np.testing.assert_array_equal(loads(made).main(X), 4 * X)
    assert after(rules, made) == made
    assert after(rules, "def @main(x: Tensor[(n, 4), float32]) { tanh(x) }").count("@") == 1


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (
            "{ let y = match_cast(x, Tensor[(a, b), float32]); tanh(y) }",
            "a replacement cannot have a match_cast",
        ),
        ("{ let r = if true { tanh(x) } else { x }; r }", "cannot have an `if`; a private function"),
        ("{ let f = fn (y: Tensor[(a, b), float32]) { tanh(y) }; f(x) }", "cannot have a local function"),
        ('{ print(x, format="{}"); tanh(x) }', "@replacement has effects, which its pattern does not have"),
        (
            "{ call_tir(@double, (x,)) -> Tensor[(a, b), float32] }" + DOUBLE.replace("private ", ""),
            "a replacement calls @double, which is not private",
        ),
        (
            f"{{ @pattern_b(x) }} {HEAD} {{ sin(x) }}".replace("pattern(", "pattern_b(").replace(
                "replacement(", "replacement_b("
            ),
            "@pattern_b is a rule, which a replacement cannot call",
        ),
        ("{ tanh(x) }\nprivate def @other(x: Tensor) { x }", "@other is not a rule"),
    ],
)
def test_what_a_replacement_cannot_have(rest: str, words: str) -> None:
    [found] = mistakes(f"{HEAD} {rest}")
    assert words in found


def test_a_replacement_has_no_constant_in_a_file() -> None:
    """Its path would be looked up beside the program."""
    rules = api.typed(f"{HEAD} {{ add(x, const(2.0, float32)) }}")
    in_file = tree.Constant(tree.FileLit("w.npz", "w"), None)
    module = Rewriting(lambda node: in_file if isinstance(node, tree.Constant) else node).of(rules.module)
    [found] = read_rules(rules.with_module(module).with_arrays({("w.npz", "w"): np.array(2, np.float32)}))[1]
    assert (found.message, found.help) == ("a replacement cannot have a constant in a file", "write it out")


def test_a_pattern_that_is_everything() -> None:
    [found] = mistakes(HEAD.replace("exp(x)", "x") + " { exp(x) }")
    assert "everything is `x`: a pattern has a call or a tuple" in found


def test_a_rule_that_finds_itself_again_is_named_at_its_place() -> None:
    rules = HEAD.replace("pattern", "pattern_a").replace("replacement", "replacement_a") + " { exp(exp(x)) }"
    made, _ = rules_pass(api.typed(rules))
    assert made is not None
    with pytest.raises(api.RelaxError) as caught:
        api.optimize(PROGRAM, made)
    [found] = caught.value.diagnostics
    assert found.slug == "rewrite-does-not-end"
    assert found.message.startswith("@pattern_a is still found in @main after ")
    assert found.help == "is @pattern_a part of what @replacement_a computes?"
    assert caught.value.source.text[found.pos :].startswith("def @replacement_a")
