"""`relax explain` and `relax ops`: the toolchain's documentation of itself."""

from __future__ import annotations

import sys

from relax_lang.base.python.output import put
from relax_lang.check.diagnostics import toolchain as diag
from relax_lang.check.explain import all_rules, find_rule, markdown_of, summary_of
from relax_lang.check.selection import GROUPS, known_words, means

from ..plugins import load_plugins
from ..render.highlight import highlight
from ..render.report import CLEAN, USAGE
from ..render.style import style_for
from ..show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from relax_lang.base.diagnostic import Diagnostic, Rule

    from ..options import Shown


def explain(word: str | None, options: Shown, *, every: bool, as_markdown: bool) -> int:
    """Explain one diagnostic; list those of a group, or with `every` all; as Markdown with their explanations."""
    if every or word in GROUPS:
        meant = [rule for rule in all_rules() if every or means(word or "", rule)]
        _print(_markdown(meant) if as_markdown else _list_of_rules(meant))
        return CLEAN
    if word is None:
        complain([diag.usage("say which diagnostic to explain", "`relax explain --all` lists them")], options)
        return USAGE
    rule = find_rule(word)
    if rule is None:
        complain([_unknown_word(word)], options)
        return USAGE
    _show_markdown(markdown_of(rule), options, as_markdown=as_markdown)
    return CLEAN


def _unknown_word(word: str) -> Diagnostic:
    """Return the report of a word that names no diagnostic; it may name an operator, which `relax ops` describes."""
    from relax_lang.ops.registry import names
    from relax_lang.ops.suggestions import suggest

    found = diag.unknown_code(word, known_words())
    like = suggest(word)
    operator = word if word in names() else None if like is None else like.only
    return found if operator is None else found.helped(f"`relax ops {operator}` describes the operator")


def _markdown(rules: list[Rule]) -> str:
    return "\n".join([markdown_of(rule) for rule in rules])


def _list_of_rules(rules: list[Rule]) -> str:
    return "".join([f"{rule.code}  {rule.slug:<36} {summary_of(rule)}\n" for rule in rules])


def ops(name: str | None, options: Shown, *, as_markdown: bool) -> int:
    """List the operators family by family, or describe one. [O.11]"""
    from relax_lang.ops import documentation, registry

    if as_markdown and name is None:  # the page of the operators of the language
        _print(documentation.markdown())
        return CLEAN
    if load_plugins("-", "", options) is None:
        return USAGE
    if name is None:
        _print(_list_of_operators(options))
        return CLEAN
    operator = registry.lookup(name)
    if operator is None:
        complain([_unknown_operator(name)], options)
        return USAGE
    _print(documentation.describe(operator))
    return CLEAN


def relay_ops(name: str | None, options: Shown) -> int:
    """List the operators of Relay, or describe one. [R.33]"""
    from relax_lang.relay.operators import documentation  # only for Relay

    if name is None:
        _print(documentation.listing())
        return CLEAN
    described = documentation.describe(name)
    if described is None:
        like = documentation.nearest(name)
        question = f"did you mean `{like}`?" if like else "`relax ops --relay` lists them"
        complain([diag.usage(f"there is no operator `{name}` in Relay", question)], options)
        return USAGE
    _print(described)
    return CLEAN


def _list_of_operators(options: Shown) -> str:
    from relax_lang.ops.registry import all_operators

    style = style_for(sys.stdout, color=options.color)
    rows: list[str] = []
    title = ""
    for operator in all_operators():
        if operator.family.title != title:
            title = operator.family.title
            rows += ["", style.paint(title, "headline")]
        rows.append(f"  {operator.signature}")
    return "\n".join([*rows[1:], "", "`relax ops NAME` describes one of them.", ""])


def _unknown_operator(name: str) -> Diagnostic:
    from relax_lang.ops.suggestions import suggest

    like = suggest(name)
    if like is None:
        return diag.usage(f"there is no operator `{name}`", "`relax ops` lists them")
    if like.form:
        return diag.usage(f"there is no operator `{name}`", like.advice)
    if like.only is not None:
        return diag.usage(
            f"there is no operator `{name}`", f"here it is `{like.only}`: `relax ops {like.only}`"
        )
    return diag.usage(f"there is no operator `{name}`", like.question)


def _print(text: str) -> None:
    put(text, sys.stdout)


def _show_markdown(text: str, options: Shown, *, as_markdown: bool) -> None:
    """Print Markdown: laid out on a terminal or with `--color always`, as source everywhere else."""
    style = style_for(sys.stdout, color=options.color)
    if as_markdown or not (style.color or sys.stdout.isatty()):
        _print(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    system: Literal["standard"] | None = (
        "standard" if style.color else None
    )  # None: no bold and no lines either
    console = Console(color_system=system, force_terminal=style.color or None, width=style.width)
    for piece, kind, program in _pieces(text):
        if piece.strip():
            console.print(Markdown(piece))
        if program:
            sys.stdout.flush()
            indented = "".join([f"  {line}\n" for line in highlight(program, style).split("\n")])
            title = f"{style.paint(f'{kind}:', _TITLES.get(kind, 'headline'))}\n" if kind else ""
            _print(f"\n{title}{indented}\n")


_TITLES = {"wrong": "error", "right": "added"}


def _pieces(text: str) -> list[tuple[str, str, str]]:
    """Cut Markdown at its programs: the text before each, whether it is `wrong` or `right`, the program."""
    found: list[tuple[str, str, str]] = []
    fence = "```relax"
    while fence in text:
        before, _, rest = text.partition(fence)
        kind, _, rest = rest.partition("\n")
        program, _, text = rest.partition("\n```")
        found.append((before, kind.strip(), program))
    return [*found, (text, "", "")]
