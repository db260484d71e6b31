"""Trees as plain data: what comes back is the tree, with its places and the nodes that it has twice."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.node import Node, same, slots, walk
from relax_lang.base.tree_columns import columns, from_columns
from relax_lang.syntax import tree

SAMPLES = Path(__file__).parents[2] / "samples"


def there_and_back(root: Node, marked: tuple[Node, ...] = ()) -> tuple[Node, list[Node]]:
    return from_columns(marshal.loads(marshal.dumps(columns(root, marked))), vars(tree))


def held(node: Node) -> list[str]:
    """Return what a node holds beside other nodes."""
    values = [getattr(node, name) for name in slots(type(node))]
    return [repr(one) for one in values if not isinstance(one, (Node, tuple))]


def test_samples_come_back() -> None:
    count = 0
    for path in sorted(SAMPLES.glob("*.rlx")):
        for root in (api.parse(path.read_text(encoding="utf-8")).tree, _normal(path)):
            if root is None:
                continue
            back, _ = there_and_back(root)
            assert same(root, back)
            for before, after in zip(walk(root), walk(back), strict=True):
                assert held(before) == held(after)
            count += 1
    assert count > 20


def _normal(path: Path) -> tree.IRModule | None:
    try:
        return api.check_sound(api.read(str(path))).normal
    except api.RelaxError:
        return None


def test_marked_nodes_come_back_and_shared_ones_stay_one() -> None:
    shared = tree.Var("x", 3, 4)
    root = tree.Tuple((shared, shared, tree.Var("y", 6, 7)), 2, 8)
    outside = tree.Var("z")
    back, marked = there_and_back(root, (root.fields[2], root, outside))
    assert isinstance(back, tree.Tuple)
    assert back.fields[0] is back.fields[1]
    assert marked == [back.fields[2], back]


def test_deep_trees_come_back() -> None:
    root: tree.Expr = tree.Var("x")
    for _ in range(20_000):
        root = tree.Tuple((root,))
    back, _ = there_and_back(root)
    assert same(root, back)


def test_other_classes_are_refused() -> None:
    data = marshal.loads(marshal.dumps(columns(tree.Var("x"))))
    with pytest.raises(KeyError):
        from_columns(data, {})
    with pytest.raises(TypeError):
        from_columns(data, {"Var": int})  # type: ignore[dict-item]
