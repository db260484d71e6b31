"""Branches in TVMScript, and numbers among the arguments of packed functions: as TVM reads and prints them."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import script, statements, unbroken
from tests.tvmscript.same_program import difference

PARAMS = 'c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32")'
INFO = 'R.Tensor((2, 3), dtype="float32")'


def test_a_second_name_for_what_a_branch_binds_last_is_none() -> None:
    made = statements(
        f"""
        if c:
            y_then: {INFO} = R.add(x, x)
            y: {INFO} = y_then
        else:
            y_else: {INFO} = R.abs(x)
            y: R.Tensor(ndim=2) = y_else
        return y
        """,
        PARAMS,
    )
    assert "  y_then\n}" in made
    assert "let y: Tensor[ndim=2] = y_else;" in made


def test_a_branch_that_is_a_variable_from_outside_is_that_variable() -> None:
    made = statements(f"if c:\n    y: {INFO} = x\nelse:\n    y = R.abs(x)\nreturn y", PARAMS)
    assert made.startswith("let y = if c {\n  x\n} else {")


def test_a_variable_that_is_another_one_is_written_before_the_result_of_its_branch() -> None:
    body = f"if c:\n    a = R.abs(x)\n    b: {INFO} = a\n    y = b\nelse:\n    y = x\nreturn y"
    lines = "".join([f"    {line}\n" for line in body.splitlines()])
    text = script(f"@R.function\ndef main({PARAMS}):\n{lines}")
    exported = api.to_tvmscript(PythonFile(text, "branch.py")).text
    assert f"b: {INFO} = a y = b else: y = x" in unbroken(exported)


@pytest.mark.parametrize(
    "text", ["let y = if c { let a = x; a } else { abs(x) }; y", "if c { x } else { abs(x) }"]
)
def test_variables_of_branches_come_back(text: str) -> None:
    assert difference(f"def @main(c: Tensor[(), bool], x: Tensor[(2,), float32]) {{ {text} }}") == ""


@pytest.mark.parametrize(
    ("given", "read"), [("1", "1"), ("R.prim_value(n)", "n"), ("R.prim_value(n + 1)", "n + 1")]
)
@pytest.mark.parametrize("call", ["R.call_dps_packed", "R.call_tir"])
def test_numbers_after_the_tensors_of_a_packed_function_are_arguments(
    call: str, given: str, read: str
) -> None:
    text = f'n = T.int64()\ny = {call}("f", (x, {given}), out_ty=R.Tensor((4,), "float32"))\nreturn y'
    made = statements(text, 'x: R.Tensor(("n",), "float32")')
    assert f'call_dps_packed(extern "f", (x, prim_value({read})), pure=true)' in unbroken(made)


def test_what_the_variable_of_an_if_is_declared_to_be_is_checked_and_known_after_an_export() -> None:
    text = """
def @main(c: Tensor[(), bool], x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {
  let z: Tensor[(n,), float32] = if c { exp(x) } else { y };
  let u: Tensor[(n,), float32] = if c { exp(x) } else { x };
  let w: Tensor[ndim=1] = if c { x } else { x };
  w
}
"""
    exported = api.to_tvmscript(text).text
    assert 'z: R.Tensor((n,), dtype="float32") = z_1' in exported
    assert "u_1" not in exported  # both branches are what it is declared to be
    assert "w: R.Tensor(ndim=1) = w_1" in exported
    again = api.from_tvmscript(exported)
    x, y = np.ones(2, np.float32), np.ones(3, np.float32)
    for program in (text, again):
        assert np.asarray(api.run(program, np.True_, x, y)).shape == (2,)
        with pytest.raises(api.RelaxError, match="annotation-check-failed"):
            api.run(program, np.False_, x, y)
