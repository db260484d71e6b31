"""What fails only when it runs still does, where a pass makes known that it certainly will. [X.O1]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.transform.core.instruments import Explain, Verify
from relax_lang.typed import Typed

ONES = np.ones(3, np.float32)
PREFIX = "dataflow { let s = const([1.0, 1.0, 0.0], float32);"


def failure(program: str | Typed, *args: object) -> str:
    """Return the slug of the failure of a run."""
    with pytest.raises(api.RelaxError) as caught:
        api.run(program, *args)
    return caught.value.diagnostics[0].slug


@pytest.mark.parametrize(
    "rest",
    [
        "let u = unique(s); let z = add(u, x); output z; } z",
        "let u = unique(s); let z = match_cast(u, Tensor[(3,), float32]); output z; } z",
        "let u = nonzero(s); let z = match_cast(u, Tensor[(3, 3), int64]); output z; } z",
        "let u = unique(s); let z = @same(u); output z; } z",
        "let u = unique(s); let z = call_tir(@copy, (u,)) -> Tensor[(3,), float32]; output z; } z",
        "let t = tensor_to_shape(const([4], int64)); let z = reshape(x, t); output z; } z",
    ],
)
def test_fold_constant_keeps_results_that_reveal_a_failure(rest: str) -> None:
    text = (
        f"def @main(x: Tensor[(3,), float32]) {{ {PREFIX} {rest} }}"
        "private def @same(y: Tensor[(3,), float32]) { y }"
        "prim_func @copy(a: Buffer[(n,), float32], b: Buffer[(n,), float32]) { for i in 0..n { b[i] = a[i]; } }"
    )
    with transform.PassContext(instruments=[Verify()]):
        made = transform.FoldConstant()(api.typed(text))
    assert failure(made, ONES) == failure(text, ONES)


def test_fold_constant_folds_shapes_that_become_known() -> None:
    text = f"def @main(x: Tensor[(2,), float32]) {{ {PREFIX} let u = unique(s); let z = add(u, x); output z; }} z }}"
    made = str(transform.FoldConstant()(api.typed(text)))
    assert "let u = const([0.0, 1.0], float32);" in made


@pytest.mark.parametrize(
    ("params", "body", "ret"),
    [
        ("x: Tensor[(n,), float32], w: Tensor[(n,), float32]", "add(x + const([1.0, 2.0], float32), w)", ""),
        ("x: Tensor[(3,), float32], w: Tensor[(m,), float32]", "add(x, w)", "-> Tensor[ndim=1, float32]"),
        ("x: Tensor[(3,), float32], w: Tensor", "add(x, w)", ""),
        ("x: Tensor[(3,), float32], w: Object", "let z = match_cast(w, Tensor[(3,), float32]); z", ""),
    ],
)
def test_bound_parameters_that_reveal_a_failure_are_passed(params: str, body: str, ret: str) -> None:
    text = f"def @main({params}) {ret} {{ {body} }}"
    w = np.ones(3 if "w: Tensor[(n,)" in text else 4, np.float32)
    explain = Explain()
    with transform.PassContext(instruments=[Verify(), explain]):
        made = transform.BindParams(w=w)(api.typed(text))
    assert failure(made, ONES) == failure(text, ONES, w)
    assert "@main_1" in str(made)
    assert len(explain.remarks) == 1


def test_parameters_that_reveal_none_are_bound() -> None:
    """Whether the sizes agree is not known before it runs."""
    text = "def @main(x: Tensor[(n,), float32], w: Tensor[(m,), float32]) { reshape(w, shape(n)) }"
    made = transform.BindParams(w=np.ones(4, np.float32))(api.typed(text))
    assert "@main_1" not in str(made)
    assert failure(made, ONES) == failure(text, ONES, np.ones(4, np.float32))
