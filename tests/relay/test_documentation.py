"""`relax ops --relay`. [R.33]"""

from __future__ import annotations

import pytest

from relax_lang.relay.operators.registry import OPERATORS
from tests.docs.tools import relax


def test_R_33_operators_are_listed(capsys):
    code, out, _ = relax("relax ops --relay", capsys)
    assert code == 0
    assert 'nn.dense(data, weight, units=…, out_dtype="")' in out
    assert len(out.strip().splitlines()) == len(OPERATORS) + 2


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_R_33_an_operator_is_described(name):
    from relax_lang.relay.operators.documentation import describe

    described = describe(name)
    assert described is not None
    assert described.startswith(f"{name}(")
    assert all(field.name in described for field in OPERATORS[name].fields)


def test_R_33_unknown_operators_are_a_mistake(capsys):
    code, out, err = relax("relax ops --relay nn.dens", capsys)
    assert code == 2
    assert "did you mean `nn.dense`?" in out + err
