"""Names that are not operators: what they were meant to be, and never more than is known."""

from __future__ import annotations

from collections import Counter

import pytest

from relax_lang.base.names import misspelled
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.documentation import describe
from relax_lang.ops.foreign_names import NAMES
from relax_lang.ops.registry import all_operators, lookup, names
from relax_lang.ops.suggestions import FOREIGN, OURS, SPELLING, simplified, suggest

ALL = all_operators()
ALSO = [(operator, name) for operator in ALL for name in operator.also]
FRAMEWORKS = ("np", "torch", "jax", "onnx", "tvm")


@pytest.mark.parametrize(("operator", "name"), ALSO, ids=[f"{one}-{name}" for one, name in ALSO])
def test_every_declared_name_leads_to_its_operators(operator: Operator, name: str) -> None:
    assert name.partition(".")[0] in FRAMEWORKS
    found = suggest(name)
    assert found is not None
    assert found.reason == FOREIGN
    assert set(found.operators) == {one.name for one, other in ALSO if simplified(other) == simplified(name)}
    assert f"`{name}`" in " ".join(describe(operator).split())


def test_no_name_is_declared_twice_for_one_operator() -> None:
    assert [
        pair for pair, count in Counter((one.name, name) for one, name in ALSO).items() if count > 1
    ] == []


def test_the_generated_table_has_what_is_declared() -> None:
    rows = {f"{name} {row}" for name, listed in NAMES.items() for row in listed.split()}
    declared = {(*name.split("."), operator.name) for operator, name in ALSO}
    assert rows == {f"{simplified(last)} {framework}:{meant}" for framework, last, meant in declared}


@pytest.mark.parametrize("operator", ALL, ids=repr)
def test_an_operator_is_found_by_its_python_name_and_by_its_last_part(operator: Operator) -> None:
    found = suggest(f"R.{operator.name}")
    assert found is not None
    assert (found.operators, found.reason) == ([operator.name], OURS)
    last = operator.name.rpartition(".")[2]
    if lookup(last) is None and simplified(last) not in NAMES:
        found = suggest(last)
        assert found is not None
        assert operator.name in found.operators
        assert found.reason == FOREIGN


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("np.mod", ["floor_mod"]),  # `mod` is another operator
        ("jnp.mod", ["floor_mod"]),
        ("torch.mod", ["mod"]),
        ("torch.repeat", ["tile"]),
        ("np.repeat", ["repeat"]),
        ("torch.select", ["take"]),
        ("lax.select", ["where"]),
        ("select", ["take", "where"]),
        ("BitwiseNot", ["bitwise_not"]),
        ("onnx.MatMul", ["matmul"]),
        ("my_module.bmm", ["matmul"]),
    ],
)
def test_the_framework_decides(name: str, meant: list[str]) -> None:
    found = suggest(name)
    assert found is not None
    assert (found.operators, found.reason) == (meant, FOREIGN)


@pytest.mark.parametrize("name", ["", ".", "R.", "const", "R.const", "acs_", "frobnicate", "x" * 300])
def test_nothing_is_made_up(name: str) -> None:
    assert suggest(name) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("matmull", ["matmul"]),
        ("mamtul", ["matmul"]),
        ("nn.sofmax", ["nn.softmax"]),
        ("sotfmax", ["nn.softmax"]),
    ],
)
def test_slips_of_the_keyboard_are_asked_about(name: str, meant: list[str]) -> None:
    found = suggest(name)
    assert found is not None
    assert (found.operators, found.reason, found.only) == (meant, SPELLING, None)


def test_misspelled_counts_slips() -> None:
    assert misspelled("abcd", ["abcd", "abce"]) == ["abcd"]
    assert misspelled("abcd", ["abdc", "abc", "abcde", "xbcd", "ab"]) == ["abdc", "abc", "abcde", "xbcd"]
    assert misspelled("abcdef", ["badcef", "abcd", "abc", "fedcba"]) == ["badcef", "abcd"]
    assert misspelled("a", names()) == []
