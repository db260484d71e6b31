"""What diagnostics mean: every rule of the toolchain by code or slug, and its explanation as Markdown."""

from __future__ import annotations

from importlib import import_module

from relax_lang.base.diagnostic import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Rule

# Rules register themselves when the module that declares them is imported; a test finds what is missing here.
DECLARED_IN = (
    "relax_lang.files.problems",
    "relax_lang.files.problems_plugins",
    "relax_lang.syntax.problems",
    "relax_lang.scope.problems",
    "relax_lang.ops.problems",
    "relax_lang.ops.problems_plugins",
    "relax_lang.tir.problems",
    "relax_lang.tir.accesses.problems_places",
    "relax_lang.tir.vectorize.problems_compile",
    "relax_lang.fmt.problems",
    "relax_lang.check.problems",
    "relax_lang.check.problems_expectations",
    "relax_lang.check.problems_purity",
    "relax_lang.check.problems_calls",
    "relax_lang.check.problems_kinds",
    "relax_lang.check.problems_mismatch",
    "relax_lang.check.problems_casts",
    "relax_lang.check.problems_lints",
    "relax_lang.runtime.problems",
    "relax_lang.runtime.problems_observe",
)


def all_rules() -> list[Rule]:
    """Return every rule, in the order of the codes."""
    for module in DECLARED_IN:
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
    """Return the explanation as it is meant: Markdown without the indentation of the source code."""
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
