"""All PrimFuncs of `corpus/` with their rows, and their compiled forms."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from relax_lang.tir.compile import Compiled, compile_prim_func
from tests.tir.cases import Case, at_fixed_sizes
from tests.tir.support import prim_funcs

FOLDER = Path(__file__).parent / "corpus"
CLASSES = sorted([path.stem for path in FOLDER.glob("*.rlx")])
FUNCS = {name: prim_funcs((FOLDER / f"{name}.rlx").read_text(encoding="utf-8")) for name in CLASSES}
CASES: dict[str, dict[str, Case]] = {
    name: import_module(f"tests.tir.corpus.{name}").CASES for name in CLASSES
}
ALL = [(kind, name) for kind in CLASSES for name in FUNCS[kind] if name in CASES[kind]]
IDS = [name for _, name in ALL]


@cache
def compiled(kind: str, name: str) -> Compiled:
    """Compile a PrimFunc of the corpus once."""
    return compile_prim_func(FUNCS[kind][name])


@cache
def fixed(kind: str, name: str) -> Compiled:
    """Compile a PrimFunc of the corpus once, with the first of its sizes as numbers."""
    return compile_prim_func(at_fixed_sizes(FUNCS[kind][name], CASES[kind][name].sizes[0]))
