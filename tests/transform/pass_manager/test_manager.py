"""Passes, sequences, contexts, instruments: what they promise, and what goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import find_pass, parse_passes, passes
from relax_lang.transform.pass_manager.comparing import magnitude, same_values
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError, PassRefused
from relax_lang.transform.pass_manager.passes import Run
from relax_lang.typed import Typed

TEXT = """
def @main(x: Tensor[(n,), float32]) {
  dataflow { let a = exp(x); let b = exp(x); let unused = a + b; let c = a * b; output c; }
  c
}
"""


def test_names_in_any_case() -> None:
    for word in ("FoldConstant", "fold-constant", "fold_constant", "FOLDCONSTANT"):
        assert find_pass(word).name == "FoldConstant"


def test_lists_of_passes() -> None:
    made = parse_passes(
        'FoldConstant(limit=3), dce2x(entry_functions=["f", g])'.replace("dce2x", "dead-code-elimination")
    )
    assert [one.name for one in made.passes] == ["FoldConstant", "DeadCodeElimination"]
    assert made.passes[0].options == {"limit": 3}
    assert made.passes[1].options == {"entry_functions": ["f", "g"]}
    assert repr(parse_passes(repr(made))) == repr(made)


@pytest.mark.parametrize(
    ("text", "slug", "words"),
    [
        ("FoldConstants", "unknown-pass", "FoldConstant"),
        ("Nothing.at.all", "unknown-pass", "ToNonDataflow"),
        ("FoldConstant(limits=3)", "pass-option", "limit"),
        ("FoldConstant(limit=-1)", "pass-option", ""),
        ("FoldConstant(limit)", "pass-syntax", ""),
        ("FoldConstant,,FoldConstant", "pass-syntax", ""),
        ("", "pass-syntax", ""),
        ("FoldConstant(", "pass-syntax", ""),
        ("ToNonDataflow(x=1)", "pass-option", "options"),
    ],
)
def test_mistakes_in_lists(text: str, slug: str, words: str) -> None:
    with pytest.raises(PassError) as caught:
        parse_passes(text)
    assert caught.value.diagnostic.slug == slug
    assert words in (caught.value.diagnostic.help or "")


def test_a_pass_changes_nothing_of_what_it_is_given() -> None:
    before = api.typed(TEXT)
    text = str(before)
    after = transform.pipeline("optimize")(before)
    assert str(before) == text
    assert str(after) != text
    assert transform.pipeline("optimize")(after) is after


def test_contexts() -> None:
    before = api.typed(TEXT)
    with transform.PassContext(disabled=["DeadCodeElimination"]):
        assert transform.DeadCodeElimination()(before) is before
    timing = transform.Timing()
    with transform.PassContext(instruments=[timing]):
        after = transform.DeadCodeElimination()(before)
        with transform.PassContext():
            transform.DeadCodeElimination()(before)
    assert "unused" not in str(after)
    assert len(timing.rows) == 1
    assert timing.rows[0].changed == 1
    assert timing.rows[0].before == (4, 0)
    assert timing.rows[0].after == (3, 0)
    assert timing.table().splitlines()[1].startswith("DeadCodeElimination ")
    with (
        transform.PassContext(options={"FoldConstant": {"limits": 1}}),
        pytest.raises(PassError, match="unknown option"),
    ):
        transform.FoldConstant()(before)


def test_instruments_that_show() -> None:
    shown: list[tuple[str, str]] = []
    dumped: list[tuple[str, str]] = []
    changed: list[tuple[str, str]] = []
    watching = [
        transform.PrintAfter(lambda *found: shown.append(found), {"DeadCodeElimination"}, "@main"),
        transform.DumpTo(lambda *found: dumped.append(found)),
        transform.Changed(lambda *found: changed.append(found)),
        transform.Verify(),
    ]
    with transform.PassContext(instruments=watching):
        transform.Sequential(
            [transform.ToNonDataflow, transform.DeadCodeElimination(), transform.ToNonDataflow]
        )(api.typed(TEXT))
    assert [head for head, _ in shown] == ["after DeadCodeElimination"]
    assert [name for name, _ in dumped] == [
        "01-ToNonDataflow.rlx",
        "02-DeadCodeElimination.rlx",
        "03-ToNonDataflow.rlx",
    ]
    assert all(not api.check(text).has_errors for _, text in dumped)
    assert [head for head, _ in changed] == ["ToNonDataflow"]
    assert "-  dataflow {" in changed[0][1]


class Veto(transform.Instrument):
    def should_run(self, typed: Typed, one: object) -> bool:
        return False


def test_an_instrument_can_prevent_a_pass() -> None:
    before = api.typed(TEXT)
    with transform.PassContext(instruments=[Veto()]):
        assert transform.ToNonDataflow()(before) is before


@transform.function_pass("LosesItsBinding")
def loses_its_binding(function: tree.Function, run: Run) -> tree.Function:
    """Forget all bindings."""
    assert isinstance(function.body, tree.SeqExpr)
    from relax_lang.transform.core.rebuild import with_body

    return with_body(function, tree.SeqExpr((), function.body.body))


@transform.module_pass("Negates")
def negates(typed: Typed, run: Run) -> Typed:
    """Compute something else."""
    from relax_lang.transform.core.rebuild import Rewriting

    def change(node: tree.Node) -> tree.Node:
        return tree.Op("negative") if isinstance(node, tree.Op) and node.op_name == "exp" else node

    return typed.with_module(Rewriting(change).of(typed.module))


@transform.function_pass("Refuses", options="mood: str")
def refuses(function: tree.Function, run: Run, mood: str) -> tree.Function:
    """Refuse."""
    run.refuse(function.name, f"not in this mood: {mood}", "wait")


@transform.dataflow_pass()
def drops_outputs(block: tree.DataflowBlock, run: Run) -> tree.DataflowBlock:
    """Drop the outputs."""
    return tree.DataflowBlock(block.bindings, ())


def test_a_pass_that_breaks_a_program_is_named() -> None:
    before = api.typed(TEXT)
    with transform.PassContext(instruments=[transform.Verify()]), pytest.raises(PassBrokeProgram) as caught:
        loses_its_binding()(before)
    assert caught.value.before is before
    assert "LosesItsBinding" in caught.value.diagnostic.message
    assert caught.value.diagnostic.slug == "pass-broke-program"
    with pytest.raises(PassBrokeProgram, match="DropsOutputs: it changed the outputs"):
        drops_outputs()(before)


def test_a_pass_that_changes_a_result_is_named() -> None:
    before = api.typed(TEXT)
    compare = transform.Compare(seed=3, dims={"n": 2})
    with transform.PassContext(instruments=[compare]), pytest.raises(PassBrokeProgram) as caught:
        transform.Sequential([transform.DeadCodeElimination, negates])(before)
    assert caught.value.diagnostic.slug == "pass-changed-result"
    assert "Negates" in caught.value.diagnostic.message
    assert "unused" not in str(caught.value.before)
    assert compare.compared == {"main"}


CANCELLING = """
def @main(x: Tensor[(6,), float64]) -> Tensor[(), float64] { mean(subtract(x, mean(x, keepdims=true))) }
"""


@transform.function_pass("Doubles")
def doubles(function: tree.Function, run: Run) -> tree.Function:
    """Take sums of other numbers: twice as much of nothing."""

    def change(node: tree.Node) -> tree.Node:
        return tree.Op("add") if isinstance(node, tree.Op) and node.op_name == "subtract" else node

    from relax_lang.transform.core.rebuild import Rewriting

    return Rewriting(change).of(function)


def test_what_is_left_where_terms_cancel_is_compared_relative_to_these() -> None:
    one, other = np.array(1e-17), np.array(-3e-17)
    assert not same_values(one, other)
    assert same_values(one, other, 1.0)
    assert not same_values(np.array(1.0), np.array(1.001), 1.0)
    assert magnitude((np.array([1, -7]), [np.array([np.inf, 3.5]), np.array([True])])) == 7.0
    for seed in range(8):
        with transform.PassContext(instruments=[transform.Compare(seed=seed)]):
            transform.LegalizeOps()(api.typed(CANCELLING))
    with (
        transform.PassContext(instruments=[transform.Compare(seed=3)]),
        pytest.raises(PassBrokeProgram, match="Doubles"),
    ):
        doubles()(api.typed(CANCELLING))


def test_a_pass_that_refuses() -> None:
    with pytest.raises(PassRefused) as caught:
        refuses(mood="bad")(api.typed(TEXT))
    found = caught.value.diagnostic
    assert (found.slug, found.message, found.help) == (
        "pass-refused",
        "Refuses: not in this mood: bad",
        "wait",
    )
    assert found.pos > 0
    with pytest.raises(PassError, match="missing option `mood`"):
        refuses()


def test_passes_of_ones_own_can_be_registered() -> None:
    from relax_lang.transform import catalogue

    catalogue.register_pass(negates)
    try:
        catalogue.register_pipeline("mine", ["Negates"])
        assert "negative(x)" in str(transform.pipeline("mine")(api.typed(TEXT)))
        with pytest.raises(ValueError, match="already"):
            catalogue.register_pass(negates)
    finally:
        del catalogue.passes()["Negates"]
        del catalogue.PIPELINES["mine"]
    with pytest.raises(PassError, match="there is no pipeline `mine`"):
        transform.pipeline("mine")


def test_optimize_from_the_api() -> None:
    assert "unused" not in str(api.optimize(TEXT))
    with pytest.raises(api.RelaxError, match="unknown-pass"):
        api.optimize(TEXT, "Foo")
    with pytest.raises(api.RelaxError, match="pass-broke-program"):
        api.optimize(TEXT, transform.Sequential([loses_its_binding]))
    assert sorted(dir(transform))[0]
    assert set(passes()) <= set(dir(transform))


@pytest.mark.parametrize("name", [name for name, kind in passes().items() if not kind.any_option])
def test_long_functions_need_no_stack(name: str) -> None:
    lines = [f"let v{at} = tanh(v{at - 1});" for at in range(1, 1_500)]
    text = f"def @main(v0: Tensor[(), float32]) {{ dataflow {{ {' '.join(lines)} let o = v1499; output o; }} o }}"
    after = find_pass(name)()(api.typed(text))
    assert len(after.functions) == (2 if name == "Gradient" else 1)
