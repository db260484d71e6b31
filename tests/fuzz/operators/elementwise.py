"""Operators element by element: of one tensor, of two, of three, activations, and marks on values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz.operators.drawing import (
    KINDS,
    Call,
    Draw,
    Drawer,
    RefusedError,
    T,
    Word,
    axis_of,
    broadcast,
    call,
    fits,
    is_kind,
    need,
    same_dtype,
)


def _unary(
    word: str, kind: str, compute: Callable[..., Any] | None = None, to: str = "", **attributes: Any
) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor(kind=kind)
        attrs = source.some(**{name: source.one(*values) for name, values in attributes.items()})

        def rule(a: T) -> T:
            is_kind(a, kind)
            return T(a.shape, to or a.dtype)

        return call(word, [x], attrs, rule, values=None if attrs else compute)

    return draw


def _wide(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Compute halves in float32."""

    def run(*arrays: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            wide = [one.astype(np.float32) if one.dtype == np.float16 else one for one in arrays]
            return compute(*wide)

    return run


def _whole(compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: compute(x) if x.dtype.kind == "f" else x


UNARY: dict[str, tuple[str, Any]] = {
    "abs": ("number", np.abs),
    "acos": ("float", np.arccos),
    "acosh": ("float", np.arccosh),
    "asin": ("float", np.arcsin),
    "asinh": ("float", np.arcsinh),
    "atan": ("float", np.arctan),
    "atanh": ("float", np.arctanh),
    "bitwise_not": ("bits", np.invert),
    "ceil": ("any", _whole(np.ceil)),
    "cos": ("float", np.cos),
    "cosh": ("float", np.cosh),
    "erf": ("float", None),
    "exp": ("float", np.exp),
    "floor": ("any", _whole(np.floor)),
    "log": ("float", np.log),
    "logical_not": ("bool", np.logical_not),
    "negative": ("number", np.negative),
    "round": ("any", _whole(np.rint)),
    "rsqrt": ("float", lambda x: 1 / np.sqrt(x)),
    "sigmoid": ("float", lambda x: 1 / (1 + np.exp(-x))),
    "sign": ("number", np.sign),
    "sin": ("float", np.sin),
    "sinh": ("float", np.sinh),
    "sqrt": ("float", np.sqrt),
    "square": ("any", lambda x: x * x),
    "tan": ("float", np.tan),
    "tanh": ("float", np.tanh),
    "trunc": ("any", _whole(np.trunc)),
    "nn.gelu": ("float", None),
    "nn.gelu_tanh": ("float", None),
    "nn.relu": ("any", lambda x: x if x.dtype == bool else np.maximum(x, x.dtype.type(0))),
    "nn.relu6": ("number", lambda x: np.clip(x, 0, 6)),
    "nn.selu": ("float", None),
    "nn.silu": ("float", lambda x: x / (1 + np.exp(-x))),
    "builtin.stop_lift_params": ("any", lambda x: x),
    "ccl.broadcast_from_worker0": ("any", lambda x: x),
    "grad.end_checkpoint": ("any", lambda x: x),
    "grad.no_grad": ("any", lambda x: x),
    "grad.start_checkpoint": ("any", lambda x: x),
    "memory.ensure_zero_offset": ("any", lambda x: x),
}

BINARY: dict[str, tuple[str, Any]] = {
    "add": ("any", np.add),
    "atan2": ("float", np.arctan2),
    "bitwise_and": ("bits", np.bitwise_and),
    "bitwise_or": ("bits", np.bitwise_or),
    "bitwise_xor": ("bits", np.bitwise_xor),
    "divide": ("number", None),
    "floor_divide": ("number", None),
    "floor_mod": ("number", None),
    "left_shift": ("integer", None),
    "log_add_exp": ("float", np.logaddexp),
    "logical_and": ("bool", np.logical_and),
    "logical_or": ("bool", np.logical_or),
    "logical_xor": ("bool", np.logical_xor),
    "maximum": ("any", np.maximum),
    "minimum": ("any", np.minimum),
    "mod": ("number", None),
    "multiply": ("any", np.multiply),
    "power": ("number", None),
    "right_shift": ("integer", None),
    "subtract": ("number", np.subtract),
}
PARTIAL = {"divide", "floor_divide", "floor_mod", "left_shift", "mod", "power", "right_shift"}
SYMBOLS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "floor_mod": "%",
    "power": "**", "logical_and": "&&", "logical_or": "||", "equal": "==", "less": "<",
}  # fmt: skip
COMPARISONS: dict[str, Any] = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip


def _written(made: Call, word: str, source: Draw, a: str, b: str) -> Call:
    if word in SYMBOLS and source.chance(0.3):
        made.text = f"{a} {SYMBOLS[word]} {b}"
    return made


def _binary(word: str, kind: str, compute: Any) -> Drawer:
    def draw(source: Draw) -> Call:
        dims = source.dims()
        x = source.tensor(dims, kind=kind)
        dtype = source.params[0].dtype
        y = source.tensor(
            source.broadcastable(dims),
            source.dtype() if source.slip(0.1) else dtype,
            "ones" * (word in PARTIAL),
        )

        def rule(a: T, b: T) -> T:
            same_dtype(a, b)
            is_kind(a, kind)
            return T(broadcast(a.shape, b.shape), a.dtype)

        made = call(word, [x, y], {}, rule, values=compute and _wide(compute))
        return _written(made, word, source, x.text, y.text)

    return draw


def _comparison(word: str, compute: Any) -> Drawer:
    def draw(source: Draw) -> Call:
        dims = source.dims()
        x = source.tensor(dims)
        y = source.tensor(source.broadcastable(dims), None if source.chance(0.4) else source.params[0].dtype)
        made = call(
            word, [x, y], {}, lambda a, b: T(broadcast(a.shape, b.shape), "bool"), values=_wide(compute)
        )
        return _written(made, word, source, x.text, y.text)

    return draw


def _fma(source: Draw) -> Call:
    dims = source.dims()
    x = source.tensor(dims, kind="number")
    dtype = source.params[0].dtype
    others = [
        source.tensor(source.broadcastable(dims) if source.slip(0.4) else dims, dtype) for _ in range(2)
    ]

    def rule(a: T, b: T, c: T) -> T:
        same_dtype(a, b, c)
        is_kind(a, "number")
        need(a.rank == b.rank == c.rank)
        fits(a.shape == b.shape == c.shape)
        return a

    return call("ewise_fma", [x, *others], {}, rule, values=_wide(lambda a, b, c: a * b + c))


def _where(source: Draw) -> Call:
    dims = source.dims()
    c = source.tensor(source.broadcastable(dims), source.dtype("bool"))
    x = source.tensor(dims)
    y = source.tensor(
        source.broadcastable(dims), source.dtype() if source.slip(0.1) else source.params[1].dtype
    )

    def rule(a: T, b: T, d: T) -> T:
        is_kind(a, "bool")
        same_dtype(b, d)
        return T(broadcast(a.shape, b.shape, d.shape), b.dtype)

    return call("where", [c, x, y], {}, rule, values=np.where)


def _masked_fill(source: Draw) -> Call:
    dims = source.dims()
    x = source.tensor(dims)
    mask = source.tensor(source.broadcastable(dims), source.dtype("bool"))
    value = source.tensor(source.dims(1, 1) if source.slip() else ())

    def rule(a: T, b: T, c: T) -> T:
        is_kind(b, "bool")
        need(c.rank == 0)
        return T(broadcast(a.shape, b.shape), a.dtype)

    return call("masked_fill", [x, mask, value], {}, rule)


def _clip(source: Draw) -> Call:
    x = source.tensor(kind="number")
    low, high = source.scalar(), source.scalar()

    def rule(a: T, _low: int, _high: int) -> T:
        is_kind(a, "number")
        return a

    return call("clip", [x, low, high], {}, rule)


def _dropout(source: Draw) -> Call:
    x = source.tensor()
    return call("nn.dropout", [x], source.some(rate=source.one(0.1, 0.9)), lambda a: (a, a))


def _softmax(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor(kind="float")
        attrs = source.some(axis=source.axis(x.rank))

        def rule(a: T) -> T:
            is_kind(a, "float")
            axis_of(attrs.get("axis", -1), a.rank)
            return a

        def values(a: np.ndarray) -> np.ndarray:
            axis = attrs.get("axis", -1)
            powers = np.exp(a.astype(np.float64))
            result = powers / powers.sum(axis, keepdims=True)
            return np.log(result) if word == "nn.log_softmax" else result

        return call(word, [x], attrs, rule, values=values)

    return draw


def _prelu(source: Draw) -> Call:
    dims = source.dims(0, 4)
    x = source.tensor(dims, kind="float")
    axis = source.axis(len(dims)) if source.chance(0.7) else 1
    inside = -len(dims) <= axis < len(dims)
    slopes = source.one((dims[axis],), (source.dim(),)) if inside else (source.dim(),)
    alpha = source.tensor(slopes, source.dtype("float") if source.slip() else source.params[0].dtype)

    def rule(a: T, b: T) -> T:
        is_kind(a, "float")
        same_dtype(a, b)
        need(b.rank == 1)
        extent = a.shape[axis_of(axis, a.rank)]
        fits(b.shape[0] in (1, extent))
        return a

    return call("nn.prelu", [x, alpha], {} if axis == 1 else {"axis": axis}, rule)


def _astype(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        x = source.tensor()
        dtype = source.dtype()
        attrs = {"dtype": Word(dtype)} if word == "astype" else source.some(dtype=Word(dtype))
        to = attrs.get("dtype", "float32")
        return call(word, [x], attrs, lambda a: T(a.shape, str(to)))

    return draw


def _worker(word: str, **attributes: Any) -> Drawer:
    """Marks with a number of workers or names of devices."""

    def draw(source: Draw) -> Call:
        x = source.tensor()
        attrs = {name: source.one(*values) for name, values in attributes.items()}
        if "axis" in attrs:
            attrs["axis"] = source.axis(x.rank)

        def rule(a: T) -> T:
            need(attrs.get("num_workers", 1) > 0)
            need(a.rank > 0 or word != "ccl.allgather", "there is no first axis")
            if "axis" in attrs and attrs.get("num_workers", 1) == 1:
                axis_of(attrs["axis"], a.rank)
            if attrs.get("num_workers", 1) != 1:
                raise RefusedError("data", "there is one worker")
            return a

        return call(word, [x], attrs, rule, is_loose=attrs.get("num_workers", 1) != 1)

    return draw


DRAWERS: dict[str, Drawer] = {
    **{word: _unary(word, kind, compute and _wide(compute)) for word, (kind, compute) in UNARY.items()},
    **{
        word: _unary(word, "any", _wide(compute), "bool")
        for word, compute in {
            "isfinite": lambda x: np.isfinite(x.astype(np.float64)),
            "isinf": lambda x: np.isinf(x.astype(np.float64)),
            "isnan": lambda x: np.isnan(x.astype(np.float64)),
        }.items()
    },
    **{word: _binary(word, kind, compute) for word, (kind, compute) in BINARY.items()},
    **{word: _comparison(word, compute) for word, compute in COMPARISONS.items()},
    "nn.leakyrelu": _unary("nn.leakyrelu", "float", alpha=(0.1, 0.5)),
    "nn.softplus": _unary("nn.softplus", "float", beta=(0.5, 2.0), threshold=(1.0, 20.0)),
    "nn.softmax": _softmax("nn.softmax"),
    "nn.log_softmax": _softmax("nn.log_softmax"),
    "nn.prelu": _prelu,
    "nn.dropout": _dropout,
    "ewise_fma": _fma,
    "where": _where,
    "masked_fill": _masked_fill,
    "clip": _clip,
    "astype": _astype("astype"),
    "wrap_param": _astype("wrap_param"),
    "hint_on_device": _worker("hint_on_device", dst_vdevice=("cpu", "llvm:0")),
    "to_vdevice": _worker("to_vdevice", dst_vdevice=("cpu", "llvm:0")),
    "ccl.allgather": _worker("ccl.allgather", num_workers=(1, 1, 2)),
    "ccl.allreduce": _worker("ccl.allreduce", op_type=("sum", "max")),
    "ccl.scatter_from_worker0": _worker("ccl.scatter_from_worker0", num_workers=(1, 1, 2), axis=(0,)),
    "dist.annotate_sharding": _worker("dist.annotate_sharding", device_mesh=("a",), placement=("R",)),
    "dist.redistribute": _worker("dist.redistribute", device_mesh=("a",), placement=("R",)),
    "dist.redistribute_replica_to_shard": _worker(
        "dist.redistribute_replica_to_shard", num_workers=(1, 1, 2), axis=(0,)
    ),
}

assert set(PARTIAL) <= set(BINARY)
assert set(KINDS) >= {kind for kind, _ in BINARY.values()}
