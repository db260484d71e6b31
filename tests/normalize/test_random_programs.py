"""N.0-N.17 on random nested programs: normal, idempotent, nothing captured, effects unchanged, spans kept."""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.base.diagnostic import ERROR, Diagnostic
from relax_lang.base.node import difference, walk
from relax_lang.format.printer import print_tree
from relax_lang.normalize.normalize import normalize
from relax_lang.normalize.verify import verify_normal_form
from relax_lang.scope.context import Resolved
from relax_lang.scope.resolve import resolve
from relax_lang.scope.verify import verify
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.normalize.evaluator import Evaluator
from tests.normalize.programs import Programs

PROGRAMS_PER_CASE = 20


def errors(resolved: Resolved) -> list[Diagnostic]:
    return [one for one in resolved.diagnostics if one.severity == ERROR]


def resolved_program(seed: int) -> tuple[str, tree.IRModule, Resolved]:
    text = Programs(Random(seed)).module()
    parsed = parse(text)
    assert not parsed.diagnostics, (text, parsed.diagnostics)
    found = resolve(parsed.tree)
    assert errors(found) == [], text
    return text, parsed.tree, found


@pytest.mark.parametrize("case", range(20))
def test_N_17_random_programs(case: int) -> None:
    for seed in range(case * PROGRAMS_PER_CASE, (case + 1) * PROGRAMS_PER_CASE):
        text, written, found = resolved_program(seed)
        normal = normalize(written, found)
        assert verify_normal_form(normal) == [], (seed, text)
        again = resolve(normal)
        assert errors(again) == [], (seed, text)
        assert verify(normal) == []
        check_idempotent(normal, again)
        check_meaning(found, again, written, normal)
        check_spans(text, normal)
        assert Evaluator(written).run("main") == Evaluator(normal).run("main"), (
            seed,
            text,
            print_tree(normal),
        )


def check_idempotent(normal: tree.IRModule, resolved: Resolved) -> None:
    """N.0: normalizing twice changes nothing, neither directly nor by way of the printed text."""
    assert difference(normal, normalize(normal, resolved)) is None
    text = print_tree(normal)
    parsed = parse(text)
    assert not parsed.diagnostics, (text, parsed.diagnostics)
    found = resolve(parsed.tree)
    assert errors(found) == [], text
    assert difference(normal, normalize(parsed.tree, found)) is None, text


def check_meaning(before: Resolved, after: Resolved, written: tree.IRModule, normal: tree.IRModule) -> None:
    """N.16: what was a use of a definition still is one; definitions are told apart by their place."""
    meant = {(use.pos, use.end): binder.pos for use, binder in before.bindings.items()}
    kept = 0
    for use, binder in after.bindings.items():
        place = (use.pos, use.end)
        if place in meant:
            kept += 1
            assert binder.pos == meant[place]
    assert kept or not meant
    sizes = {(use.pos, use.end): binder.pos for use, binder in before.shape_bindings.items()}
    for use, binder in after.shape_bindings.items():
        assert binder.pos == sizes[use.pos, use.end]
    assert len({(use.pos, use.end) for use in after.shape_bindings}) == len(sizes)


def check_spans(text: str, normal: tree.IRModule) -> None:
    """Every node has a place in the text; a temporary has that of its value."""
    names = set()
    for node in walk(normal):
        assert 0 <= node.pos <= node.end <= len(text)
        if type(node) is tree.VarBinding:
            var = node.var
            assert isinstance(var, tree.Var | tree.DataflowVar)
            if (var.pos, var.end) == (node.value.pos, node.value.end):
                names.add(var.name_hint.rpartition("_")[0] or var.name_hint)
    assert names <= {"lv", "gv"}


def test_the_programs_are_worth_testing() -> None:
    """The generator reaches every construct, and programs do have effects."""
    kinds: set[type] = set()
    logged = renamed = 0
    for seed in range(60):
        _, written, found = resolved_program(seed)
        kinds |= {type(node) for root in (written, normalize(written, found)) for node in walk(root)}
        logged += len(Evaluator(written).run("main")[0])
        renamed += "_2" in print_tree(normalize(written, found))
    wanted = {
        tree.BinaryOp, tree.UnaryOp, tree.If, tree.SeqExpr, tree.Function, tree.DataflowBlock, tree.BindingBlock,
        tree.MatchCast, tree.TupleGetItem, tree.ExternFunc, tree.ShapeExpr, tree.DataflowVar, tree.MatchShapeInfo,
        tree.FuncStructInfo, tree.GlobalVar,
    }  # fmt: skip
    assert wanted <= kinds
    assert logged > 300
    assert renamed > 40
