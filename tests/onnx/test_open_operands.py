"""Extents that a model leaves open: the checker would hint at the first place that compares them, which is silenced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from relax_lang import from_onnx
from relax_lang.api import format_text
from tests.onnx.models import BOOL, FLOAT, INT64, graph, node

ROOT = Path(__file__).parents[2]
SILENT = "# relax: ignore[operands-may-differ]"

LOADED = """
import sys
import onnx
from relax_lang.files.models import import_file

found = import_file(sys.argv[1])
assert "relax: ignore" in found.text
print(*[name for name in sys.modules if name.startswith("relax_lang.check.infer")])
"""


def imported(nodes, *, inputs=(("x", ["n", 3]), ("y", ["m", 3])), outputs=("z",), ints=()):
    """Import a model, whose text must be formatted and without a finding; return its module and its lines."""
    ports = [*[(name, FLOAT, dims) for name, dims in inputs], *[(name, INT64, dims) for name, dims in ints]]
    module = from_onnx(graph(nodes, ports, [(name, FLOAT) for name in outputs]))
    assert module.warnings == []
    assert format_text(module.source.text) == module.source.text
    return module, [line.strip() for line in module.source.text.splitlines()]


def test_only_the_first_place_that_compares_two_extents_is_silenced():
    """A reshape compares numbers of elements, so that the second one is known to fit."""
    nodes = [
        node("Relu", "x", "r"), node("Shape", "y", "s"), node("Reshape", "x s", "p"), node("Reshape", "r s", "q"),
        node("Add", "p q", "z"),
    ]  # fmt: skip
    module, lines = imported(nodes)
    assert lines.count(SILENT) == 1
    assert lines[lines.index(SILENT) + 1].startswith("let p = reshape(")
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(module.main(x, x), x + np.maximum(x, 0))


def test_operands_of_which_one_may_have_the_extent_1_are_silenced_each_time():
    """That a sum went well says nothing of the extents: one of them may have been 1."""
    _, lines = imported([node("Add", "x y", "p"), node("Mul", "x y", "q"), node("Add", "p q", "z")])
    places = [at for at, line in enumerate(lines) if line == SILENT]
    assert [lines[at + 1].split(" = ")[1][:3] for at in places] == ["add", "mul", "add"]


def test_what_a_match_cast_compared_is_not_silenced():
    nodes = [node("MatMul", "x y", "p"), node("Shape", "y", "s"), node("Slice", "s zero one", "k"),
             node("Reshape", "x k", "z")]  # fmt: skip
    weights = {"zero": np.array([0]), "one": np.array([1])}
    ports = [("x", FLOAT, ["n"]), ("y", FLOAT, ["m"])]
    module = from_onnx(graph(nodes, ports, [("p", FLOAT), ("z", FLOAT)], weights))
    assert module.warnings == []
    assert "match_cast(" in module.source.text
    assert SILENT not in module.source.text


def test_what_a_branch_compared_is_not_known_behind_it_nor_in_the_other():
    def branch(name):
        nodes = [node("Shape", "y", f"{name}_s"), node("Reshape", f"x {name}_s", name)]
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(name, FLOAT, None)])

    nodes = [helper.make_node("If", ["c"], ["p"], then_branch=branch("a"), else_branch=branch("b")),
             node("Shape", "y", "s"), node("Reshape", "x s", "q"), node("Add", "p q", "z")]  # fmt: skip
    ports = [("c", BOOL, []), ("x", FLOAT, ["n", 3]), ("y", FLOAT, ["m", 3])]
    module = from_onnx(graph(nodes, ports, [("z", FLOAT)]))
    assert module.warnings == []
    assert module.source.text.count(SILENT) == 3


def test_extents_that_fit_empty_tensors_only_are_silenced_as_such():
    nodes = [node("Constant", "", "s", value_ints=[0, 4]), node("Reshape", "x s", "z")]
    _, lines = imported(nodes, inputs=[("x", ["n", 8])])
    assert lines.count("# relax: ignore[operands-fit-empty-only]") == 1


@pytest.mark.parametrize("long", ["", "a_name_" * 9])
def test_a_comparison_whose_result_has_an_extent_of_its_own_is_a_statement(long):
    nodes = [
        node("NonZero", "x", "p"), node("NonZero", "y", "q"), node("Cast", "p", f"{long}p2", to=FLOAT),
        node("Cast", "q", f"{long}q2", to=FLOAT), node("Add", f"{long}p2 {long}q2", f"{long}z"),
    ]  # fmt: skip
    _, lines = imported(nodes, inputs=[("x", [4]), ("y", [4])], outputs=[f"{long}z"])
    assert lines.count(SILENT) == 1
    assert " = add(" in lines[lines.index(SILENT) + 1]


def test_the_checker_is_not_loaded_for_an_import(tmp_path):
    """Its modules, and what it makes of a large model, would be a fifth of the weights."""
    import onnx

    onnx.save(graph([node("Add", "x y", "z")], [("x", FLOAT, ["n"]), ("y", FLOAT, ["m"])], [("z", FLOAT)]),
              tmp_path / "open.onnx")  # fmt: skip
    command = [sys.executable, "-c", LOADED, str(tmp_path / "open.onnx")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
