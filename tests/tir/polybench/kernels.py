"""The kernels of PolyBench/C 4.2 as PrimFuncs, with sizes and arguments that they make sense with."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from relax_lang.arith.evaluate import evaluate
from relax_lang.syntax import tree
from tests.tir.support import prim_funcs

FOLDER = Path(__file__).parent
FILES = ("blas", "solvers", "medley", "stencils")
KERNELS: dict[str, tree.PrimFunc] = {
    name: func
    for file in FILES
    for name, func in prim_funcs((FOLDER / f"{file}.rlx").read_text(encoding="utf-8")).items()
}

Sizes = dict[str, int]
SQUARE = "nmklhpqrsw"
"""The names of dimensions."""
SMALL: dict[str, Sizes] = {
    "heat_3d": {"n": 20, "steps": 20}, "jacobi_1d": {"n": 120, "steps": 40}, "jacobi_2d": {"n": 90, "steps": 40},
    "seidel_2d": {"n": 40, "steps": 10}, "adi": {"n": 60, "steps": 40}, "fdtd_2d": {"n": 60, "m": 80, "s": 40},
    "deriche": {"w": 192, "h": 128}, "doitgen": {"r": 25, "q": 20, "p": 30}, "nussinov": {"n": 60},
    "floyd_warshall": {"n": 60}, "durbin": {"n": 120}, "trisolv": {"n": 120},
}  # fmt: skip
"""About the sizes that PolyBench calls small; 80 where nothing else is said."""
LARGE: dict[str, Sizes] = {
    "heat_3d": {"n": 120, "steps": 20}, "jacobi_1d": {"n": 200_000, "steps": 40},
    "jacobi_2d": {"n": 1300, "steps": 10}, "seidel_2d": {"n": 250, "steps": 10}, "adi": {"n": 150, "steps": 10},
    "fdtd_2d": {"n": 1000, "m": 1200, "s": 10}, "deriche": {"w": 2000, "h": 1000},
    "doitgen": {"r": 150, "q": 140, "p": 160}, "nussinov": {"n": 180}, "floyd_warshall": {"n": 120},
    "durbin": {"n": 2000}, "trisolv": {"n": 2000}, "gemver": {"n": 2000}, "gesummv": {"n": 1300},
    "atax": {"n": 1900, "m": 2100}, "bicg": {"n": 2100, "m": 1900}, "mvt": {"n": 2000},
}  # fmt: skip
"""Sizes that do not fit into the caches, or that take a second or so; 400 where nothing else is said."""


def sizes_of(name: str, table: dict[str, Sizes], usual: int) -> Sizes:
    """Return the sizes of a kernel."""
    return {**dict.fromkeys(SQUARE, usual), "steps": 3, **table.get(name, {})}


def arguments(func: tree.PrimFunc, sizes: Sizes, seed: int = 0) -> list[object]:
    """Make all arguments in order; matrices that are factored can be."""
    numbers = np.random.default_rng(seed)
    made: list[object] = []
    for param in func.params:
        if isinstance(param, tree.Buffer):
            shape = tuple([int(evaluate(dim, sizes)) for dim in param.shape])
            made.append(_array(func.name.name_hint, param, shape, numbers))
        else:
            made.append(sizes["steps"] if param.name == "steps" else {"alpha": 0.25, "beta": 1.2}[param.name])
    return made


def _array(
    kernel: str, buffer: tree.Buffer, shape: tuple[int, ...], numbers: np.random.Generator
) -> np.ndarray:
    if buffer.dtype.name == "int32":
        high = 4 if kernel == "nussinov" else 1000
        return numbers.integers(0, high, shape, dtype=np.int32)
    array = numbers.random(shape)
    if kernel in ("cholesky", "lu", "ludcmp") and len(shape) == 2:
        return array @ array.T + shape[0] * np.eye(shape[0])
    if kernel == "trisolv" and len(shape) == 2:
        return array + shape[0] * np.eye(shape[0])
    if kernel == "durbin":
        return array / (4 * len(array) + 1)
    if kernel == "gramschmidt":
        return array + np.eye(*shape)
    return array


__all__ = ["KERNELS", "LARGE", "SMALL", "arguments", "sizes_of"]
