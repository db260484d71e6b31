"""Calls of operators at random, each with what `docs/operators.md` says that it computes, on plain NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tests.fuzz.whole_programs.shapes import SHAPING
from tests.fuzz.whole_programs.source import Drawn, Rule, Source, axis_of, tensor_at
from tests.fuzz.whole_programs.values import Fails, Frame, Value, guarded, together


def _binary(word: str, sign: str, compute: Callable[..., np.ndarray], kinds: str) -> Rule:
    def draw(source: Source) -> Drawn | None:
        a = source.tensor(lambda value: value.dtype.kind in kinds)
        if a is None:
            return None
        if source.random.random() < 0.15 and kinds != "b":
            by = source.dim(1)
            if not set(re.findall(r"\w+", by.text)) & set(source.frame.sizes):
                return None

            def scaled(frame: Frame) -> Value:
                x = tensor_at(frame, a)
                return guarded(lambda: np.asarray(compute(x, np.asarray(by.of(frame.sizes), x.dtype))))

            return Drawn(f"{word}({a}, {by.text})", scaled)
        b = source.like(a)

        def run(frame: Frame) -> Value:
            x, y = _taken(tensor_at(frame, a), kinds), _taken(tensor_at(frame, b), kinds)
            together(x, y)
            return guarded(lambda: np.asarray(compute(x, y)))

        return Drawn(f"{a} {sign} {b}" if sign else f"{word}({a}, {b})", run)

    return draw


def _taken(value: np.ndarray, kinds: str) -> np.ndarray:
    """Return an operand, unless an operator of bools gets something else: not all dtypes are known before."""
    if kinds == "b" and value.dtype != bool:
        raise Fails("dtype")
    return value


def _unary(word: str, compute: Callable[..., np.ndarray], kinds: str = "fi") -> Rule:
    def draw(source: Source) -> Drawn | None:
        a = source.tensor(lambda value: value.dtype.kind in kinds)
        return (
            None
            if a is None
            else Drawn(f"{word}({a})", lambda frame: np.asarray(compute(_taken(tensor_at(frame, a), kinds))))
        )

    return draw


def _reduction(word: str, compute: Callable[..., np.ndarray], *, of_none: bool) -> Rule:
    def draw(source: Source) -> Drawn | None:
        a = source.tensor(lambda value: value.dtype.kind in "fi")
        if a is None:
            return None
        rank, keep = source.value(a).ndim, source.random.random() < 0.4
        chosen = [one for one in range(rank) if source.random.random() < 0.5]
        axes = (
            None
            if source.random.random() < 0.3
            else tuple(one - rank if source.random.random() < 0.4 else one for one in chosen)
        )

        def run(frame: Frame) -> Value:
            x = tensor_at(frame, a)
            if axes == ():
                return x
            if not of_none and not x.size and np.sum(x, axis=axes).size:
                raise Fails("data")  # the largest of nothing
            if not of_none and not x.size:
                return np.sum(x, axis=axes, keepdims=keep, dtype=x.dtype)
            return np.asarray(compute(x, axis=axes, keepdims=keep)).astype(x.dtype)

        words = "" if axes is None else f", axis={list(axes)}"
        return Drawn(f"{word}({a}{words}{', keepdims=true' if keep else ''})", run)

    return draw


def _where(source: Source) -> Drawn | None:
    c = source.tensor(lambda value: value.dtype == bool)
    a = c and source.tensor(lambda value: value.shape == source.value(c).shape)
    if not c or not a:
        return None
    b = source.like(a)

    def run(frame: Frame) -> Value:
        x, y = tensor_at(frame, a), tensor_at(frame, b)
        together(x, y)
        return guarded(lambda: np.where(tensor_at(frame, c), x, y))

    return Drawn(f"where({c}, {a}, {b})", run)


def _along(word: str, compute: Callable[[np.ndarray, int], np.ndarray], kinds: str = "fi") -> Rule:
    def draw(source: Source) -> Drawn | None:
        a = source.tensor(lambda value: value.ndim > 0 and value.dtype.kind in kinds)
        if a is None:
            return None
        axis = axis_of(source, source.value(a).ndim)
        return Drawn(
            f"{word}({a}, axis={axis})", lambda frame: guarded(lambda: compute(tensor_at(frame, a), axis))
        )

    return draw


def _largest(x: np.ndarray, axis: int) -> np.ndarray:
    if not x.size and np.sum(x, axis).size:
        raise Fails("data")
    if not x.size:
        return np.zeros(np.sum(x, axis).shape, np.int64)
    return np.asarray(np.argmax(x, axis)).astype(np.int64)


OPERATORS: tuple[Rule, ...] = (
    _binary("add", "+", np.add, "fi"),
    _binary("subtract", "-", np.subtract, "fi"),
    _binary("multiply", "*", np.multiply, "fi"),
    _binary("maximum", "", np.maximum, "fi"),
    _binary("less", "<", np.less, "fi"),
    _binary("equal", "==", np.equal, "fi"),
    _binary("logical_and", "&&", np.logical_and, "b"),
    _unary("negative", np.negative),
    _unary("abs", np.abs),
    _unary("logical_not", np.logical_not, "b"),
    _unary("flatten", lambda x: x.reshape(-1), "fib"),
    _unary("size", lambda x: np.asarray(x.size, np.int64), "fib"),
    _reduction("sum", np.sum, of_none=True),
    _reduction("prod", np.prod, of_none=True),
    _reduction("max", np.max, of_none=False),
    *SHAPING,
    _where,
    _along("flip", np.flip, "fib"),
    _along("argmax", _largest),
    _along("cumsum", lambda x, axis: np.cumsum(x, axis, dtype=x.dtype)),
)
