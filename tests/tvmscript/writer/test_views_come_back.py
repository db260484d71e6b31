"""What is read of the export of a random PrimFunc with views is its normal form."""

from __future__ import annotations

import os
from math import prod

import pytest

from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.tir.random_programs.programs import Program
from tests.tvmscript.same_program import difference


def with_views(text: str) -> str | None:
    """Return a PrimFunc that also stores through views of one of its buffers; None if there is none that fits."""
    (func,) = [one for one in parse(text).tree.items if isinstance(one, tree.PrimFunc)]
    for buffer in func.params:
        if not isinstance(buffer, tree.Buffer) or not func.body or not buffer.shape:
            continue
        ahead = [one.value for one in buffer.shape[:-1] if isinstance(one, tree.IntImm)]
        last = buffer.shape[-1]
        if (
            len(ahead) < len(buffer.shape) - 1
            or 0 in ahead
            or not isinstance(last, tree.IntImm | tree.PrimVar)
        ):
            continue
        dtype, name = buffer.dtype.name, buffer.name
        size = last.name if isinstance(last, tree.PrimVar) else str(last.value)
        views = (
            f"block of_views attrs {{ kept: 1 }} {{\n"
            f"  let part_view: Buffer[({size},), {dtype}] = {name}[{'0, ' * len(ahead)}0..{size}];\n"
            f"  for e in 0..{size} {{ part_view[e] = part_view[{size} - 1 - e]; }}\n}}\n"
        )
        if isinstance(last, tree.IntImm) and last.value:
            count = prod((*ahead, last.value))
            views = (
                f"let whole_view: Buffer[({count},), {dtype}] = {name};\n"
                f"whole_view[{count - 1}] = whole_view[0];\n{views}"
            )
        at = func.body[0].pos
        return text[:at] + views + text[at:]
    return None


def come_back(seeds: range) -> int:
    """Compare what is read of exports with the programs; return how many could be exported."""
    compared = 0
    for seed in seeds:
        text = with_views(Program(seed).text)
        found = None if text is None else difference(text, settled=True)
        assert not found, f"{seed}: {found}\n{text}"
        compared += found is not None
    return compared


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_prim_funcs_with_views_come_back(start: int) -> None:
    assert come_back(range(start, start + 20)) >= 14


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes an hour; set RELAX_NIGHTLY=1")
def test_10000_random_prim_funcs_with_views_come_back() -> None:
    assert come_back(range(60, 10_060)) >= 7_000
