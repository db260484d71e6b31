"""A new node of a tree, or of what PrimFuncs are lowered to: pyright names every pass that does not handle it yet.

A copy of the checkout gets one scratch class in each large group; nothing else is changed.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SCRATCH = {
    "Binding": "ScratchBinding(Binder? var, Expr value)",
    "BlockOfBindings": "ScratchBlock(Binding* bindings)",
    "Expr": "ScratchExpr(Expr operand)",
    "StructInfo": "ScratchInfo(StructInfo* fields)",
    "Literal": "ScratchLiteral(Literal* items)",
    "PrimExpr": "ScratchPrimExpr(PrimExpr a)",
    "Stmt": "ScratchStmt(PrimExpr condition)",
}
"""Group to a class that is like its others, so that only what decides by class can fail."""

SCRATCH_OF_RELAY = {
    "Item": "ScratchRelayItem(string name)",
    "Expr": "ScratchRelayExpr(Expr value)",
    "Binding": "ScratchRelayBinding(Var var, Type? annotation, Expr value)",
    "Pattern": "ScratchRelayPattern(Pattern* fields)",
    "Type": "ScratchRelayType(Type* fields)",
    "Dim": "ScratchRelayDim(int value)",
    "AttrValue": "ScratchRelayValue(AttrValue* items)",
}
"""The same of the tree of Relay."""

SCRATCH_OF_ARRAY_IR = {
    "Axis": "class ScratchAxis(Node):\n    index: Scalar",
    "ViewOf": "class ScratchView(Node):\n    array: Expr",
    "Other": "class ScratchValue(Node):\n    array: Expr",
    "Simple": "class ScratchStatement(Node):\n    value: Expr",
    "Nested": "class ScratchNested(Node):\n    body: list[Statement]",
}
"""Union of the array IR to a class of its own."""

SCRATCH_OF_LOWERING = {
    "Vector": (
        "analysis/lowered/vector_ir.py",
        "class ScratchVector(_Vector):\n    args: tuple[Vector, ...] = ()",
    ),
    "Statement": (
        "analysis/lowered/statements.py",
        "@dataclass(eq=False, slots=True)\nclass ScratchLowered(_Statement):\n    value: Vector",
    ),
    "Node": ("schedule/plan.py", "class ScratchPlan(_Node):\n    pass"),
}
"""Union of what PrimFuncs are lowered to, and of plans, to its module and a class of its own."""

PASSES = {
    "ScratchBinding": [
        "scope/resolve.py",
        "normalize/normalize.py",
        "normalize/verify.py",
        "check/infer/purity.py",
        "check/infer/rules/bindings.py",
        "runtime/interpreter/interpreter.py",
        "runtime/compiler/codegen/functions.py",
    ],
    "ScratchBlock": ["scope/resolve.py", "normalize/normalize.py", "normalize/verify.py"],
    "ScratchExpr": [
        "scope/resolve.py",
        "normalize/normalize.py",
        "normalize/verify.py",
        "normalize/inner_bodies.py",
        "check/infer/purity.py",
        "check/explicit_memory.py",
        "check/infer/context/infos_as_written.py",
        "check/infer/messages/chains.py",
        "check/infer/rules/expressions.py",
        "runtime/instrument/observer.py",
        "runtime/interpreter/interpreter.py",
        "runtime/interpreter/atoms.py",
        "runtime/compiler/codegen/atoms.py",
        "runtime/compiler/codegen/functions.py",
        "runtime/compiler/certain_sizes.py",
        "runtime/compiler/refinements.py",
        "analysis/aliasing.py",
        "analysis/call_graph.py",
        "analysis/escape.py",
        "analysis/operand_infos.py",
        "analysis/row_independence.py",
        "graph/model.py",
        "onnx/building/comments.py",
        "onnx/exporting/module.py",
        "rewrite/matching.py",
        "rewrite/mutator.py",
        "rewrite/rules.py",
        "transform/bindings/canonicalize_bindings.py",
        "transform/bindings/dead_code_elimination.py",
        "transform/bindings/eliminate_common_subexpr.py",
        "transform/bindings/fold_constant.py",
        "transform/functions/lambda_lift.py",
        "transform/lowering/vm_shape_lower.py",
        "transform/operators/adjoints.py",
        "transform/operators/gradient.py",
        "transform/prim_funcs/dataflow_use_inplace_calls.py",
        "tvmscript/writer/expressions.py",
        "vm/compiler/call_sites.py",
        "vm/compiler/codegen.py",
    ],
    "ScratchInfo": [
        "scope/spans.py",
        "scope/struct_infos.py",
        "struct_info/bound_variables.py",
        "struct_info/compatibility.py",
        "struct_info/join.py",
        "struct_info/match_casts.py",
        "struct_info/scope_erasure.py",
        "struct_info/substitution.py",
        "struct_info/types.py",
        "struct_info/verdict.py",
        "struct_info/widening.py",
        "normalize/computed_shapes.py",
        "ops/shape_rules/infer.py",
        "relay/operators/symbolic.py",
        "check/infer/rules/annotations.py",
        "check/infer/rules/choices.py",
        "runtime/values/closure_info.py",
        "runtime/values/match_cast.py",
        "runtime/calling/random_arguments.py",
        "runtime/compiler/codegen/declared_results.py",
        "runtime/compiler/refinements.py",
        "transform/core/evaluating.py",
        "transform/lowering/obstacles.py",
        "transform/lowering/shape_emitting.py",
        "transform/lowering/shape_heap.py",
        "transform/operators/legal_forms.py",
        "tvmscript/writer/struct_infos.py",
    ],
    "ScratchLiteral": ["ops/core/attributes.py", "tvmscript/writer/text.py"],
    "ScratchPrimExpr": [
        "arith/evaluate.py",
        "arith/normal_form.py",
        "tir/analysis/references/index_expressions.py",
        "tir/ir/typing/untyped_literals.py",
        "tir/ir/typing/expression_types.py",
        "tir/lower/values.py",
        "tir/interp/expressions.py",
        "tir/loops/expressions.py",
        "tir/loops/streams.py",
        "tvmscript/writer/scalars.py",
        "tvmscript/writer/struct_infos.py",
    ],
    "ScratchStmt": [
        "syntax/recovery/assignments_in_prim_funcs.py",
        "tir/analysis/references/collect_references.py",
        "tir/analysis/references/expand_views.py",
        "tir/analysis/rows.py",
        "tir/check/reduction_init.py",
        "tir/interp/statements.py",
        "tir/ir/views.py",
        "tir/ir/typing/well_typed.py",
        "tir/loops/statements.py",
        "tir/loops/steps.py",
        "tir/loops/streams.py",
        "tir/lower/lower.py",
        "tir/lower/state.py",
        "transform/core/prim_func_copies.py",
        "tvmscript/writer/prim_funcs.py",
    ],
    "ScratchAxis": [
        "tir/array_ir/text.py",
        "tir/codegen/passes/types.py",
        "tir/codegen/printer/expressions.py",
    ],
    "ScratchView": [
        "tir/codegen/passes/effects.py",
        "tir/codegen/passes/loops/invariant_motion.py",
        "tir/codegen/passes/types.py",
        "tir/codegen/passes/verify.py",
        "tir/codegen/printer/expressions.py",
    ],
    "ScratchValue": [
        "tir/codegen/passes/effects.py",
        "tir/codegen/passes/loops/invariant_motion.py",
        "tir/codegen/passes/types.py",
        "tir/codegen/passes/verify.py",
        "tir/codegen/printer/expressions.py",
    ],
    "ScratchStatement": [
        "tir/array_ir/text.py",
        "tir/codegen/calls/constant_folding.py",
        "tir/codegen/calls/size_values.py",
        "tir/codegen/calls/small_arrays.py",
        "tir/codegen/passes/effects.py",
        "tir/codegen/passes/loops/invariant_motion.py",
        "tir/codegen/passes/verify.py",
        "tir/codegen/printer/statements.py",
    ],
    "ScratchNested": [
        "tir/array_ir/text.py",
        "tir/codegen/calls/constant_folding.py",
        "tir/codegen/calls/size_values.py",
        "tir/codegen/calls/small_arrays.py",
        "tir/codegen/passes/effects.py",
        "tir/codegen/passes/loops/invariant_motion.py",
        "tir/codegen/passes/verify.py",
        "tir/codegen/printer/statements.py",
    ],
    "ScratchVector": [
        "tir/analysis/lowered/sources.py",
        "tir/analysis/lowered/vector_ir.py",
        "tir/codegen/array_expressions.py",
        "tir/schedule/plan_text.py",
    ],
    "ScratchLowered": ["tir/analysis/lowered/statement_accesses.py", "tir/schedule/distribute.py"],
    "ScratchPlan": [
        "tir/codegen/function.py",
        "tir/schedule/operations.py",
        "tir/schedule/plan.py",
        "tir/schedule/plan_text.py",
        "tir/schedule/remarks.py",
    ],
    "ScratchRelayItem": ["relay/scope/resolve.py"],
    "ScratchRelayExpr": [
        "relay/evaluation/interpreter.py",
        "relay/forms/rewriter.py",
        "relay/scope/resolve.py",
        "relay/translation/expressions.py",
        "relay/types/expressions.py",
    ],
    "ScratchRelayBinding": [
        "relay/evaluation/interpreter.py",
        "relay/forms/a_normal.py",
        "relay/forms/graph.py",
        "relay/scope/resolve.py",
        "relay/translation/expressions.py",
        "relay/types/expressions.py",
    ],
    "ScratchRelayPattern": [
        "relay/evaluation/interpreter.py",
        "relay/forms/rewriter.py",
        "relay/scope/resolve.py",
        "relay/translation/matches.py",
        "relay/types/exhaustiveness.py",
        "relay/types/matches.py",
    ],
    "ScratchRelayType": ["relay/types/kinds.py"],
    "ScratchRelayDim": ["relay/types/kinds.py"],
    "ScratchRelayValue": ["relay/types/attributes.py"],
}
"""New class to the modules that have to say what they do with it; others may be named, too."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """Return a copy of the checkout whose trees and array IR have the scratch classes."""
    copy = tmp_path_factory.mktemp("scratch")
    for folder in ("relax_lang", "tools", "grammar"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    for name, classes in (("tree.asdl", SCRATCH), ("relay.asdl", SCRATCH_OF_RELAY)):
        declaration = copy / "grammar" / name
        lines = declaration.read_text(encoding="utf-8").splitlines()
        for group, node in classes.items():
            lines.insert(lines.index(group) + 1, f"  {node}")
        declaration.write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run([sys.executable, copy / "tools" / "make_tree.py"], check=True)
    add_to_array_ir(copy / "relax_lang" / "tir" / "array_ir" / "nodes.py")
    add_to_lowering(copy / "relax_lang" / "tir")
    return copy


def add_to_array_ir(module):
    """Write the scratch classes before the first union, and each in its union."""
    text = module.read_text(encoding="utf-8")
    classes = "\n\n\n".join(SCRATCH_OF_ARRAY_IR.values())
    text = text.replace("\nAxis = ", f"\n{classes}\n\nAxis = ", 1)
    for union, node in SCRATCH_OF_ARRAY_IR.items():
        name = node.removeprefix("class ").partition("(")[0]
        assert f"\n{union} = " in text
        text = text.replace(f"\n{union} = ", f"\n{union} = {name} | ", 1)
    module.write_text(text, encoding="utf-8")


def add_to_lowering(folder):
    """Write each scratch class before its union, and in it."""
    for union, (module, node) in SCRATCH_OF_LOWERING.items():
        text = (folder / module).read_text(encoding="utf-8")
        name = node.partition("class ")[2].partition("(")[0]
        before, head, members = text.partition(f"if TYPE_CHECKING:\n    {union}: TypeAlias = ")
        assert head, union
        (folder / module).write_text(f"{before}{node}\n\n\n{head}{name} | {members}", encoding="utf-8")


def run(scratch, code):
    """Run Python code in the copy and return the words it prints."""
    env = {**os.environ, "PYTHONPATH": str(scratch)}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, cwd=scratch, env=env, capture_output=True, text=True, check=True
    ).stdout.split()


def test_the_generated_classes_can_be_imported(scratch):
    code = (
        "from relax_lang.syntax import tree; from relax_lang.tir.array_ir import nodes;"
        " print(issubclass(tree.ScratchExpr, tree.Expr), nodes.ScratchView.fields_of);"
        " from relax_lang.tir.schedule import plan; print(issubclass(plan.ScratchPlan, plan.Node))"
    )
    assert run(scratch, code) == ["True", "('array',)", "True"]


def test_the_formatter_has_a_test_that_names_the_nodes_without_a_row(scratch):
    code = (
        "from relax_lang.syntax import tree; from relax_lang.format import printer; from relax_lang.format.context"
        " import TABLE; print(*sorted(node.__name__ for node in tree.NODES if node not in TABLE))"
    )
    assert run(scratch, code) == sorted(node.split("(")[0] for node in SCRATCH.values())


def test_the_formatter_of_relay_has_a_row_for_every_other_node(scratch):
    code = (
        "from relax_lang.relay.syntax import tree, printer; from relax_lang.format.context import TABLE;"
        " print(*sorted(node.__name__ for node in tree.NODES if node not in TABLE))"
    )
    assert run(scratch, code) == sorted(node.split("(")[0] for node in SCRATCH_OF_RELAY.values())


@pytest.fixture(scope="module")
def errors(scratch):
    """Return what pyright reports in the copy: module to the messages."""
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    listed = sorted({f"relax_lang/{module}" for modules in PASSES.values() for module in modules})
    config = {"include": listed, "typeCheckingMode": "standard", "pythonVersion": "3.11"}
    (scratch / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = subprocess.run([pyright, "--outputjson"], cwd=scratch, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {}
    for one in json.loads(done.stdout)["generalDiagnostics"]:
        if one["severity"] == "error":
            module = Path(one["file"]).relative_to((scratch / "relax_lang").resolve()).as_posix()
            found.setdefault(module, []).append(one["message"])
    return found


@pytest.mark.parametrize("node", PASSES)
def test_pyright_names_every_pass(errors, node):
    named = {module for module, messages in errors.items() if any(node in message for message in messages)}
    assert sorted(set(PASSES[node]) - named) == []
