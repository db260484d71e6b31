"""The documentation of operators, from their declarations: one operator in a terminal, or all as a page of Markdown."""

from __future__ import annotations

from relax_lang.base.wording import enumerated
from relax_lang.ops.core.operator import BY_KERNEL, BY_RUNTIME, Operator
from relax_lang.ops.decompose.core import decomposition_of
from relax_lang.ops.gradient.core import own_reason, rule_of
from relax_lang.ops.legal.core import form_of, reason_without
from relax_lang.ops.registry import all_operators

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.operator import Family

_HEAD = """# Operators

Every operator of Relax that relax-lang knows. An operator takes positional arguments and, by name,
attributes; those without a default must be given. A scalar (`prim`) is a number or a dimension expression
such as `n * 2`; after a tensor, parentheses say which rank or dtypes it must have; `?` marks what may be left
out: at the end it is simply not written, before other arguments it is written `()`. A scalar that may be left
out can also be given by its name.

All operators are pure and return new memory, unless the text says otherwise. What cannot be computed (an
integer division by zero, an index outside of its axis) ends the program. Dtypes are never converted silently;
float16 and bfloat16 are computed in float32 and rounded at the end. `relax ops NAME` shows one operator.

This page is written by `relax ops --markdown`; do not edit it.
"""


def describe(operator: Operator) -> str:
    """Return what `relax ops NAME` shows: signature, meaning, facts, an example. [O.11]"""
    lines = [operator.signature, "", *_wrap(operator.doc, 88), "", *[f"  {fact}" for fact in facts(operator)]]
    if operator.example:
        lines += ["", "Example", f"  {operator.example}"]
    return "\n".join(lines) + "\n"


def facts(operator: Operator) -> list[str]:
    """Return facts about an operator in few words: family, purity, aliasing, where it is evaluated."""
    since = {"spec": "; in the prototype of the specification", "later": "; of later revisions of TVM"}.get(
        operator.since, ""
    )
    found = [f"{operator.family.title}{since}", "pure" if operator.pure else "impure"]
    if operator.aliases:
        shared = " and ".join([f"`{name}`" for name in operator.aliases])
        found.append(f"the result may share memory with {shared}")
    if operator.writes:
        changed = " and ".join([f"`{name}`" for name in operator.writes])
        found.append(f"writes into {changed}")
    if operator.also:
        names = enumerated([f"`{name}`" for name in operator.also], "and")
        found.append(f"called {names} elsewhere")
    if operator.evaluated == BY_RUNTIME:
        found.append("evaluated by the runtime, which knows the functions")
    if operator.evaluated == BY_KERNEL and form_of(operator) is None:
        found.append(f"no PrimFunc takes its place: {reason_without(operator)}")
    if decomposition_of(operator) is not None:
        found.append("can be decomposed into smaller operators")
    if rule_of(operator) is not None or decomposition_of(operator) is not None:
        found.append("differentiable")
    elif own_reason(operator):
        found.append(f"not differentiable: {own_reason(operator)}")
    return found


def markdown() -> str:
    """Return the page `docs/operators.md`: families in order, an entry per operator. [O.11]"""
    by_family: dict[Family, list[Operator]] = {}
    for operator in all_operators():
        by_family.setdefault(operator.family, []).append(operator)
    parts = [_HEAD]
    for family, operators in by_family.items():
        ordered = sorted(operators, key=_name)
        links = [f"[`{operator.name}`](#{_anchor(operator.name)})" for operator in ordered]
        parts.append(f"- {family.title}: {', '.join(links)}\n")
    for family, operators in by_family.items():
        parts.append(f"\n## {family.title}\n")
        parts += ["\n" + _entry(operator) for operator in sorted(operators, key=_name)]
    return "".join(parts)


def _name(operator: Operator) -> str:
    return operator.name


def _anchor(name: str) -> str:
    return name.replace(".", "").lower()


def _entry(operator: Operator) -> str:
    lines = [f"### {operator.name}", "", f"`{operator.signature}`", "", operator.doc]
    notes = [fact for fact in facts(operator)[1:] if fact != "pure"]
    if notes:
        lines += ["", f"*{'; '.join(notes)[0].upper()}{'; '.join(notes)[1:]}.*"]
    if operator.example:
        lines += ["", f"Example: `{operator.example}`"]
    return "\n".join(lines) + "\n"


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]
