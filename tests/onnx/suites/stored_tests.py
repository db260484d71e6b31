"""The models that the package `onnx` stores with inputs and outputs, in three suites."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, numpy_helper

from tests.onnx.suites.node_tests import OUT_OF_SCOPE, PASSED, Case, run

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data"
SUITES = ("simple", "pytorch-operator", "pytorch-converted")


class _Stored:
    """A stored test in the form of a node test; a value that is not a tensor is None."""

    rtol, atol = 1e-3, 1e-7

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.model = onnx.load(folder / "model.onnx")
        data = folder / "test_data_set_0"
        self.data_sets = [(_values(data, "input"), _values(data, "output"))]


def _values(folder: Path, kind: str) -> list[Any]:
    count = len(list(folder.glob(f"{kind}_*.pb")))
    return [_tensor((folder / f"{kind}_{at}.pb").read_bytes()) for at in range(count)]


def _tensor(data: bytes) -> Any:
    try:
        return numpy_helper.to_array(TensorProto.FromString(data))
    except Exception:  # a sequence, or strings: out of scope by their types
        return None


def stored(suite: str) -> list[Case]:
    """Return the tests of a suite."""
    return [Case(_Stored(folder)) for folder in sorted((FOLDER / suite).iterdir()) if folder.is_dir()]


def main(suite: str) -> None:
    """Run a suite: print what fails, one a line, and how many pass."""
    outcomes = [(case.name, run(case).result) for case in stored(suite)]
    for name, result in outcomes:
        if result not in (PASSED, OUT_OF_SCOPE):
            sys.stdout.write(f"{name} {' '.join(result.split())}\n")
    sys.stdout.write(f"{len([None for _, result in outcomes if result == PASSED])}\n")


if __name__ == "__main__":
    main(sys.argv[1])
