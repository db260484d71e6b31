"""Arguments that fit a plain signature at first sight are those that the checks accept, with the same sizes. [M.6]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.runtime.values.match_cast import match_signature
from relax_lang.runtime.values.mismatch import Environment
from relax_lang.runtime.values.plain_signature import PlainSignature
from tests.runtime.harness import session_of


def signature_of(params: str) -> tuple[PlainSignature | None, object]:
    function = session_of(f"def @main({params}) {{ () }}", engine="interpreter").entry("main")
    return PlainSignature.of([param.struct_info_annotation for param in function.params]), function


@pytest.mark.parametrize(
    "params",
    [
        "x: Tensor",
        "x: Tensor[ndim=2]",
        "x: Tensor[(n,)]",
        "x: Tensor[(n, n + 1), float32]",
        "s: Shape[(n,)], x: Tensor[(n,), float32]",
        "x: Tensor[(n,), float32], y: (Tensor[(n,), float32],)",
        "s: Shape, x: Tensor[s, float32]",
        "x: Object",
    ],
)
def test_what_asks_for_more_or_less_is_not_plain(params: str) -> None:
    assert signature_of(params)[0] is None


@pytest.mark.parametrize(
    "value",
    [
        [1.0],
        1.0,
        None,
        np.float32(1),
        np.ones(1, ">f4"),
        np.ones(1, np.float64),
        np.ones((1, 1), np.float32),
        np.ones(1, np.float32).view(np.recarray),
    ],
)
def test_what_is_not_a_plain_array_is_looked_at_closely(value: object) -> None:
    plain, _ = signature_of("x: Tensor[(n,), float32]")
    assert plain is not None
    for _ in range(40):  # step by step, then by code that is made for the signature
        assert plain.sizes([value]) is None
        assert plain.sizes([np.ones(3, np.float32)]) == (3,)
        assert plain.sizes([]) is None
        assert plain.sizes([np.ones(3, np.float32)] * 2) is None


def test_random_signatures() -> None:
    draw = random.Random(5)
    fitted = 0
    for _ in range(400):
        infos: list[str] = []
        arrays: list[np.ndarray] = []
        names = {name: draw.randrange(3) for name in "nmk"}
        for at in range(draw.randint(1, 3)):
            dims = [draw.choice(["n", "m", "k", "0", "1", "2"]) for _ in range(draw.randint(0, 3))]
            dtype = draw.choice(["float32", "int64", "bool"])
            shape = [names[dim] if dim in names else int(dim) for dim in dims]
            if draw.random() < 0.2 and shape:
                shape[draw.randrange(len(shape))] += 1
            if draw.random() < 0.1:
                shape.append(1)
            infos.append(f"x{at}: Tensor[({''.join([f'{dim}, ' for dim in dims])}), {dtype}]")
            arrays.append(np.ones(shape, "int32" if draw.random() < 0.05 else dtype))
        plain, function = signature_of(", ".join(infos))
        assert plain is not None
        env = Environment({}, {})
        refused = match_signature(arrays, function.params, env)  # pyright: ignore[reportAttributeAccessIssue]
        wanted = None if refused is not None else tuple([env.shape_vars[name] for name in plain.names])
        step_by_step = plain.sizes
        assert step_by_step(arrays) == wanted
        for _ in range(16):
            plain.sizes(arrays)
        assert plain.sizes != step_by_step
        assert plain.sizes(arrays) == wanted, "the code that is made says the same"
        fitted += refused is None
    assert 100 < fitted < 350
