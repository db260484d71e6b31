"""FuseOpsByPattern: what a match must be, and what becomes of it."""

from __future__ import annotations

import pytest

from relax_lang import api, transform
from relax_lang.rewrite.dpl import is_op, wildcard
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.errors import PassRefused
from tests.transform.core.changes import after
from tests.transform.same_meaning.outcomes import compare

DENSE = 'FuseOpsByPattern(my.dense="nn.relu(matmul(x, w) + b)")'
HEAD = "def @main(x: Tensor[(n, 8), float32], w: Tensor[(8, 8), float32], b: Tensor[(8,), float32])"


def flow(passes: str, statements: str, value: str = "o") -> str:
    return after(passes, f"{HEAD} {{ dataflow {{ {statements} output {value}; }} {value} }}")


def test_a_match_becomes_a_function_with_the_name_of_the_pattern() -> None:
    text = flow(DENSE, "let o = nn.relu(matmul(x, w) + b);")
    assert 'Composite: "my.dense"' in text
    assert "let o = @fused_matmul_add_nn_relu(x, w, b);" in text


def test_commutative_operands_match_in_both_orders() -> None:
    assert "@fused" in flow(DENSE, "let o = nn.relu(b + matmul(x, w));")


def test_what_is_used_elsewhere_is_no_match() -> None:
    assert "@fused" not in flow(DENSE, "let a = matmul(x, w); let c = nn.relu(a + b); let o = c - a;")
    both = f"{HEAD} {{ dataflow {{ let a = matmul(x, w) + b; let o = nn.relu(a); output a, o; }} (a, o) }}"
    assert "@fused" not in after(DENSE, both)
    assert "@fused" not in after(DENSE, f"{HEAD} {{ nn.relu(matmul(x, w) + b) }}")  # no dataflow block


def test_the_first_pattern_wins_and_nothing_is_in_two() -> None:
    passes = 'FuseOpsByPattern(big="nn.relu(matmul(x, w))", small="matmul(x, w)")'
    text = flow(passes, "let a = nn.relu(matmul(x, w)); let o = matmul(a, w);")
    assert text.count('Composite: "big"') == 1
    assert text.count('Composite: "small"') == 1
    other = flow(
        'FuseOpsByPattern(small="matmul(x, w)", big="nn.relu(matmul(x, w))")',
        "let o = nn.relu(matmul(x, w));",
    )
    assert 'Composite: "small"' in other
    assert 'Composite: "big"' not in other


def test_constants_are_passed_or_bound() -> None:
    statements = (
        "let k = const([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], float32); let o = nn.relu(x * k + 2.0);"
    )
    pattern = 'm="nn.relu(x * k + c)"'
    passed = flow(f"FuseOpsByPattern({pattern})", statements)
    assert "(x, k, 2.0)" in passed
    bound = flow(f"FuseOpsByPattern({pattern}, bind_constants=true)", statements)
    assert "@fused_multiply_add_nn_relu(x)" in bound


def test_attributes_count() -> None:
    passes = 'FuseOpsByPattern(rows="nn.softmax(x, axis=-1)")'
    assert "@fused" in flow(passes, "let o = nn.softmax(x, axis=-1);")
    assert "@fused" not in flow(passes, "let o = nn.softmax(x, axis=0);")


def test_patterns_and_checks_from_python() -> None:
    x = wildcard()
    pattern = is_op("nn.relu")(is_op("exp")(x))
    wanted: list[tree.Expr] = []

    def check(whole: tree.Expr, found: object) -> bool:
        wanted.append(whole)
        return len(wanted) > 1

    text = f"{HEAD} {{ dataflow {{ let a = nn.relu(exp(x)); let o = nn.relu(exp(a)); output o; }} o }}"
    with transform.PassContext(instruments=[transform.Verify(), transform.Compare(seed=1)]):
        made = str(transform.FuseOpsByPattern(**{"my.exp": (pattern, check)})(api.typed(text)))
    assert len(wanted) == 2
    assert made.count("@fused_exp_nn_relu(") == 2  # one call, one function


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ('p="nn.relu("', "cannot read the pattern of `p`"),
        ('p="relux(x)"', "the pattern of `p`: "),
        ('p="if x { y } else { z }"', "the pattern of `p` cannot have an `if`"),
        ("p=3", "`p` must be a pattern"),
    ],
)
def test_a_wrong_pattern_is_a_diagnostic(pattern: str, message: str) -> None:
    with pytest.raises(PassRefused, match="FuseOpsByPattern: ") as caught:
        flow(f"FuseOpsByPattern({pattern})", "let o = nn.relu(x);")
    assert message in caught.value.diagnostic.message


def test_X_O1_random_programs() -> None:
    fuse = (
        'FuseOpsByPattern(chain="add(multiply(x, y), z)", unary="abs(negative(x))", twice="multiply(x, y) - z",'
        ' pair="maximum(x, reshape(y, s))", sum="add(x, y)", bind_constants=true)'
    )
    before = ("ConvertToDataflow(min_size=1)",)
    with transform.PassContext(instruments=[transform.Verify()]):
        changed = [compare(seed, (fuse,), before=before, defines_more=True) for seed in range(25_000, 25_050)]
    assert sum(changed) > 10
