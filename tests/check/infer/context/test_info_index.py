"""What is known at a place of the text: the index against a search over all places."""

from __future__ import annotations

import pytest

from relax_lang.base.node import walk
from relax_lang.check.infer.context import info_index
from relax_lang.check.infer.context.inferred import Inferred
from relax_lang.format.printer import show
from relax_lang.struct_info.printing import shown
from relax_lang.syntax import tree
from tests.check.infer.harness import HELPERS, check, program

TEXTS = [
    program("let z = add(x, y4 + 1.0); let v = (z, (x, c)); if c { let q = v[1]; q[0] } else { z }"),
    program(
        "let f = fn (a: Tensor[(k, 3), float32]) -> Tensor { nn.relu((a)) }; dataflow { let b = f(s); output b; } b"
    ),
    program("let k = match_cast(u, Tensor[(p, q), float32]); (k, shape(p, q))"),
    HELPERS,
]


def smallest(inferred: Inferred, offset: int) -> list[str]:
    """Return the infos of the smallest places around an offset, found by looking at all places."""
    best: list[tuple[int, str]] = []
    for item in inferred.normal.items:
        named = {var.name_hint: info for var, info in inferred.infos.items() if var in set(walk(item))}
        for node in walk(item):
            info = named.get(node.name_hint) if isinstance(node, tree.Var | tree.DataflowVar) else None
            if isinstance(node, tree.VarBinding):
                node, info = node.value, inferred.infos.get(node.var)
            elif isinstance(node, tree.GlobalVar) and node is getattr(item, "name", None):
                info = inferred.functions.get(node.name_hint)
            if info is not None and node.pos <= offset < node.end:
                best.append((node.end - node.pos, shown(info)))
    return [info for size, info in best if size == min(best)[0]]


@pytest.mark.parametrize("text", TEXTS)
def test_the_index_finds_what_a_search_finds(text: str) -> None:
    inferred = check(text).inferred
    known = 0
    for offset in range(-1, len(text) + 2, 3):
        info = inferred.at(offset)
        expected = smallest(inferred, offset)
        known += info is not None
        assert (shown(info) in expected) if info is not None else not expected, text[offset : offset + 20]
    assert known > 10


def test_the_module_is_walked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    walks: list[object] = []
    monkeypatch.setattr(info_index, "walk", lambda node: walks.append(node) or walk(node))
    inferred = check(TEXTS[0]).inferred
    assert not walks
    for offset in range(len(TEXTS[0])):
        inferred.at(offset)
    assert len(walks) == len(inferred.normal.items)


def test_P_5_functions_with_their_purity() -> None:
    text = "def @f(a: Tensor) -> Tensor { print(a); a }"
    info = check(text).inferred.at(text.index("@f"))
    assert info is not None
    assert show(info) == "impure fn(Tensor) -> Tensor"
