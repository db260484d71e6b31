"""Calls: the number of arguments, attributes and their values, kinds of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.base.node import walk
from relax_lang.ops.core.attributes import (
    accepts,
    attribute_values,
    check_call,
    describe_type,
    move_scalars,
)
from relax_lang.ops.core.diagnostics.call_diagnostics import diagnose_call
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.core.signature import DTypeName, parse_attrs, parse_params, show_value, split_top
from relax_lang.ops.registry import all_operators, lookup
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure
from tests.ops.harness import called_name, check, f32, fails, i32, run, run_operator, shape


def operator(name: str) -> Operator:
    found = lookup(name)
    assert found is not None
    return found


def problems(name: str, n_args: int, **attrs: object) -> list[tuple[str, str]]:
    return [(problem.slug, problem.message) for problem in check_call(operator(name), n_args, attrs)]


def test_OP_2_arity() -> None:
    assert problems("add", 2) == []
    assert problems("add", 1) == [("arity", "add takes 2 arguments, 1 is given")]
    assert problems("add", 3) == [("arity", "add takes 2 arguments, 3 are given")]
    assert problems("exp", 0) == [("arity", "exp takes 1 argument, 0 are given")]
    assert problems("arange", 4) == [("arity", "arange takes 1 to 3 arguments, 4 are given")]
    assert problems("assert_op", 0) == [("arity", "assert_op takes at least 1 argument, 0 are given")]
    assert problems("print", 0) == []
    assert problems("print", 9) == []
    assert problems("null_value", 1) == [("arity", "null_value takes 0 arguments, 1 is given")]


def test_OP_2_help() -> None:
    (problem,) = check_call(operator("matmul"), 1, {})
    assert problem.help == "missing: `x2`"
    (problem,) = check_call(operator("sum"), 2, {})
    assert problem.help == "attributes are given by name, such as `axis=`"


@pytest.mark.parametrize(
    ("name", "attrs", "nearest", "value", "advice"),
    [
        ("flip", {"dims": [0]}, "axis", "0", ""),
        ("flip", {"dims": [0, 1]}, None, None, "the attribute is `axis` here: an integer"),
        ("sum", {"dim": [0, 1]}, "axis", None, ""),
        (
            "permute_dims",
            {"dims": 1},
            None,
            None,
            "the attribute is `axes` here: a list of integers or `null`",
        ),
    ],
)
def test_OP_4_an_attribute_of_another_name_and_kind(
    name: str, attrs: dict[str, object], nearest: str | None, value: str | None, advice: str
) -> None:
    (problem,) = [one for one in check_call(operator(name), 1, attrs) if one.attribute in attrs]
    assert (problem.nearest, problem.value, problem.help) == (nearest, value, advice)


def test_OP_4_unknown_attribute() -> None:
    assert problems("sum", 1, axes=1) == [("op-attribute", "sum: unknown attribute `axes`")]
    (problem,) = check_call(operator("sum"), 1, {"axes": 1})
    assert problem.nearest == "axis"
    (problem,) = check_call(operator("exp"), 1, {"frobnicate": 1})
    assert problem.help == "exp has no attributes"
    (problem,) = check_call(operator("sum"), 1, {"frobnicate": 1})
    assert problem.help == "it has `axis`, `keepdims`"
    (problem,) = check_call(operator("add"), 1, {"x2": 1})[1:]
    assert problem.help == "`x2` is argument 2: give it by position"


def test_OP_4_missing_attribute() -> None:
    assert problems("zeros", 1) == [("op-attribute", "zeros: missing attribute `dtype`")]


@pytest.mark.parametrize(
    ("name", "attrs", "expected"),
    [
        ("sum", {"axis": "x"}, "expected an integer, a list of integers or `null`, found `\"x\"`"),
        ("sum", {"axis": True}, "expected an integer, a list of integers or `null`, found `true`"),
        ("sum", {"axis": [1, 2.0]}, "expected an integer, a list of integers or `null`, found `[1, 2.0]`"),
        ("sum", {"keepdims": 1}, "expected `true` or `false`, found `1`"),
        ("one_hot", {"depth": 0}, "expected a positive integer, found `0`"),
        ("repeat", {"repeats": -1}, "expected an integer of at least 0, found `-1`"),
        ("astype", {"dtype": "float32"}, 'expected a dtype'),
        ("argsort", {"dtype": DTypeName("float32")}, "expected an integer dtype, found `float32`"),
        ("einsum", {"subscripts": DTypeName("int8")}, "expected a string, found `int8`"),
        ("nn.leakyrelu", {"alpha": "a"}, "expected a number, found `\"a\"`"),
    ],
)  # fmt: skip
def test_OP_4_wrong_value(name: str, attrs: dict[str, object], expected: str) -> None:
    (problem,) = check_call(operator(name), len(operator(name).params), attrs)
    assert problem.slug == "op-attribute"
    assert problem.attribute == next(iter(attrs))
    assert f"bad attribute `{problem.attribute}`: {expected}" in problem.message


def test_OP_4_words_are_checked() -> None:
    (problem,) = check_call(operator("take"), 2, {"mode": "edge"})
    assert problem.message == (
        'take: bad attribute `mode`: expected `"fast"`, `"wrap"`, `"clip"` or `"nan"`, found `"edge"`'
    )
    assert problem.help == ""


@pytest.mark.parametrize(("word", "meant"), [("topleft", "TopLeft"), ("BottomRigth", "BottomRight")])
def test_OP_4_close_words_are_asked_for(word: str, meant: str) -> None:
    (problem,) = check_call(operator("nn.attention"), 3, {"causal_mask": word})
    assert (problem.help, problem.value) == (f'did you mean `"{meant}"`?', None)


def test_quoted_dtype_gets_the_likely_fix() -> None:
    (problem,) = check_call(operator("zeros"), 1, {"dtype": "float32"})
    assert problem.help == "dtypes are written without quotes: `float32`"


def test_run_checks_attributes_too() -> None:
    assert fails("op-attribute", "sum", f32(1.0), axes=1).message == "sum: unknown attribute `axes`"
    fails("op-attribute", "zeros", shape(2))
    with pytest.raises(RunFailure, match="arity"):
        run_operator(operator("add"), [f32(1.0)])


def test_scalars_may_be_given_by_name() -> None:
    x = np.arange(9, dtype=np.int32).reshape(3, 3)
    check(run("tril", x, k=1), np.tril(x, 1))
    check(run("arange", 1, step=2, end=6), np.array([1, 3, 5]))
    (values, counts) = run("unique", i32(3, 1, 3), return_counts=True)
    check(values, i32(1, 3))
    check(counts, np.array([1, 2]))
    assert problems("tril", 1, k=1) == []
    assert problems("tril", 2, k=1) == [("op-attribute", "tril: unknown attribute `k`")]
    assert problems("tril", 1, k="1") == [
        ("op-attribute", 'tril: bad attribute `k`: expected a number, found `"1"`')
    ]
    assert move_scalars(operator("tril"), [x], {"k": 2}) == ([x, 2], {})


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("matmul", (f32(1.0), shape(1)), "argument 2 of matmul must be a tensor, not a shape"),
        ("exp", ((f32(1.0),),), "argument 1 of exp must be a tensor, not a tuple"),
        ("exp", (1.0,), "argument 1 of exp must be a tensor, not a fraction"),
        ("exp", (None,), "argument 1 of exp must be a tensor, not nothing"),
        ("concat", (f32(1.0),), "argument 1 of concat must be a tuple of tensors, not a tensor"),
        ("concat", ((f32(1.0), shape(1)),), "argument 1 of concat must be a tuple of tensors, not a tuple"),
        ("reshape", (f32(1.0), i32(1)), "argument 2 of reshape must be a shape, not a tensor"),
        ("arange", (f32(1.0),), "argument 1 of arange must be a scalar, not a tensor"),
        ("clip", (f32(1.0), "a", 1), "argument 2 of clip must be a scalar, not an object"),
        ("tril", (f32([1.0]), 1.5), "tril: `k` must be an integer, not a fraction"),
        ("tril", (f32(1.0), 1), "tril: `x` must have rank 2 or more, not 1"),
        ("outer", (f32(1.0), f32([1.0])), "outer: `x2` must have rank 1, not 2"),
        ("shape_of", (shape(2),), "argument 1 of shape_of must be a tensor, not a shape"),
    ],
)
def test_OP_3_kinds_of_arguments(name: str, args: tuple[Any, ...], message: str) -> None:
    assert fails("op-argument", name, *args).message == message


def test_OP_3_a_tuple_of_scalars_may_be_a_shape() -> None:
    x = np.arange(6, dtype=np.float32)
    check(run("strided_slice", x, shape(0), shape(1), (5,)), x[1:5])


@pytest.mark.parametrize("each", all_operators(), ids=repr)
def test_defaults_are_of_their_types(each: Operator) -> None:
    for spec in each.attrs:
        describe_type(spec.type)
        if not spec.required:
            assert accepts(spec.type, spec.default), spec


def test_signatures_are_read_as_they_are_shown() -> None:
    params = parse_params("x: tensor(2-d float), y: tensors(int)?, *rest: any")
    assert [repr(param) for param in params] == ["x: tensor(2-d float)", "y: tensors(int)?", "*rest: any"]
    specs = parse_attrs('a: int|list[int]|none = none, b: "x"|"y=z" = "y=z", c: dtype = int8, d: int>=0')
    assert [repr(spec) for spec in specs] == [
        "a: int|list[int]|null = null",
        'b: "x"|"y=z" = "y=z"',
        "c: dtype = int8",
        "d: int>=0",
    ]
    assert specs[3].required
    with pytest.raises(ValueError, match="unknown kind"):
        parse_params("x: tenser")
    assert split_top("", ",") == []
    assert show_value([1, None, True, 'a"b', 0.5]) == '[1, null, true, "a\\"b", 0.5]'


def diagnose(text: str) -> list[Any]:
    parsed = parse(f"def @main(x: Tensor) {{ {text} }}")
    assert not parsed.diagnostics
    calls = [node for node in walk(parsed.tree) if isinstance(node, tree.Call)]
    return diagnose_call(operator(called_name(calls[0])), calls[0])


def test_OP_4_diagnostics_have_places_and_fixes() -> None:
    (found,) = diagnose("sum(x, axes=1)")
    text = "def @main(x: Tensor) { sum(x, axes=1) }"
    assert (found.slug, text[found.pos : found.end]) == ("op-attribute", "axes=1")
    edit = found.fixes[0].edits[0]
    assert text[: edit.pos] + edit.text + text[edit.end :] == "def @main(x: Tensor) { sum(x, axis=1) }"
    assert found.notes == ["sum(x: tensor, axis: int|list[int]|null = null, keepdims: bool = false)"]


def test_OP_2_diagnostic_marks_the_call() -> None:
    (found,) = diagnose("matmul(x)")
    assert (found.slug, found.message) == ("arity", "matmul takes 2 arguments, 1 is given")
    assert found.end - found.pos == len("matmul(x)")
    assert diagnose("matmul(x, x, out_dtype=float32)") == []


def test_literals_become_values() -> None:
    parsed = parse('f(a=1, b=-1.5, c=true, d="s", e=null, f=float16, g=[1, 2])', start="expr")
    assert isinstance(parsed.tree, tree.Call)
    values = attribute_values(parsed.tree.attrs)
    assert values == {"a": 1, "b": -1.5, "c": True, "d": "s", "e": None, "f": "float16", "g": [1, 2]}
    assert isinstance(values["f"], DTypeName)
    assert not isinstance(values["d"], DTypeName)
