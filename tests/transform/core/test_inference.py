"""What is known of a changed module: only what changed is derived again, and the outcome is that of the whole. [D.1]"""

from __future__ import annotations

import os

import pytest

from relax_lang import api, transform
from relax_lang.base.node import walk
from relax_lang.check.infer.drivers.trees import infer_tree
from relax_lang.check.infer.rules import functions
from relax_lang.format.printer import print_tree
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import PIPELINES
from relax_lang.typed import Typed
from tests.transform.same_meaning.outcomes import sound_program


def known(typed: Typed) -> list[tuple[str, str]]:
    """Return the definitions of a program in order, with what is known of each."""
    infos = typed.infos
    return [
        (node.name_hint, print_tree(infos[node]))
        for node in walk(typed.module)
        if isinstance(node, tree.Var | tree.DataflowVar) and node in infos
    ]


class Watching(transform.Instrument):
    """Holds what is known after each pass against inference of the whole module."""

    def after(self, typed: Typed, one: object, result: Typed) -> None:
        """Compare infos, signatures, proofs and effects."""
        _ = typed.infos  # what the result takes over
        whole = Typed(result.module, result.source, headers=result.headers)
        assert known(result) == known(whole), (one, str(result))
        assert {name: print_tree(info) for name, info in result.signatures.items()} == {
            name: print_tree(info) for name, info in whole.signatures.items()
        }
        assert result.inferred.proved <= whole.inferred.proved
        assert result.effects == whole.effects


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_D_1_what_is_taken_over_is_what_would_be_derived(pipeline: str) -> None:
    watching = transform.PassContext(instruments=[Watching()])
    for seed in range(24_000, 24_600 if "RELAX_NIGHTLY" in os.environ else 24_030):
        found = sound_program(seed)
        if found is not None:
            transform.pipeline(pipeline)(found[1], watching)


TEXT = """
def @callee(x: Tensor[(n,), float32]) { exp(x) }
def @caller(x: Tensor[(n,), float32]) { @callee(x) }
def @other(x: Tensor[(n,), float32]) { let a = tanh(x); let b = a; b }
"""


def test_only_what_changed_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    before = api.typed(TEXT)
    _ = before.effects
    derived: list[str] = []
    derive = functions.derive_item

    def watched(module: object, function: tree.Function) -> None:
        assert function.name is not None
        derived.append(function.name.name_hint)
        derive(module, function)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr("relax_lang.check.infer.drivers.module.derive_item", watched)
    after = transform.CanonicalizeBindings()(before)
    _ = after.infos
    assert derived == ["other"]
    derived.clear()
    [callee, caller, _other] = after.functions
    changed = transform.ConvertToDataflow(min_size=1)(after).functions[0]
    both = after.with_items({callee: changed})
    assert known(both)
    assert derived == ["callee", "caller"]  # what may be known of its callers follows from it
    assert caller in both.module.items


def test_the_outcome_before_may_be_of_another_module() -> None:
    before = api.typed(TEXT)
    other = api.typed("def @main(x: Tensor[(n,), float32]) { exp(x) }")
    found = infer_tree(before.module, previous=other.inferred)
    assert not found.diagnostics
    assert set(found.functions) == {"callee", "caller", "other"}
