"""The node tests of the package `onnx`: each is a model of one node with inputs and what it must give.

An input whose value must be known when a model is imported (axes, k, sizes) is given as a constant: the refusal names
it. Everything else stays an input of the program.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from relax_lang import RelaxError, from_onnx
from relax_lang.onnx.reading.tensors import DTYPES

OUT_OF_SCOPE = "out of scope"
PASSED = "passed"


class Case:
    """One test: its name, the operator it is about, the model, and inputs with the outputs that they must give."""

    def __init__(self, case: Any) -> None:
        self.name: str = case.name
        self.model = case.model
        self.inputs, self.outputs = [[_array(one) for one in values] for values in case.data_sets[0]]
        self.rtol, self.atol = case.rtol, case.atol
        nodes = case.model.graph.node
        self.op: str = nodes[0].op_type if len(nodes) == 1 else ""

    @property
    def in_scope(self) -> bool:
        """Whether Relax has the types of all inputs and outputs."""
        graph = self.model.graph
        for port in [*graph.input, *graph.output]:
            tensor = port.type.WhichOneof("value") == "tensor_type"
            if not tensor or port.type.tensor_type.elem_type not in DTYPES:
                return False
        return all(one.domain in ("", "ai.onnx") for one in self.model.opset_import)


class Outcome:
    """What became of a test: passed, out of scope, or the reason why not; and how many inputs were constants."""

    def __init__(self, result: str, constants: int = 0) -> None:
        self.result = result
        self.constants = constants


def collect() -> list[Case]:
    """Return all node tests of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        return [Case(one) for one in collect_testcases(None)]


def run(case: Case, *, engine_checks: bool = True) -> Outcome:
    """Import the model of a test, check its text, run it and compare."""
    if not case.in_scope:
        return Outcome(OUT_OF_SCOPE)
    names = [port.name for port in case.model.graph.input]
    constants: dict[str, Any] = {}
    while True:
        try:
            module = from_onnx(case.model, constants=constants)
            break
        except RelaxError as error:
            needed: list[str] = [name for one in error.diagnostics for name in one.data.get("inputs", ())]
            new = [name for name in needed if name in names and name not in constants]
            if not new:
                return Outcome("; ".join([one.message for one in error.diagnostics]), len(constants))
            for name in new:
                constants[name] = case.inputs[names.index(name)]
    if engine_checks and module.warnings:
        return Outcome(f"finding: {module.warnings[0].message}", len(constants))
    arguments = [value for name, value in zip(names, case.inputs, strict=False) if name not in constants]
    try:
        result = module.main(*arguments)
    except RelaxError as error:
        return Outcome(f"run: {error}", len(constants))
    results = result if isinstance(result, tuple) else (result,)
    found = [_difference(case, a, b) for a, b in zip(results, case.outputs, strict=True)]
    return Outcome(next((one for one in found if one), PASSED), len(constants))


RANDOM = ("Bernoulli", "RandomUniformLike", "RandomNormalLike")
DROPPING = (
    "test_training_dropout",
    "test_training_dropout_mask",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
)
"""Operators whose results are compared by shape and dtype, as the suite's own runners do; and tests that drop."""


def _difference(case: Case, result: Any, expected: Any) -> str:
    if result.dtype != expected.dtype:
        return f"dtype {result.dtype}, not {expected.dtype}"
    if result.shape != expected.shape:
        return f"shape {result.shape}, not {expected.shape}"
    if case.name in DROPPING or any(node.op_type in RANDOM for node in case.model.graph.node):
        return ""
    left, right = [
        one.astype(np.float64) if one.dtype.name in ("bfloat16", "float16") else one
        for one in (result, expected)
    ]
    try:
        np.testing.assert_allclose(left, right, rtol=case.rtol, atol=case.atol)
    except AssertionError as error:
        return "values: " + " ".join(str(error).split())[:120]
    return ""


def _array(value: Any) -> Any:
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value) if value.data_type in DTYPES else None
    return np.asarray(value) if isinstance(value, np.ndarray | np.generic) else None


def main() -> None:
    """Run all node tests and print their outcomes as JSON."""
    import json
    import sys

    rows = []
    for case in collect():
        outcome = run(case)
        rows.append(
            {"name": case.name, "op": case.op, "result": outcome.result, "constants": outcome.constants}
        )
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
