"""Plugins that are wrong: what is missing in a declaration, kernels that do not work, files that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.ops import registry
from tests.files.plugin_projects import GOOD, HEAD, found, project

pytestmark = pytest.mark.usefixtures("only_our_operators")

# how it is declared (after the name), what is said about it
INCOMPLETE = [
    (
        '"x: tensor, *more: tensor", planned=True, infer=like, example="my.op(1)"',
        (
            "bad-operator: operator `my.op`: a planned kernel cannot take `*more`: it takes a fixed number of tensors, "
            "shapes and scalars"
        ),
    ),
    (
        '"x: tensor", example="my.op(1)"',
        "bad-operator: operator `my.op`: it has no struct info rule (`infer=`)",
    ),
    ('"x: tensor", infer=like', "bad-operator: operator `my.op`: it has no example (`example=`)"),
    (
        '"x: tensr", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: its signature cannot be read: unknown kind of parameter: x: tensr",
    ),
    (
        '"x: tensor(flt)", infer=like, example="my.op(1)"',
        (
            "bad-operator: operator `my.op`: `flt` is not a class of dtypes; there are `float`, `int`, `integer`, "
            "`number`, `bits`, `bool`, `int64`, `index`"
        ),
    ),
    (
        '"x: tensor?, y: tensor", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: `y` cannot be left out, though the parameter before it can",
    ),
    (
        '"*x: tensor, y: tensor", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: `*x` is not its last parameter",
    ),
    (
        '"x: tensor, x: tensor", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: its signature names `x` twice",
    ),
    (
        '"x: tensor", "a b: int", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: its signature cannot be read: `a b` is not a name",
    ),
    (
        '"x: tensor", "a: integer = 1", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: `integer`, of the attribute `a`, is not a type",
    ),
    (
        '"x: tensor", "a: list[int>0] = [0]", infer=like, example="my.op(1)"',
        "bad-operator: operator `my.op`: the default of `a` is not what its type takes, `list[int>0]`",
    ),
    (
        '"x: tensor", infer=like, example="my.op(1)", aliases=("y",)',
        "bad-operator: operator `my.op`: `aliases` names `y`, which is not a parameter",
    ),
    (
        '"x: tensor, y: tensor", infer=like, example="my.op(1, 2)"',
        (
            "bad-operator: operator `my.op`: its kernel does not take these parameters and attributes: "
            "too many positional arguments"
        ),
    ),
    (
        '"x: tensor", infer=like, example="my.op(const([1])"',
        "bad-example: operator `my.op`: its example is wrong: this `(` is never closed",
    ),
    (
        '"x: tensor", infer=like, example="my.op()"',
        "bad-example: operator `my.op`: its example is wrong: my.op takes 1 argument, 0 are given",
    ),
    (
        '"x: tensor", infer=like, example="add(1, 2)"',
        "bad-example: operator `my.op`: its example does not call `my.op`",
    ),
    (
        '"x: tensor", infer=lambda call: 1 // 0, example="my.op(1)"',
        (
            "bad-example: operator `my.op`: its example is wrong: my.op: its struct info rule failed: "
            "ZeroDivisionError: integer division or modulo by zero"
        ),
    ),
    (
        '"x: tensor", infer=lambda call: None, example="my.op(1)"',
        (
            "bad-example: operator `my.op`: its example is wrong: my.op: its struct info rule failed: "
            "it returned a Python `NoneType`, which is not a struct info"
        ),
    ),
    (
        '"x: tensor", infer=lambda call: call.tensor_of((), "int64"), example="my.op(1)"',
        (
            "bad-example: operator `my.op`: its example is not what its rule says, `Tensor[(), int64]`: "
            "dtype: expected int64, found int32"
        ),
    ),
]


@pytest.mark.parametrize(("declared", "message"), INCOMPLETE)
def test_O_11_what_is_not_complete_is_not_known(tmp_path: Path, declared: str, message: str) -> None:
    config = project(tmp_path, f'{HEAD}register_op("my.op", {declared})(kernel)\n')
    assert found(config) == [message]
    assert config.diagnostics[0].notes == ["declared in `my_ops.py`, line 7"]
    assert registry.lookup("my.op") is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("add", "there is an operator of this name already"),
        ("my.same", "there is an operator of this name already"),
        ("let", "this cannot be the name of an operator; write one such as `my.scale`"),
        ("my.if", "this cannot be the name of an operator; write one such as `my.scale`"),
        ("1x", "this cannot be the name of an operator; write one such as `my.scale`"),
    ],
)
def test_O_11_names(tmp_path: Path, name: str, why: str) -> None:
    more = f'register_op("{name}", "x: tensor", infer=like, example="{name}(1)")(kernel)\n'
    assert found(project(tmp_path, GOOD + more)) == [f"bad-operator: operator `{name}`: {why}"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return [1]", "its kernel returned a Python `list`, which is not a value of a program"),
        (
            'return x.astype("complex64")',
            "its kernel returned an array of complex64, which is not a value of a program",
        ),
        ('raise KeyError("a")', "KeyError: 'a'"),
    ],
)
def test_OP_9_kernels_that_do_not_work(tmp_path: Path, body: str, why: str) -> None:
    text = (
        HEAD
        + f'@register_op("my.op", "x: tensor", infer=like, example="my.op(1)")\ndef op(x):\n    "It."\n    {body}\n'
    )
    assert found(project(tmp_path, text)) == [
        f"bad-example: operator `my.op`: its example fails: my.op: {why}"
    ]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "return x.size",
            "its kernel returned a Python `int`; a planned one returns the function that does the work",
        ),
        ("return lambda x: [1]", "its kernel returned a Python `list`, which is not a value of a program"),
        ("return x[0]", "TypeError: 'TensorSpec' object is not subscriptable"),
        ("return lambda: x", "TypeError: "),
    ],
)
def test_OP_9_planned_kernels_that_do_not_work(tmp_path: Path, body: str, why: str) -> None:
    declared = '@register_op("my.op", "x: tensor", planned=True, infer=like, example="my.op(1)")'
    [message] = found(project(tmp_path, f'{HEAD}{declared}\ndef op(x):\n    "It."\n    {body}\n'))
    assert message.startswith(f"bad-example: operator `my.op`: its example fails: my.op: {why}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it declares no operator with `register_op`, and no pass with `register_pass`"),
        ("raise ValueError('no\\nluck')", "ValueError: no luck"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("def", "SyntaxError: invalid syntax (my_ops.py, line 1)"),
    ],
)
def test_a_file_that_cannot_be_run(tmp_path: Path, text: str, why: str) -> None:
    assert found(project(tmp_path, text)) == [f"plugin-failed: cannot run the plugin `my_ops.py`: {why}"]


def test_what_was_declared_before_an_exception_stays(tmp_path: Path) -> None:
    config = project(tmp_path, GOOD + "1 // 0\n")
    assert [one.slug for one in config.diagnostics] == ["plugin-failed"]
    assert registry.lookup("my.same") is not None


def test_settings_that_name_no_plugin(tmp_path: Path) -> None:
    config = project(tmp_path, GOOD, 'plugins = ["none.py"]\n')
    assert [one.message for one in config.diagnostics] == [
        "cannot run the plugin `none.py`: there is no such file"
    ]
    config = project(tmp_path, GOOD, 'plugins = "my_ops.py"\n')
    assert [one.message for one in config.diagnostics] == ["`plugins` is a list of strings"]
    assert config.plugins == []
