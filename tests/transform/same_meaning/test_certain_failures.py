"""What fails only when it runs still does, where a pass makes known that it certainly will. [X.O1]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.transform.pass_manager.instruments import Explain, Verify
from relax_lang.typed import Typed
from relax_lang.values import ShapeValue

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


UNREACHED = """
def @main(x: Tensor[(n, 4), int32]) {
  dataflow {
    let s: Shape[(n, 0, n)] = shape(min(n // n, 2 // n), max(1, n) - n * n, n);
    let y = (x, x);
    output s;
  }
  let b = if n <= 0 { max(x, axis=[-2, -1], keepdims=true) } else { x };
  b
}
"""


def test_a_check_stays_that_keeps_a_failure_from_being_certain() -> None:
    with transform.PassContext(instruments=[Verify()]):
        made = str(transform.DeadCodeElimination()(api.typed(UNREACHED)))
    assert "let s: Shape" in made
    assert "(x, x)" not in made
    assert "output" not in made.split("dataflow")[1].split("}", maxsplit=1)[0]


def test_checks_that_keep_none_go() -> None:
    text = UNREACHED.replace("max(x, axis=[-2, -1], keepdims=true)", "negative(x)")
    assert "dataflow" not in str(transform.DeadCodeElimination()(api.typed(text)))


FORMS = """
private def @of(s: Shape[(n, n, n // n)]) -> Tensor[ndim=1, int64] { shape_to_tensor(s) }

def @main(x: Tensor[(n, n, n + n), int32]) {
  let y = match_cast(x, Tensor[(n // n, n, m), int32]);
  let z = if m >= m + m { max(y) } else { if n // n == 1 // n { squeeze(x, axis=0) } else { @of(shape(m, 4, 3)) } };
  y
}
def @other(x: Tensor[(n,), float32]) { exp(x) }
"""


def test_operators_stay_where_their_forms_would_make_a_failure_certain() -> None:
    explain = Explain()
    with transform.PassContext(instruments=[Verify(), explain]):
        made = str(transform.LegalizeOps()(api.typed(FORMS)))
    assert "max(y)" in made
    assert "call_tir(@exp" in made
    assert any("only the run meets" in message for *_, message in explain.remarks)


REFINED = """
def @main(x: Tensor[(), float32], y: Tensor[(m, n), int32]) {
  let z = reshape(x, shape(n));
  let u = exp(z);
  let b = if m + n <= 0 { reshape(x, shape(n, m)) } else { u };
  b
}
def @other(x: Tensor[(n,), float32]) { let y = exp(x); let z = exp(y); z }
"""


def test_calls_stay_in_order_where_a_failure_is_certain_but_for_what_they_check() -> None:
    """Nothing follows from a call of a dataflow block: that n is 1 would be forgotten in the branch."""
    explain = Explain()
    with transform.PassContext(instruments=[Verify(), explain]):
        made = transform.ConvertToDataflow()(api.typed(REFINED))
    main, other = str(made).split("def @other")
    assert "dataflow" not in main
    assert "dataflow" in other
    assert [message for *_, message in explain.remarks] == [
        "it has no blocks: in them a failure is certain that only the run meets"
    ]
    y = np.ones((2, 2), np.int32)
    assert failure(made, np.float32(1), y) == failure(REFINED, np.float32(1), y)


SIZES = """
def @main(s: Shape[(n, m)], x: Tensor[(max(n, 4), 1), float32], t: Shape[(4,)]) {
  let u = match_cast(t, Shape[(n,)]);
  let z = if 1 > n { matmul(x, x) } else { x };
  z
}
def @other(x: Tensor[(n, m), float32]) { reshape(x, shape(n * m)) }
"""


def test_sizes_stay_where_a_failure_is_certain_but_for_what_they_are_compared_with() -> None:
    explain = Explain()
    with transform.PassContext(instruments=[Verify(), explain]):
        made = transform.VMShapeLower()(api.typed(SIZES))
    main, other = str(made).split("def @other")
    assert "match_cast(t, Shape[(n,)])" in main
    assert "heap" not in main
    assert other.count("prim_func") == 1
    assert [message for *_, message in explain.remarks] == [
        "its sizes stay: without them a failure is certain that only the run meets"
    ]
    session = api.start_executable(api.build(SIZES))
    x = np.ones((4, 1), np.float32)
    found = api.run_session(session, "main", [ShapeValue((4, 2)), x, ShapeValue((4,))])
    np.testing.assert_array_equal(np.asarray(found), x)
