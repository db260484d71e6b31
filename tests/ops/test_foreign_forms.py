"""What is written for calls of other frameworks that are not a single operator here: it computes the same. [Y.7]"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.ops.foreign_forms import ADVICE, FORMS, form_of, is_absent, simplified
from relax_lang.ops.foreign_names import NAMES
from relax_lang.ops.registry import lookup, names
from relax_lang.ops.suggestions import FOREIGN, suggest

PROGRAM = """\
def @main(
  x: Tensor[(3, 3), float32], y: Tensor[(3, 3), float32], a: Tensor[(3, 3), float32],
  b: Tensor[(3, 3), float32], c: Tensor[(3, 3), bool], w: Tensor[(3, 3), float32],
) -> Object {{
  {}
}}
"""
LOG = np.array([[-1.5, -0.2, 0.0], [0.3, 0.9, 2.5], [-4.0, 1.0, 0.5]], np.float32)
UNIT = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], np.float32)
GIVEN = {"x": LOG, "y": LOG[::-1].copy(), "a": UNIT, "b": LOG.T.copy(), "c": LOG > 0, "w": UNIT.T.copy()}
erf = np.vectorize(math.erf, [np.float32])


def softplus(x: Any) -> Any:
    return np.logaddexp(0, x)


SAME: dict[str, Callable[..., Any]] = {
    "vstack": lambda x, y, **_: np.vstack((x, y)),
    "hstack": lambda x, y, **_: np.hstack((x, y)),
    "flipud": lambda x, **_: np.flipud(x),
    "fliplr": lambda x, **_: np.fliplr(x),
    "argwhere": lambda x, **_: np.argwhere(x),
    "flatnonzero": lambda x, **_: [np.flatnonzero(x)],
    "if_then_else": lambda x, y, c, **_: np.where(c, x, y),
    "select_n": lambda x, y, c, **_: np.where(c, y, x),
    "inner": lambda x, y, **_: np.inner(x, y),
    "vdot": lambda x, y, **_: np.vdot(x, y),
    "trace": lambda x, **_: np.trace(x),
    "diagonal": lambda x, **_: np.diagonal(x),
    "lerp": lambda x, y, w, **_: x + w * (y - x),
    "rsub": lambda x, y, **_: y - x,
    "reciprocal": lambda x, **_: np.float32(1) / x,
    "frac": lambda x, **_: np.modf(x)[0],
    "clamp_min": lambda x, **_: np.maximum(x, 0),
    "clamp_max": lambda x, **_: np.minimum(x, 1),
    "fmax": lambda x, y, **_: np.fmax(x, y),
    "fmin": lambda x, y, **_: np.fmin(x, y),
    "fabs": lambda x, **_: np.fabs(x),
    "log1p": lambda x, **_: np.log1p(x),
    "log2": lambda x, **_: np.log2(x),
    "log10": lambda x, **_: np.log10(x),
    "expm1": lambda x, **_: np.expm1(x),
    "exp2": lambda x, **_: np.exp2(x),
    "cbrt": lambda x, **_: np.cbrt(x),
    "hypot": lambda x, y, **_: np.hypot(x, y),
    "deg2rad": lambda x, **_: np.deg2rad(x),
    "rad2deg": lambda x, **_: np.rad2deg(x),
    "erfc": lambda x, **_: 1 - erf(x),
    "isposinf": lambda x, **_: np.isposinf(x),
    "isneginf": lambda x, **_: np.isneginf(x),
    "any": lambda c, **_: np.any(c, axis=1),
    "all": lambda c, **_: np.all(c, axis=1),
    "count_nonzero": lambda x, **_: np.count_nonzero(x, axis=1),
    "nansum": lambda x, **_: np.nansum(x, axis=1),
    "norm": lambda x, **_: np.linalg.norm(x, axis=1),
    "logsumexp": lambda x, **_: np.log(np.exp(x).sum(axis=1)),
    "ptp": lambda x, **_: np.ptp(x, axis=1),
    "msort": lambda x, **_: np.sort(x, axis=0),
    "isclose": lambda x, y, **_: np.isclose(x, y),
    "allclose": lambda x, y, **_: np.allclose(x, y),
    "array_equal": lambda x, y, **_: np.array_equal(x, y),
    "hardtanh": lambda x, **_: np.clip(x, -1, 1),
    "hardswish": lambda x, **_: x * np.clip(x + 3, 0, 6) / 6,
    "hardsigmoid": lambda x, **_: np.clip(x + 3, 0, 6) / 6,
    "onnx.HardSigmoid": lambda x, **_: np.maximum(0, np.minimum(1, 0.2 * x + 0.5)),
    "hardshrink": lambda x, **_: np.where((x < -0.5) | (x > 0.5), x, 0),
    "softshrink": lambda x, **_: np.where(x > 0.5, x - 0.5, np.where(x < -0.5, x + 0.5, 0)),
    "elu": lambda x, **_: np.where(x > 0, x, np.expm1(x)),
    "mish": lambda x, **_: x * np.tanh(softplus(x)),
    "logsigmoid": lambda x, **_: -softplus(-x),
    "softsign": lambda x, **_: x / (1 + np.abs(x)),
    "softmin": lambda x, **_: np.exp(-x) / np.exp(-x).sum(axis=1, keepdims=True),
    "torch.normalize": lambda x, **_: x / np.linalg.norm(x, axis=1, keepdims=True),
    "dist": lambda x, y, **_: np.linalg.norm(x - y),
    "mse_loss": lambda x, y, **_: np.mean((x - y) ** 2),
    "l1_loss": lambda x, y, **_: np.mean(np.abs(x - y)),
    "onnx.sum": lambda x, y, **_: x + y,
    "onnx.mean": lambda x, y, **_: (x + y) / 2,
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_form_computes_what_the_other_framework_does(name: str) -> None:
    framework, _, last = name.rpartition(".")
    form = form_of(last, (framework,) if framework else ()).replace("axis=…", "axis=1")
    given = dict(GIVEN)
    if name in ("fmax", "fmin", "nansum"):
        given["x"] = np.where(UNIT > 0.6, np.float32(np.nan), LOG)
    if name in ("isposinf", "isneginf"):
        given["x"] = LOG / np.float32(0)
    module: Any = relax_lang.loads(PROGRAM.format(form))
    found = module.main(*given.values())
    np.testing.assert_allclose(found, SAME[name](**given), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_names_operators_and_attributes_that_there_are(form: str) -> None:
    written = form.replace("shape(…)", "shape(3)").replace('reduction="…"', 'reduction="add"')
    written = written.replace("axes=[…]", "axes=[1, 0]").replace("pad_width=[…]", "pad_width=[0, 0, 1, 1]")
    written = written.replace("[…]", "[1]").replace('"…"', '"ij,jk->ik"')
    for name, value in (("axis", "0"), ("dtype", "float32"), ("depth", "3")):
        written = written.replace(f"{name}=…", f"{name}={value}")
    written = written.replace("…", "1")
    found = api.check(PROGRAM.format(written)).diagnostics
    assert [one for one in found if one.slug in ("unknown-operator", "op-attribute", "arity", "syntax")] == []


LISTED = [name for listed in (*FORMS.values(), *ADVICE.values()) for name in listed.split()]


def test_no_name_is_listed_twice() -> None:
    plain = [
        f"{framework}.{simplified(last)}" for framework, _, last in (one.rpartition(".") for one in LISTED)
    ]
    assert len(plain) == len(set(plain))
    assert not [name for name in LISTED if "." not in name and is_absent(name)]


@pytest.mark.parametrize(
    "name",
    [
        "np.svd",
        "torch.isin",
        "torch.mode",
        "F.pixel_unshuffle",
        "np.quantile",
        "np.tri",
        "sinc",
        "hardmax",
        "rrelu",
    ],
)
def test_what_nothing_corresponds_to_is_no_misspelled_operator(name: str) -> None:
    assert suggest(name) is None
    assert lookup(name.rpartition(".")[2]) is None
    assert simplified(name.rpartition(".")[2]) not in NAMES
    assert name not in names()


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("np.vstack", "concat((x, y), axis=0)"),
        ("F.elu", "where(x > 0.0, x, exp(x) - 1.0)"),
        ("np.moveaxis", "permute_dims(x, axes=[…])"),
        ("jax.nn.gelu", "nn.gelu_tanh(x)"),
        ("F.gelu", ""),
        ("F.dropout", "x"),
        ("np.take", "take(flatten(x), indices)"),
        ("onnx.Gather", "take(x, indices, axis=0)"),
        ("onnx.Mod", ""),
        ("torch.randn", "there are no random numbers: let them be a parameter"),
        ("R.output", "what a dataflow block gives is listed in it: `output y;`"),
    ],
)
def test_a_form_comes_before_an_operator(name: str, form: str) -> None:
    found = suggest(name)
    assert found is not None
    assert (found.form, found.reason) == (form, FOREIGN)
    assert found.advice == (form if form in ADVICE or not form else f"write `{form}`")


def test_the_name_of_a_method_may_have_a_form_of_its_own() -> None:
    found = suggest("repeat", method=True)
    assert found is not None
    assert "tile" in found.form
    plain = suggest("split")
    assert plain is None or plain.form == ""
