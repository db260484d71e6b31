"""What the checker knows of explicit memory without a run: kills, storages, shape heaps, over names and branches."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.values import RunFailure

FUNCS = """
prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    Y[i] = X[i];
  }
}

prim_func @sizes(H: Buffer[(3,), int64]) {
  H[2] = H[0] * H[1];
}

prim_func @any_slot(H: Buffer[(3,), int64]) {
  for i in 0..3 {
    H[i] = 1;
  }
}
"""


def found(body: str) -> list[tuple[str, str]]:
    text = (
        f"{FUNCS}\nimpure def @main(x: Tensor[(4,), float32], c: Tensor[(), bool]) -> Object {{\n{body}\n}}\n"
    )
    checked = api.check(text)
    return [(one.slug, one.message) for one in checked.diagnostics if one.severity == "error"]


KILLED = [("use-after-kill", "`x` is used after it was killed")]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let y = add(x, x); memory.kill_tensor(x); y", []),
        ("memory.kill_tensor(x); let y = add(x, x); y", KILLED),
        ("memory.kill_tensor(x); memory.kill_tensor(x); ()", KILLED),
        ("let y = x; vm.kill_object(y); x", KILLED),
        ("if c { memory.kill_tensor(x); () } else { () }; x", KILLED),
        ("if c { memory.kill_tensor(x); () } else { print(x); () }; ()", []),
        ("let f = fn (y: Tensor) { add(x, y) }; memory.kill_tensor(x); f", []),
        ("memory.kill_tensor(x); let f = fn (y: Tensor) { add(x, y) }; f", KILLED),
        ("memory.kill_tensor(x); if c { x } else { () }", KILLED),
        (
            "let y = reshape(x, shape(2, 2)); memory.kill_tensor(x); y",
            [("use-after-kill", "`y` is used after it was killed")],
        ),
        ("let y = reshape(x, shape(2, 2)); memory.kill_tensor(y); x", []),
        (
            "let t = (x, c); memory.kill_tensor(x); t",
            [("use-after-kill", "`t` is used after it was killed")],
        ),
        ("let t = (x, c); memory.kill_tensor(x); t[1]", []),
        ("let t = (x, c); memory.kill_tensor(x); vm.kill_object(t); ()", []),
    ],
)
def test_a_killed_value_is_not_used_under_any_name(body: str, expected: list[tuple[str, str]]) -> None:
    assert found(body) == expected


@pytest.mark.parametrize(
    ("offset", "dims", "dtype", "fits"),
    [
        (0, "4", "float32", True),
        (8, "2", "float32", True),
        (8, "3", "float32", False),
        (0, "2, 2", "float64", False),
        (16, "0", "float64", True),
    ],
)
def test_a_tensor_fits_its_storage(offset: int, dims: str, dtype: str, fits: bool) -> None:
    slugs = found(
        f"let s = memory.alloc_storage(shape(2, 8), 0); memory.alloc_tensor(s, {offset}, shape({dims}), dtype={dtype})"
    )
    assert [slug for slug, _ in slugs] == ([] if fits else ["storage-exceeded"])


HEAP = "let h = vm.alloc_shape_heap(size=3); "
STORE = 'vm.match_shape(shape(2, 3), h, codes=["store", "store"], operands=[0, 1]); '
READ = 'vm.make_shape(h, codes=["slot"], operands=[2])'
UNWRITTEN = "slot {} of the shape heap is read, but nothing was stored in it"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (HEAP + STORE + "@sizes(h); " + READ, []),
        (HEAP + STORE + READ, ["vm.make_shape: " + UNWRITTEN.format(2)]),
        (HEAP + "@sizes(h); " + READ, ["@sizes: " + UNWRITTEN.format(0)]),
        (HEAP + "@any_slot(h); " + READ, []),
        (HEAP + "let g = h; " + STORE.replace("h,", "g,") + "@sizes(g); " + READ, []),
        (
            HEAP + f"if c {{ {STORE} () }} else {{ () }}; @sizes(h); " + READ,
            ["@sizes: " + UNWRITTEN.format(0)],
        ),
        (HEAP + f"if c {{ {STORE} () }} else {{ {STORE} () }}; @sizes(h); " + READ, []),
    ],
)
def test_a_slot_is_written_before_it_is_read(body: str, expected: list[str]) -> None:
    assert found(body) == [("heap-slot-unwritten", message) for message in expected]


def test_a_run_finds_what_the_checker_cannot_know() -> None:
    text = """
def @main(x: Tensor[(n,), float32]) -> Tensor {
  let s = memory.alloc_storage(shape(16), 0);
  memory.alloc_tensor(s, 0, shape(n), dtype=float32)
}
"""
    session = api.start(text)
    assert session.call("main", [np.zeros(4, np.float32)]).shape == (4,)
    with pytest.raises(RunFailure) as caught:
        session.call("main", [np.zeros(5, np.float32)])
    assert caught.value.slug == "storage-exceeded"


def test_Z_4_sizes_from_a_shape_heap_need_no_annotation() -> None:
    """A `match_cast`, which the warning offered, would bring the dimensions back that lowering took out."""
    text = "def @main(x: Tensor[(n, 8), float32]) { exp(nn.relu(x)) }"
    lowered = str(api.optimize(text, pipeline="build"))
    assert "vm.make_shape(" in lowered
    assert api.check(lowered).diagnostics == []
    narrower = lowered.replace("Buffer[(n, 8), float32]", "Buffer[(n, 8), float64]")
    assert "call-tir-arguments" in {one.slug for one in api.check(narrower).diagnostics}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "let a = memory.alloc_tensor(s, -4, shape(2), dtype=float32);",
            "memory.alloc_tensor: offset -4 is before the start of the storage",
        ),
        (
            'vm.match_shape(x, heap, codes=["store"], operands=[5]);',
            "vm.match_shape: slot 5: the heap has 2 slots",
        ),
        (
            "let a = memory.alloc_tensor(s, 2, shape(1), dtype=float32);",
            "memory.alloc_tensor: offset 2 is not a multiple of 4, the size of an element of float32",
        ),
        (
            "let a = memory.alloc_tensor(x, 0, shape(1), dtype=float32);",
            "argument 1 of memory.alloc_tensor must be a storage, not `Tensor[(n,), float32]`",
        ),
        (
            'let a = vm.make_shape(heap, codes=["number"], operands=[-1]);',
            "vm.make_shape: bad attribute `operands`: dimension 0 is -1",
        ),
        ("let p = vm.make_prim_value(heap, slot=9);", "vm.make_prim_value: slot 9: the heap has 2 slots"),
        (
            'vm.match_shape(x, heap, codes=["store"], operands=[-1]);',
            "vm.match_shape: slot -1: the heap has 2 slots",
        ),
        (
            '@any_slot(heap); let p = vm.make_shape(heap, codes=["slot"], operands=[2]);',
            "vm.make_shape: slot 2: the heap has 2 slots",
        ),
    ],
)
def test_what_is_certainly_outside_is_reported_before_the_run(body: str, message: str) -> None:
    text = (
        f"{FUNCS}\nforce_pure def @main(x: Tensor[(n,), float32]) {{\n"
        "let s = memory.alloc_storage(shape(16), 0);\nlet heap = vm.alloc_shape_heap(size=2);\n"
        f"{body}\nx\n}}\n"
    ).replace("H: Buffer[(3,), int64]) {\n  for i in 0..3", "H: Buffer[(2,), int64]) {\n  for i in 0..2")
    assert message in [one.message for one in api.check(text).diagnostics]
