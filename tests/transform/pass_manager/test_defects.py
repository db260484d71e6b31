"""Passes that are wrong: each is named, says what it did at its line of Python, and nothing of it is let through."""

from __future__ import annotations

import re
from typing import Any

import pytest

from relax_lang import api, op, transform
from relax_lang.rewrite import Mutator
from relax_lang.syntax import tree
from relax_lang.transform import dataflow_pass, function_pass, module_pass
from relax_lang.transform.core.rebuild import with_body
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError, PassFailed
from relax_lang.transform.pass_manager.passes import PassKind

TEXT = "def @main(x: Tensor[(3,), float32]) { dataflow { let y = exp(x); let z = y + x; output z; } z }"
DECLARES = {"function": function_pass, "module": module_pass, "dataflow": dataflow_pass}


def declared(kind: str, make: Any, name: str = "Wrong") -> PassKind:
    """Return a pass that returns what a function makes of what it is given."""
    return DECLARES[kind](name)(lambda given, run: make(given))


@pytest.mark.parametrize(
    ("kind", "wanted"), [("function", "Function"), ("module", "Typed"), ("dataflow", "DataflowBlock")]
)
@pytest.mark.parametrize(("value", "shown"), [(None, "nothing"), (7, "a value of type int"), ("x", "str")])
def test_what_a_pass_returns_is_of_its_kind(kind: str, wanted: str, value: object, shown: str) -> None:
    with pytest.raises(PassBrokeProgram, match=rf"Wrong: it returned .*{shown}, not a {wanted}"):
        declared(kind, lambda given: value)()(api.typed(TEXT))


def test_a_module_pass_that_returns_a_tree_hears_what_makes_a_program() -> None:
    with pytest.raises(PassBrokeProgram, match=re.escape("`typed.with_module(module)` makes one")):
        declared("module", lambda typed: typed.module)()(api.typed(TEXT))


@pytest.mark.parametrize("kind", DECLARES)
def test_an_exception_names_the_pass_and_the_line(kind: str) -> None:
    def fails(given: Any) -> Any:
        return given.nothing_of_this_name

    typed = api.typed(TEXT)
    failed: list[PassError] = []

    class Listens(transform.Instrument):
        def failed(self, one: object, error: PassError) -> None:
            failed.append(error)

    with pytest.raises(PassFailed, match="Wrong failed: AttributeError: ") as caught:
        declared(kind, fails)()(typed, transform.PassContext(instruments=[Listens()]))
    assert isinstance(caught.value.__cause__, AttributeError)
    assert caught.value.before is typed
    assert failed == [caught.value]
    [note] = caught.value.diagnostic.notes
    assert re.fullmatch(
        r"tests/transform/pass_manager/test_defects\.py:\d+: return given\.nothing_of_this_name", note
    )


def without_bindings(function: tree.Function) -> tree.Function:
    """Return a function in which the value is not defined any more."""
    assert isinstance(function.body, tree.SeqExpr)
    return with_body(function, tree.SeqExpr((), function.body.body))


def not_normal(function: tree.Function) -> tree.Function:
    """Return a function whose body is not a sequence of bindings, on which others stumble."""
    call = tree.Call(tree.Op("exp"), (tree.Var("x", None),), (), None)
    return tree.Function(
        function.name,
        function.private,
        function.purity,
        function.params,
        function.ret_struct_info,
        function.attrs,
        call,
    )


def unknown_operator(function: tree.Function) -> tree.Function:
    """Return a function that calls an operator that there is not."""
    value = tree.Call(tree.Op("no_such"), (tree.Var("x", None),), (), None)
    block = tree.BindingBlock((tree.VarBinding(tree.Var("z", None), value),), False)
    return with_body(function, tree.SeqExpr((block,), tree.Var("z", None)))


@pytest.mark.parametrize("make", [without_bindings, not_normal, unknown_operator])
@pytest.mark.parametrize("after", ["DeadCodeElimination", "CanonicalizeBindings", "LegalizeOps"])
def test_the_pass_is_named_that_made_it_and_not_one_after(make: Any, after: str) -> None:
    typed = api.typed(TEXT)
    passes = [transform.ToNonDataflow(), declared("function", make, "Breaks")(), after]
    with pytest.raises(api.RelaxError, match="Breaks made a program that is not valid") as caught:
        api.optimize(typed, passes)
    cause = caught.value.__cause__
    assert isinstance(cause, PassBrokeProgram)
    assert cause.before is not None
    assert not api.check(str(cause.before)).has_errors


def test_an_instrument_that_shows_what_has_no_text_names_the_pass() -> None:
    shown: list[str] = []
    context = transform.PassContext(instruments=[transform.PrintAfter(lambda _, text: shown.append(text))])
    with pytest.raises(PassBrokeProgram, match="Breaks made a program that is not valid"):
        declared("function", not_normal, "Breaks")()(api.typed(TEXT), context)


def test_mistakes_in_what_a_pass_builds_are_at_its_line() -> None:
    class Wrong(Mutator):
        def visit_Call(self, call: tree.Call) -> object:
            return op.reshape(call.args[0], (7,))

    with pytest.raises(api.RelaxError, match=r"test_defects\.py:\d+:\d+: error\[RLX0447") as caught:
        declared("module", Wrong(), "Reshapes")()(api.typed(TEXT))
    assert "while `Reshapes` worked" in caught.value.diagnostics[0].notes
