"""Derive functions, erasing to a scope, mapping and substitution: E.3-E.14, S.16; calls: D.11.2.4-D.11.2.6."""

from __future__ import annotations

import pytest

from relax_lang.format.printer import show
from relax_lang.struct_info.bound_variables import (
    alpha_equal,
    bare_names,
    binders_of,
    rename_binders,
    substitute,
)
from relax_lang.struct_info.calls import apply
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.context import Context
from relax_lang.struct_info.scope_erasure import erase_to_well_defined
from relax_lang.struct_info.substitution import get_shape_var_mapping
from relax_lang.struct_info.verdict import COMPATIBLE, INCOMPATIBLE, POSSIBLY
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.struct_info.sample_space import free_names, info, scope, shape, shown


def function(text: str) -> tree.FuncStructInfo:
    found = info(text)
    assert isinstance(found, tree.FuncStructInfo)
    return found


def dim(text: str) -> tree.PrimExpr:
    found = info(f"Shape[({text},)]")
    assert isinstance(found, tree.ShapeStructInfo)
    assert found.values is not None
    return found.values[0]


def derived(derive: str, call: str, context: Context) -> str:
    parsed = parse(call, "expr").tree
    assert isinstance(parsed, tree.Call)
    return shown(context.derive(function(derive), parsed))


def test_E_3_derive_default() -> None:
    nothing = Context()
    assert derived("PackedFunc", 'extern "f"(x)', nothing) == "Object"
    assert derived("PackedFunc", 'extern "f"(x) -> Tensor[(2, 3)]', nothing) == "Tensor[(2, 3)]"
    assert derived("PackedFunc", 'extern "f"(x) -> (Tensor, Shape)', nothing) == "(Tensor, Shape)"
    assert derived("PackedFunc", 'extern "f"(x) -> ()', nothing) == "()"


def test_E_4_derive_empty() -> None:
    assert derived('PackedFunc[derive="empty"]', 'extern "f"(x) -> Tensor', Context()) == "Object"


def test_G_21_registered_derive_function() -> None:
    context = Context(derive_functions={"mine": lambda call, _: info("Shape") if call.args else info("()")})
    assert derived('PackedFunc[derive="mine"]', 'extern "f"(x) -> Tensor', context) == "Shape"
    assert derived('PackedFunc[derive="mine"]', 'extern "f"()', context.extended({"n"})) == "()"


def erased(text: str, inner: tuple[str, ...] = (), outer: tuple[str, ...] = ()) -> str:
    variables = {"sh": info("Shape[ndim=2]"), "gone": info("Shape[ndim=3]"), "known": info("Shape[ndim=2]")}
    inside = Context(frozenset({*inner, *outer}), variables, {"known": shape("k", 3)})
    return shown(
        erase_to_well_defined(info(text), inside, Context(frozenset(outer), {"sh": variables["sh"]}))
    )


def test_E_5_tensors() -> None:
    assert erased("T[(k,)]", inner=("k",)) == "Tensor[ndim=1, float32]"
    assert erased("T[(n, k + 1)]", inner=("k",), outer=("n",)) == "Tensor[ndim=2, float32]"
    assert erased("T[(n, 3)]", outer=("n",)) == "Tensor[(n, 3), float32]"
    assert erased("T[sh]") == "Tensor[sh, float32]"
    assert erased("T[gone]") == "Tensor[ndim=3, float32]"
    assert erased("T[known]", inner=("k",)) == "Tensor[ndim=2, float32]"
    assert erased("Tensor[_, int8]") == "Tensor[_, int8]"


def test_E_6_shapes() -> None:
    assert erased("Shape[(k, 3)]", inner=("k",)) == "Shape[ndim=2]"  # the 3 goes too
    assert erased("Shape[(n, 3)]", outer=("n",)) == "Shape[(n, 3)]"  # ERR.31
    assert erased("Shape[ndim=2]") == "Shape[ndim=2]"
    assert erased("Shape") == "Shape"


def test_E_7_tuples() -> None:
    assert erased("(T[(k,)], (Shape[(n,)], Shape[(k,)]))", inner=("k",), outer=("n",)) == (
        "(Tensor[ndim=1, float32], (Shape[(n,)], Shape[ndim=1]))"
    )


def test_E_8_functions() -> None:
    own = "fn(Tensor[(j,), float32]) -> Tensor[(j,), float32]"
    assert erased(own) == own  # ERR.32
    assert (
        erased("fn(T[(j,)]) -> T[(k,)]", inner=("k",))
        == "fn(Tensor[(j,), float32]) -> Tensor[ndim=1, float32]"
    )
    assert erased("impure fn(T[(n,)]) -> ()", outer=("n",)) == "impure fn(Tensor[(n,), float32]) -> ()"
    assert erased("fn(fn(T[(j,)]) -> T[(k,)]) -> T[(n,)]", inner=("k",), outer=("n",)) == (
        "fn(fn(Tensor[(j,), float32]) -> Tensor[ndim=1, float32]) -> Tensor[(n,), float32]"
    )


def test_E_8_a_name_that_was_bound_inside_is_no_binder_outside() -> None:
    assert (
        erased("fn(T[(k,)]) -> T[(k,)]", inner=("k",))
        == "fn(Tensor[ndim=1, float32]) -> Tensor[ndim=1, float32]"
    )
    assert erased("fn(T[(j, k)]) -> T[(j,)]", inner=("k",)) == (
        "fn(Tensor[ndim=2, float32]) -> Tensor[ndim=1, float32]"
    )  # with `k` the place that bound `j` is lost
    assert erased("fn(T[(j, k)], fn(T[(j,)]) -> ()) -> ()", inner=("k",)) == (
        "fn(Tensor[ndim=2, float32], fn(Tensor[ndim=1, float32]) -> ()) -> ()"
    )  # nor is it a binder of the type inside
    assert erased("fn(T[(j, k)], T[(j * 2, i)], T[(i,)]) -> T[(i,)]", inner=("k",)) == (
        "fn(Tensor[ndim=2, float32], Tensor[ndim=2, float32], Tensor[(i,), float32]) -> Tensor[(i,), float32]"
    )


def test_E_9_packed_functions_and_objects() -> None:
    assert erased('PackedFunc[derive="mine"]') == 'PackedFunc[derive="mine"]'
    assert erased("Object") == "Object"


def test_E_10_what_stays_is_shared() -> None:
    one = info("(T[(n,)], fn(T[(j,)]) -> T[(j, n)], Shape)")
    assert erase_to_well_defined(one, scope("n", "k"), scope("n")) is one


def mapped(pattern: str, other: str, context: Context | None = None) -> dict[str, str]:
    found = get_shape_var_mapping(info(pattern), info(other), context or Context())
    return {name: show(value) for name, value in found.items()}


def test_E_11_mapping() -> None:
    assert mapped("Shape[(a, 3)]", "Shape[(n, 4)]") == {"a": "n"}  # ERR.28
    assert mapped("T[(a * 2,)]", "T[(6,)]") == {}
    assert mapped("T[(a, b)]", "T[(n + 1, 4)]") == {"a": "n + 1", "b": "4"}
    assert mapped("T[(a, b)]", "T[(3,)]") == {}
    assert mapped("T[(a,)]", "Tensor[ndim=1, float32]") == {}
    assert mapped("T[(a,)]", "Shape[(3,)]") == {}
    assert mapped("(T[(a,)], (Shape[(b,)],))", "(T[(3,)], (Shape[(4,)],))") == {"a": "3", "b": "4"}
    assert mapped("(T[(a,)],)", "(T[(3,)], T[(4,)])") == {}
    assert mapped("T[(a,)]", "Object") == {}


def test_E_11_looks_through_known_shapes() -> None:
    context = Context(frozenset({"n"}), known={"sh": shape("n", 3)})
    assert mapped("T[(a, b)]", "T[sh]", context) == {"a": "n", "b": "3"}


def test_E_12_variables_in_scope_are_not_mapped() -> None:
    assert mapped("T[(n,)]", "T[(7,)]", scope("n")) == {}
    assert mapped("T[(n,)]", "T[(7,)]") == {"n": "7"}


def test_E_13_the_first_wins() -> None:
    assert mapped("(T[(n,)], T[(n,)])", "(T[(3,)], T[(4,)])") == {"n": "3"}


def test_E_11_ERR_30_inner_signatures() -> None:
    assert mapped("fn(T[(a,)]) -> T[(a,)]", "fn(T[(3,)]) -> T[(3,)]") == {}
    outer = "(T[(a,)], fn(T[(b,)]) -> T[(a,)])"
    assert mapped(outer, "(T[(3,)], fn(T[(5,)]) -> T[(6,)])") == {"a": "3"}


def call(callee: str, *arguments: str, context: Context | None = None) -> tuple[list[str], str]:
    context = context or scope("n", "m")
    applied = apply(function(callee), tuple([info(each) for each in arguments]), context)
    return [verdict.answer for verdict in applied.verdicts], shown(applied.result)


def test_E_14_D_11_2_4_arguments_are_put_in() -> None:
    assert call("fn(T[(a, b)], T[(b, c)]) -> T[(a * 2, c)]", "T[(2, n)]", "T[(n, 7)]") == (
        [COMPATIBLE, COMPATIBLE],
        "Tensor[(4, 7), float32]",
    )
    assert call("fn(T[(a, b)]) -> T[(b, a)]", "T[(2, 3)]") == ([COMPATIBLE], "Tensor[(3, 2), float32]")


def test_D_11_2_5_conflicts_are_reported() -> None:
    callee = "fn(T[(a,)], T[(a,)]) -> T[(a,)]"
    assert call(callee, "T[(3,)]", "T[(4,)]")[0] == [COMPATIBLE, INCOMPATIBLE]  # ERR.29
    assert call(callee, "T[(n,)]", "T[(m,)]")[0] == [COMPATIBLE, POSSIBLY]
    assert call(callee, "T[(n,)]", "T[(n + 1,)]")[0] == [COMPATIBLE, INCOMPATIBLE]
    assert call("fn(T[(2, 4)]) -> ()", "T[(2, 3)]")[0] == [INCOMPATIBLE]
    assert call("fn(T[(a * 2,)], T[(a,)]) -> ()", "T[(6,)]", "T[(3,)]")[0] == [
        COMPATIBLE,
        COMPATIBLE,
    ]  # ERR.40
    assert call("fn(T[(a * 2,)], T[(a,)]) -> ()", "T[(6,)]", "T[(4,)]")[0] == [INCOMPATIBLE, COMPATIBLE]


def test_C_5_4_what_an_argument_binds_fits() -> None:
    unknown = "Tensor[ndim=2, float32]"
    assert call("fn(T[(a, b)]) -> T[(a, b)]", unknown) == ([COMPATIBLE], unknown)
    assert call("fn(T[(a, a)]) -> T[(a,)]", unknown)[0] == [POSSIBLY]
    assert call("fn(T[(a, 3)]) -> T[(a,)]", unknown)[0] == [POSSIBLY]
    assert call("fn(T[(a, b)], T[(b, c)]) -> T[(a, c)]", unknown, unknown)[0] == [COMPATIBLE, POSSIBLY]
    assert call("fn(T[(a, b)], T[(a, b)]) -> ()", unknown, "T[(2, 3)]")[0] == [POSSIBLY, COMPATIBLE]
    assert call("fn(T[(n, m)]) -> ()", unknown)[0] == [POSSIBLY]  # in scope: not bound by the call


def test_C_5_4_a_shared_part_binds_once() -> None:
    pattern, argument = info("(T[(a,)],)"), info("(Tensor[ndim=1, float32],)")
    callee = tree.FuncStructInfo((pattern, pattern, pattern), info("()"), None, True)
    applied = apply(callee, (argument, argument, argument), Context())
    assert [verdict.answer for verdict in applied.verdicts] == [COMPATIBLE, POSSIBLY, POSSIBLY]


def test_D_11_2_6_the_result_is_erased_to_scope() -> None:
    unknown = "Tensor[ndim=1, float32]"
    assert call("fn(T[(a,)]) -> (T[(a,)], T[(n,)])", unknown) == (
        [COMPATIBLE],
        "(Tensor[ndim=1, float32], Tensor[(n,), float32])",
    )
    # The callee's `n` is not the caller's: a signature is closed, and the unbound rest has names of its own.
    closed = rename_binders(info("fn(T[(n,)]) -> T[(n,)]"), frozenset(), {"n", "m"})
    assert shown(closed) == "fn(Tensor[(n_1,), float32]) -> Tensor[(n_1,), float32]"
    assert call(shown(closed), unknown) == ([COMPATIBLE], unknown)
    assert call(shown(closed), "T[(m,)]") == ([COMPATIBLE], "Tensor[(m,), float32]")


@pytest.mark.parametrize(
    ("text", "mapping", "result"),
    [
        ("Shape[(a, b)]", {"a": "b", "b": "a"}, "Shape[(b, a)]"),
        ("T[(a * 2 + b,)]", {"a": "n", "b": "3"}, "Tensor[(n * 2 + 3,), float32]"),
        (
            "(T[(a,)], Shape, Object, PackedFunc)",
            {"a": "n"},
            "(Tensor[(n,), float32], Shape, Object, PackedFunc)",
        ),
        ("fn(T[(j,)]) -> T[(j, a)]", {"a": "n"}, "fn(Tensor[(j,), float32]) -> Tensor[(j, n), float32]"),
        ("fn(T[(j,)]) -> T[(j, a)]", {"a": "j"}, "fn(Tensor[(j_1,), float32]) -> Tensor[(j_1, j), float32]"),
        (
            "fn(T[(a,)]) -> T[(a,)]",
            {"a": "n + 1"},
            "fn(Tensor[(n + 1,), float32]) -> Tensor[(n + 1,), float32]",
        ),
        ("fn(T[(j,)], fn(T[(i, j)]) -> T[(a,)]) -> ()", {"a": "i + j"}, None),
    ],
)
def test_E_14_substitution(text: str, mapping: dict[str, str], result: str | None) -> None:
    put_in = {name: dim(value) for name, value in mapping.items()}
    found = substitute(info(text), put_in, frozenset())
    if result is None:
        result = (
            "fn(Tensor[(j_1,), float32], fn(Tensor[(i_1, j_1), float32]) -> Tensor[(i + j,), float32]) -> ()"
        )
    assert shown(found) == result


def test_E_14_nothing_changes_nothing() -> None:
    one = info("(fn(T[(j,)]) -> T[(j,)], T[(n,)])")
    assert substitute(one, {"k": dim("3")}, frozenset({"n", "k"})) is one
    assert rename_binders(one, frozenset({"n"}), {"k"}) is one


def test_E_14_shared_parts_stay_shared() -> None:
    one = info("T[(n,)]")
    for _ in range(60):  # as a tree: 2 ** 60 leaves
        one = tree.TupleStructInfo((one, one))
    changed = substitute(one, {"n": dim("3")}, frozenset())
    assert isinstance(changed, tree.TupleStructInfo)
    assert changed.fields[0] is changed.fields[1]
    assert free_names(changed, frozenset()) == set()
    assert bare_names([one]) == ["n"]


def test_S_16_binders_of_function_types() -> None:
    text = "fn(T[(k, n, k * 2)], (Shape[(j,)],), fn(T[(i,)]) -> ()) -> T[(k,)]"
    assert binders_of(function(text), frozenset({"n"})) == ["k", "j"]
    assert binders_of(function(text), frozenset()) == ["k", "n", "j"]
    assert free_names(info(text), frozenset({"n"})) == {"n"}


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(b,)]) -> T[(b,)]", True),
        ("fn(T[(a, b)]) -> T[(a,)]", "fn(T[(b, a)]) -> T[(b,)]", True),
        ("fn(T[(a, b)]) -> T[(a,)]", "fn(T[(b, a)]) -> T[(a,)]", False),
        ("fn(T[(a, a)]) -> ()", "fn(T[(a, b)]) -> ()", False),
        ("fn(T[(a,)]) -> T[(n,)]", "fn(T[(b,)]) -> T[(n,)]", True),
        ("fn(T[(n,)]) -> ()", "fn(T[(b,)]) -> ()", False),
        ("fn(T[(a,)]) -> fn(T[(b,)]) -> T[(a,)]", "fn(T[(b,)]) -> fn(T[(a,)]) -> T[(b,)]", True),
        ("fn(T[(a,)]) -> fn(T[(b,)]) -> T[(a,)]", "fn(T[(b,)]) -> fn(T[(a,)]) -> T[(a,)]", False),
        ("(Tensor, T[(n,)])", "(Tensor, T[(n,)])", True),
        ("(Tensor,)", "(Tensor, Tensor)", False),
        ("impure fn() -> ()", "fn() -> ()", False),
        ("PackedFunc", 'PackedFunc[derive="empty"]', False),
        ("T[(a,)]", "T[(b,)]", False),
        ("Tensor", "Shape", False),
    ],
)
def test_D_13_alpha_equality(left: str, right: str, equal: bool) -> None:
    names = frozenset({"n"})
    assert alpha_equal(info(left), info(right), names) is equal
    assert alpha_equal(info(right), info(left), names) is equal


def test_S_16_a_closed_info_is_not_caught_by_later_names() -> None:
    """A function type in scope before `k` is bound must not mean that `k`."""
    written = info("fn(T[(k,)]) -> T[(k,)]")
    closed = rename_binders(written, frozenset({"n"}), {"n", "k"})
    later = scope("n", "k")
    assert check_compatibility(closed, info("fn(T[(3,)]) -> T[(3,)]"), later).answer == COMPATIBLE
    assert check_compatibility(written, info("fn(T[(3,)]) -> T[(3,)]"), later).answer == POSSIBLY


def test_D_13_results_of_calls_are_in_their_usual_form() -> None:
    assert call("fn(T[(a, b)]) -> T[(a // 16 * (b // 16), a + b)]", "T[(224, n)]") == (
        [COMPATIBLE],
        "Tensor[(n // 16 * 14, n + 224), float32]",
    )
