"""Explanations of diagnostics: every rule of the toolchain by code or slug, and its text as Markdown."""

from __future__ import annotations

from importlib import import_module

from relax_lang.base.diagnostic import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Rule

# Rules register themselves when the module that declares them is imported; a test finds what is missing here.
DECLARED_IN = (
    "relax_lang.files.diagnostics",
    "relax_lang.files.settings.plugin_diagnostics",
    "relax_lang.syntax.diagnostics.texts",
    "relax_lang.syntax.diagnostics.constructs",
    "relax_lang.syntax.recovery.diagnostics",
    "relax_lang.scope.diagnostics.blocks",
    "relax_lang.scope.diagnostics.dims",
    "relax_lang.scope.diagnostics.names",
    "relax_lang.scope.diagnostics.trees",
    "relax_lang.ops.core.diagnostics.calls",
    "relax_lang.ops.core.diagnostics.memory",
    "relax_lang.ops.plugins.diagnostics",
    "relax_lang.tir.diagnostics.errors",
    "relax_lang.tir.diagnostics.views",
    "relax_lang.tir.diagnostics.type_errors",
    "relax_lang.tir.diagnostics.warnings",
    "relax_lang.tir.diagnostics.remarks",
    "relax_lang.format.diagnostics",
    "relax_lang.check.diagnostics.toolchain",
    "relax_lang.check.diagnostics.expectations",
    "relax_lang.check.diagnostics.purity",
    "relax_lang.check.diagnostics.calls",
    "relax_lang.check.diagnostics.kinds",
    "relax_lang.check.diagnostics.mismatch",
    "relax_lang.check.diagnostics.match_casts",
    "relax_lang.runtime.diagnostics.failures",
    "relax_lang.runtime.diagnostics.instrument",
    "relax_lang.transform.pass_manager.diagnostics",
    "relax_lang.tvmscript.diagnostics",
    "relax_lang.vm.diagnostics",
    "relax_lang.onnx.diagnostics",
    "relax_lang.te.diagnostics",
    "relax_lang.builder.diagnostics",
    "relax_lang.rewrite.diagnostics",
    "relax_lang.relay.diagnostics.texts",
    "relax_lang.relay.diagnostics.imports",
    "relax_lang.relay.diagnostics.names",
    "relax_lang.relay.diagnostics.types",
    "relax_lang.relay.diagnostics.running",
    "relax_lang.mapping.diagnostics",
)
LINTS = "relax_lang.check.lints"
"""The package whose modules are one lint each; they are found by listing it."""
NOT_ONE_LINT = frozenset(("dead-functions",))
"""The module with several rules, which have names of their own."""


def lint_modules() -> list[str]:
    """Return the full names of the modules that hold lints, sorted. Nothing but their package is loaded."""
    from pkgutil import iter_modules  # only for those who ask for lints, or for every rule

    paths = import_module(LINTS).__path__
    return sorted([f"{LINTS}.{name}" for _, name, is_package in iter_modules(paths) if not is_package])


def lint_slugs() -> set[str]:
    """Return the slugs of the modules that hold one lint each: file name and slug are the same word."""
    own = {name.rpartition(".")[2].replace("_", "-") for name in lint_modules()}
    return own - NOT_ONE_LINT


def all_rules() -> list[Rule]:
    """Return every rule, in the order of the codes."""
    for module in (*DECLARED_IN, *lint_modules()):
        import_module(module)
    return sorted(RULES.values(), key=lambda rule: rule.code)


def find_rule(word: str) -> Rule | None:
    """Return the rule with this code (`RLX0203`, also `rlx0203` and `0203`) or slug."""
    code = word.upper()
    for rule in all_rules():
        if word == rule.slug or code in (rule.code, rule.code.removeprefix("RLX")):
            return rule
    return None


def text_of(rule: Rule) -> str:
    """Return the explanation as Markdown, without the indentation of the source code."""
    lines = rule.explanation.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([lines[0].strip(), *[line[margin:].rstrip() for line in lines[1:]]]).strip()


def summary_of(rule: Rule) -> str:
    """Return the first line of the explanation."""
    return text_of(rule).partition("\n")[0]


def prose_of(rule: Rule) -> str:
    """Return the explanation up to the first program, a paragraph a line."""
    prose = text_of(rule).partition("```")[0].strip()
    return "\n".join([" ".join(paragraph.split()) for paragraph in prose.split("\n\n")])


def markdown_of(rule: Rule) -> str:
    """Return a section for a page of the documentation, or for `relax explain`."""
    cites = f"Rules: {', '.join(rule.cites.split())}" if rule.cites else ""
    facts = [f"`{rule.code}` · {rule.severity}", *([cites] if cites else [])]
    return f"## {rule.slug}\n\n{' · '.join(facts)}\n\n{text_of(rule)}\n"
