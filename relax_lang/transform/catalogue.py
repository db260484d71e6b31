"""All passes by name, the pipelines, and the small language that `relax opt --passes` takes.

    FoldConstant, fuse-ops(max_depth=8), BindSymbolicVars(n=4)

Names may be written in any case, with or without dashes. Values are written as attributes in programs: numbers,
strings, `true`, `null`, dtypes, lists, and names of operators without quotes.
"""

from __future__ import annotations

import importlib
import re

from relax_lang.base.names import nearest
from relax_lang.ops.core.signature import parse_value, split_top
from relax_lang.transform.pass_manager import diagnostics as diag
from relax_lang.transform.pass_manager.errors import PassError
from relax_lang.transform.pass_manager.passes import Pass, PassKind
from relax_lang.transform.pass_manager.sequence import Sequential

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MODULES = (
    "bindings.normalize",
    "bindings.convert_to_dataflow",
    "bindings.to_non_dataflow",
    "bindings.canonicalize_bindings",
    "bindings.eliminate_common_subexpr",
    "bindings.dead_code_elimination",
    "bindings.fold_constant",
    "bindings.topological_sort",
    "functions.bind_symbolic_vars",
    "functions.bind_params",
    "functions.lambda_lift",
    "functions.inline_private_functions",
    "functions.expand_tuple_arguments",
    "functions.remove_unused_parameters",
    "functions.remove_unused_outputs",
    "operators.decompose_ops",
    "operators.fold_batch_norm",
    "operators.gradient",
    "operators.dispatch_to_packed",
    "operators.legalize_ops",
    "operators.fuse_ops_by_pattern",
    "prim_funcs.annotate_tir_op_pattern",
    "prim_funcs.rewrite_dataflow_reshape",
    "prim_funcs.rewrite_dataflow_view",
    "prim_funcs.fuse_ops",
    "prim_funcs.fuse_tir",
    "prim_funcs.dataflow_use_inplace_calls",
    "lowering.call_tir_rewrite",
    "prim_funcs.allocate_workspace",
    "lowering.static_plan_block_memory",
    "lowering.lower_alloc_tensor",
    "lowering.kill_after_last_use",
    "lowering.lower_runtime_builtin",
    "lowering.vm_shape_lower",
    "lowering.attach_global_symbol",
)
"""The modules that declare the passes, in the order of the documentation."""

PIPELINES: dict[str, tuple[str, ...]] = {
    "optimize": (
        "ConvertToDataflow",
        "CanonicalizeBindings",
        "FoldConstant",
        "EliminateCommonSubexpr",
        "CanonicalizeBindings",
        "DeadCodeElimination",
    ),
    "zero": (
        "ConvertToDataflow",
        "LegalizeOps",
        "AnnotateTIROpPattern",
        "FoldConstant",
        "FuseOps",
        "FuseTIR",
        "DeadCodeElimination",
    ),
    "build": (
        "LambdaLift",
        "LegalizeOps",
        "RewriteDataflowReshape",
        "ToNonDataflow",
        "CallTIRRewrite",
        "AllocateWorkspace",
        "StaticPlanBlockMemory",
        "LowerAllocTensor",
        "KillAfterLastUse",
        "LowerRuntimeBuiltin",
        "VMShapeLower",
        "AttachGlobalSymbol",
    ),
}
"""The names of pipelines and the passes that they run."""
PIPELINES["release"] = (*PIPELINES["optimize"], *PIPELINES["build"])

_PASSES: dict[str, PassKind] = {}

REGISTERED: list[str] = []
"""The passes and pipelines that are not of this package, in the order in which they were registered."""


def passes() -> dict[str, PassKind]:
    """Return all passes by name, in the order of the documentation."""
    if not _PASSES:
        for name in _MODULES:
            module = importlib.import_module(f"relax_lang.transform.{name}")
            for value in vars(module).values():
                if isinstance(value, PassKind) and value.apply.__module__ == module.__name__:
                    _PASSES[value.name] = value
    return _PASSES


def register_pass(kind: PassKind) -> PassKind:
    """Make a pass known by its name, for `relax opt` and pipelines. Raises ValueError if there is one of that name."""
    if kind.name in passes():
        raise ValueError(f"there is a pass {kind.name} already")
    _PASSES[kind.name] = kind
    REGISTERED.append(kind.name)
    return kind


def register_pipeline(name: str, names: Sequence[str]) -> None:
    """Make a pipeline known by its name."""
    PIPELINES[name] = tuple(names)
    REGISTERED.append(name)


def find_pass(word: str) -> PassKind:
    """Return a pass by its name, in any case and with dashes. Raises PassError, with what may be meant."""
    known = passes()
    found = known.get(word)
    if found is None:
        plain = {_plain(name): kind for name, kind in known.items()}
        found = plain.get(_plain(word))
        if found is None:
            near = nearest(_plain(word), list(plain))
            raise PassError(
                diag.unknown_pass(
                    "pass",
                    word,
                    plain[near].name if near is not None else None,
                    list(known),
                    next((one for one in PIPELINES if _plain(one) == _plain(word)), ""),
                )
            )
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_\s]", "", name).lower()


def pipeline(name: str) -> Sequential:
    """Return a pipeline by its name. Raises PassError if there is none."""
    names = PIPELINES.get(name)
    if names is None:
        raise PassError(diag.unknown_pass("pipeline", name, nearest(name, list(PIPELINES)), list(PIPELINES)))
    return Sequential([find_pass(one)() for one in names], name)


def parse_passes(text: str) -> Sequential:
    """Return the passes that a text names. Raises PassError for what is wrong in it."""
    made: list[Pass] = []
    for part in split_top(text, ","):
        word = part.strip()
        if not word:
            raise PassError(diag.pass_syntax(text, "a name is missing between two commas"))
        made.append(_parse_pass(word))
    if not made:
        raise PassError(diag.pass_syntax(text, "no pass is named"))
    return Sequential(made)


_CALL = re.compile(r"([\w.-]+)\s*(?:\((.*)\))?", re.DOTALL)


def _parse_pass(word: str) -> Pass:
    matched = _CALL.fullmatch(word)
    if matched is None:
        raise PassError(diag.pass_syntax(word, "a pass is written `Name` or `Name(option=value)`"))
    kind = find_pass(matched[1])
    given: dict[str, object] = {}
    for part in split_top(matched[2] or "", ","):
        name, equals, value = part.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise PassError(diag.pass_syntax(part.strip(), "an option is written `name=value`"))
        given[name.strip()] = _value(value.strip())
    return kind(**given)


_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][-+]?\d+)?")


def _value(text: str) -> object:
    """Read the value of an option: what attributes are in programs, and words without quotes."""
    if text == "null":
        return None
    if text.startswith("["):
        return [_value(item.strip()) for item in split_top(text.removesuffix("]")[1:], ",")]
    if text.startswith('"') or text in ("true", "false") or _NUMBER.fullmatch(text):
        return parse_value(text)
    from relax_lang.syntax.dtypes import DTYPES

    return parse_value(text) if text in DTYPES else text
