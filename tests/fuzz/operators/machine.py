"""Explicit memory, shape heaps, checks that are written out, output."""

from __future__ import annotations

from typing import Any

from tests.fuzz.operators.drawing import (
    Arg,
    Call,
    Draw,
    Drawer,
    P,
    S,
    T,
    Word,
    call,
    data,
    need,
    number,
    product,
)

BYTES = {"float32": 4, "int32": 4, "int64": 8, "float64": 8, "uint8": 1, "float16": 2}
UNIT: tuple[Any, ...] = ()


def _storage(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        shape = source.shape(source.dims(0, 2))
        attrs = source.some(dtype=Word(source.dtype()))
        return call(word, [shape, Arg("0", lambda _: 0)], attrs, lambda *_: None, is_loose=True)

    return draw


def _in_storage(word: str) -> Drawer:
    """A tensor in a storage of so many bytes, from some byte on."""

    def draw(source: Draw) -> Call:
        size = source.int(0, 64)
        dtype = source.one(*BYTES)
        offset = source.int(0, 4) * (BYTES[dtype] if source.chance(0.8) else 1)
        dims = [
            source.dim() if source.chance(0.3) else number(source.int(0, 4)) for _ in range(source.int(0, 2))
        ]
        shape = source.shape(dims)
        begin = source.shape([number(offset)]) if word.endswith("_at") else Arg(str(offset), lambda _: offset)
        storage = Arg("storage", lambda _: None)

        def rule(_storage: Any, _offset: Any, at: S) -> T:
            data(offset % BYTES[dtype] == 0)
            data(offset + product(at.dims) * BYTES[dtype] <= size)
            return T(at.dims, dtype)

        return call(
            word,
            [storage, begin, shape],
            {"dtype": Word(dtype)},
            rule,
            before=f"  let storage = memory.alloc_storage(shape({size}), 0);\n",
        )

    return draw


def _killed(word: str, before: str, value: str) -> Drawer:
    return lambda _source: call(word, [Arg(value, lambda _: None)], {}, lambda *_: UNIT, before=before)


def _kill_tensor(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        return call(word, [x], {}, lambda *_: UNIT)

    return draw


# shape heaps


def _heap(source: Draw) -> Call:
    size = -1 if source.slip() else source.int(0, 5)

    def rule() -> T:
        need(size >= 0)
        return T((size,), "int64")

    return call("vm.alloc_shape_heap", [], {"size": size}, rule)


def _filled(size: int, values: tuple[str, ...]) -> str:
    codes = ", ".join(['"store"'] * size)
    operands = ", ".join(map(str, range(size)))
    return (
        f"  let heap = vm.alloc_shape_heap(size={size});\n"
        f"  vm.match_shape(shape({', '.join(values)}), heap, codes=[{codes}], operands=[{operands}]);\n"
    )


def _of_slot(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        size = source.int(1, 3)
        slot = source.int(0, size - 1) if not source.slip() else source.one(size, -1)
        dtype = source.one("int64", "int64", "int32", "bool")
        attrs: dict[str, Any] = {"slot": slot}
        if dtype != "int64":
            attrs["dtype"] = Word(dtype)

        def rule(_: Any) -> Any:
            need(slot >= 0)
            data(slot < size)
            return P(dtype) if word.endswith("prim_value") else T((), dtype)

        before = _filled(size, ("1", "0", "1")[:size])
        return call(word, [Arg("heap", lambda _: None)], attrs, rule, before=before)

    return draw


def _make_shape(source: Draw) -> Call:
    values = (source.one("n", "m", "k"), "3")
    rank = source.int(0, 3)
    codes = [source.one("slot", "number") for _ in range(rank)]
    operands = [source.int(0, 1) if one == "slot" else source.int(0, 4) for one in codes]
    if source.slip() and rank:
        operands[0] = source.one(-1, 7)
    if source.slip(0.1):
        operands.append(0)

    def rule(_: Any) -> Any:
        need(len(codes) == len(operands))
        for code, operand in zip(codes, operands, strict=True):
            data(operand >= 0 and (code != "slot" or operand < 2))
        return None

    return call(
        "vm.make_shape",
        [Arg("heap", lambda _: None)],
        {"codes": codes, "operands": operands},
        rule,
        before=_filled(2, values),
        is_loose=True,
    )


def _match_shape(source: Draw) -> Call:
    x = source.tensor(source.dims(0, 3))
    codes = [source.one("store", "number", "any") for _ in range(x.rank)]
    if source.slip():
        codes.append("any")
    operands = [source.int(0, 2) for _ in codes]
    if source.slip(0.1) and operands:
        operands[0] = -1

    def rule(a: T, _: Any) -> Any:
        data(a.rank == len(codes))
        for extent, code, operand in zip(a.shape, codes, operands, strict=True):
            data(code == "any" or operand >= 0)
            data(code != "number" or extent == operand)
        return UNIT

    return call(
        "vm.match_shape",
        [x, Arg("heap", lambda _: None)],
        {"codes": codes, "operands": operands},
        rule,
        before="  let heap = vm.alloc_shape_heap(size=3);\n",
        may_fail=True,
        is_loose=True,
    )


def _check_tensor(source: Draw) -> Call:
    x = source.tensor()
    param = source.params[0]
    attrs = source.some(
        ndim=source.one(len(param.dims), len(param.dims), -1, 9), dtype=Word(source.one(param.dtype, "int8"))
    )

    def rule(a: T) -> Any:
        data(attrs.get("ndim", -1) in (-1, a.rank))
        data(attrs.get("dtype", a.dtype) == a.dtype)
        return UNIT

    return call("vm.check_tensor_info", [x], attrs, rule, is_loose=True)


def _check_shape(source: Draw) -> Call:
    shape = source.shape(source.dims())
    attrs = source.some(ndim=source.one(shape.rank, -1, 7))

    def rule(a: S) -> Any:
        data(attrs.get("ndim", -1) in (-1, len(a.dims)))
        return UNIT

    return call("vm.check_shape_info", [shape], attrs, rule, is_loose=True)


def _check_tuple(source: Draw) -> Call:
    fields = [source.tensor() for _ in range(source.int(0, 2))]
    size = source.one(len(fields), len(fields), 3)

    def rule(_: Any) -> Any:
        data(size == len(fields))
        return UNIT

    return call("vm.check_tuple_info", [source.tuple(fields)], {"size": size}, rule, is_loose=True)


# output


def _assert(source: Draw) -> Call:
    x = source.tensor(source.dims() if source.slip(0.3) else [], source.dtype("bool"), "ones")

    def rule(a: T) -> Any:
        need(a.rank == 0 and a.dtype == "bool")
        return UNIT

    return call("assert_op", [x], source.some(format="no"), rule)


def _print(source: Draw) -> Call:
    values = [source.tensor() for _ in range(source.int(0, 2))]
    return call("print", values, {}, lambda *_: UNIT)


DRAWERS: dict[str, Drawer] = {
    "memory.alloc_storage": _storage("memory.alloc_storage"),
    "vm.alloc_storage": _storage("vm.alloc_storage"),
    "memory.alloc_tensor": _in_storage("memory.alloc_tensor"),
    "vm.alloc_tensor": _in_storage("vm.alloc_tensor"),
    "vm.alloc_tensor_at": _in_storage("vm.alloc_tensor_at"),
    "memory.kill_storage": _killed(
        "memory.kill_storage", "  let storage = memory.alloc_storage(shape(n), 0);\n", "storage"
    ),
    "memory.kill_tensor": _kill_tensor("memory.kill_tensor"),
    "vm.kill_object": _kill_tensor("vm.kill_object"),
    "vm.alloc_shape_heap": _heap,
    "vm.make_scalar": _of_slot("vm.make_scalar"),
    "vm.make_prim_value": _of_slot("vm.make_prim_value"),
    "vm.make_shape": _make_shape,
    "vm.match_shape": _match_shape,
    "vm.check_tensor_info": _check_tensor,
    "vm.check_shape_info": _check_shape,
    "vm.check_tuple_info": _check_tuple,
    "assert_op": _assert,
    "print": _print,
}
