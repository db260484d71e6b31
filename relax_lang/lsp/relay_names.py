"""The names of a Relay program: what each means, how one gets another name, and what could be written at a place."""

from __future__ import annotations

import re

from relax_lang.base.node import walk
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.relay.checking import analyse
from relax_lang.relay.operators.registry import KNOWN, lookup
from relax_lang.relay.syntax import tree
from relax_lang.relay.unification.printing import show
from relax_lang.workspace.queries.completion import (
    ATTRIBUTE,
    FUNCTION,
    KEYWORD,
    MOST,
    NAME,
    OPERATOR,
    TYPE,
    Proposal,
    Proposals,
)
from relax_lang.workspace.queries.navigation import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.node import Node
    from relax_lang.base.source import SourceFile, Span
    from relax_lang.relay.checking import Analysed

VARIABLE, PARAMETER, NODE, GLOBAL, CONSTRUCTOR, CALLED = (
    "variable",
    "parameter",
    "graph node",
    "function",
    "constructor",
    "operator",
)
CLASSES = {
    VARIABLE: "variable",
    PARAMETER: "parameter",
    NODE: "variable",
    GLOBAL: "function",
    CONSTRUCTOR: "function",
    CALLED: "function",
}
"""The class of semantic tokens of each kind."""

WORDS = ("def", "let", "fn", "if", "else", "match", "True", "False", "type", "extern type", "free_var")
TYPES = ("Tensor", "float32", "float16", "int64", "int32", "int8", "uint8", "bool", "fn")
_WRITTEN = re.compile(r"[%@]?[\w.]*\Z")
_LOOK_BACK = 4_000
"""Characters before a place in which the call around it is looked for."""


class Name:
    """A name in the text: where it is, what it means, and whether it is defined there."""

    __slots__ = ("is_definition", "key", "kind", "node", "place")

    def __init__(self, place: Span, kind: str, key: object, node: Node, *, is_definition: bool) -> None:
        self.place = place
        self.kind = kind
        self.key = key
        """The same object for all names that mean the same."""
        self.node = node
        self.is_definition = is_definition


def names_of(found: Analysed) -> list[Name]:
    """Return the names of functions, variables, graph nodes, constructors and operators, in the order of the text."""
    names: list[Name] = []
    for item in found.parsed.tree.items:
        if isinstance(item, tree.TypeDef):
            for ctor in item.ctors:
                place = ctor.pos, ctor.pos + len(ctor.name)
                names.append(Name(place, CONSTRUCTOR, f"ctor {ctor.name}", ctor, is_definition=True))
        if isinstance(item, tree.Def):
            names += _names_in(item, found)
    return sorted([one for one in names if one.place[0] >= 0], key=_place)


def _names_in(item: tree.Def, found: Analysed) -> Iterator[Name]:
    binders: dict[Node, str] = {}
    for node in walk(item):
        if isinstance(node, tree.Param):
            binders[node.var] = PARAMETER
        elif isinstance(node, tree.Let | tree.FreeVar | tree.PVar):
            binders[node.var] = VARIABLE
    for node in walk(item):
        if isinstance(node, tree.Var):
            key = found.resolved.bindings.get(node, node)
            if key in binders:
                yield Name((node.pos, node.end), binders[key], key, node, is_definition=node in binders)
        elif isinstance(node, tree.GlobalVar):
            is_definition = node is item.name
            yield Name((node.pos, node.end), GLOBAL, f"@{node.name}", node, is_definition=is_definition)
        elif isinstance(node, tree.GraphBind):
            yield Name((node.var.pos, node.var.end), NODE, node, node.var, is_definition=True)
        elif isinstance(node, tree.GraphVar) and node in found.resolved.graph:
            yield Name((node.pos, node.end), NODE, found.resolved.graph[node], node, is_definition=False)
        elif isinstance(node, tree.OpRef | tree.PCtor):
            yield from _called(node, found)


def _called(node: tree.OpRef | tree.PCtor, found: Analysed) -> Iterator[Name]:
    place = node.pos, node.pos + len(node.name)
    if node.name in found.resolved.ctors:
        yield Name(place, CONSTRUCTOR, f"ctor {node.name}", node, is_definition=False)
    elif found.source.text.startswith(node.name, node.pos):  # not `+`
        yield Name(place, CALLED, f"op {node.name}", node, is_definition=False)


def _place(one: Name) -> Span:
    return one.place


def name_at(names: list[Name], offset: int) -> Name | None:
    """Return the name at an offset, or that ends there."""
    return next((one for one in reversed(names) if one.place[0] <= offset <= one.place[1]), None)


def uses(names: list[Name], offset: int) -> list[Name]:
    """Return the definition and all uses of the name at an offset."""
    here = name_at(names, offset)
    return [] if here is None else [one for one in names if one.key is here.key or one.key == here.key]


def definition(names: list[Name], offset: int) -> Span | None:
    """Return where the name at an offset is defined."""
    return next((one.place for one in uses(names, offset) if one.is_definition), None)


def renamable(found: Analysed, names: list[Name], offset: int) -> Name:
    """Return the name at an offset if it can be changed. Raises Refused."""
    here = name_at(names, offset)
    if here is None:
        raise Refused("there is no name here")
    written = found.source.text[slice(*here.place)]
    if here.kind == CALLED:
        raise Refused(f"`{written}` is an operator of Relay")
    if here.kind == NODE:
        raise Refused(f"`{written}` is a number, not a name; `let` gives names")
    if definition(names, offset) is None:
        raise Refused(f"`{written}` is not defined in this file")
    return here


def rename(found: Analysed, names: list[Name], offset: int, new: str) -> list[tuple[Span, str]]:
    """Return the edits that give the name at an offset another one. Raises Refused, with the conflict.

    The program with the new name must mean the same: every name in it means what it meant, and nothing more is wrong.
    """
    here = renamable(found, names, offset)
    sign = {VARIABLE: "%", PARAMETER: "%", GLOBAL: "@"}.get(here.kind, "")
    bare = new.removeprefix(sign)
    if not bare:
        raise Refused(f"`{new}` is not a name")
    edits = [(one.place, sign + bare) for one in uses(names, offset)]
    text, at = found.source.text, 0
    parts: list[str] = []
    for (pos, end), written in edits:
        parts += [text[at:pos], written]
        at = end
    after = _again(found.source, "".join([*parts, text[at:]]))
    if _meanings(names) != _meanings(names_of(after)):
        raise Refused(f"`{new}` would mean something else in some place, or is not a name")
    if len(after.diagnostics) > len(found.diagnostics):
        raise Refused(f"with the name `{new}` there would be new errors")
    return edits


def _again(source: SourceFile, text: str) -> Analysed:
    from relax_lang.base.source import RelayFile

    with deep_recursion():
        return analyse(RelayFile(text, source.path))


def _meanings(names: list[Name]) -> list[tuple[str, int]]:
    """Return for each name its kind, and the number of the first one that means the same."""
    numbers: dict[object, int] = {}
    return [(one.kind, numbers.setdefault(one.key, len(numbers))) for one in names]


# What could be written.


def complete(text: str, offset: int, known: Analysed | None, names: list[Name]) -> Proposals:
    """Return what could be written at an offset. `known` and its names may be of an older text."""
    match = _WRITTEN.search(text, max(0, offset - 200), offset)
    start = offset if match is None else match.start()
    word = text[start:offset]
    if _in_comment(text, offset):
        return Proposals(start, [], is_cut=False)
    if word.startswith("%"):
        proposals = _locals(text, offset, known, names)
    elif word.startswith("@"):
        proposals = _functions(text, known)
    else:
        proposals = [*_attributes(text, start), *_operators(known)]
        proposals += [Proposal(one, KEYWORD, "") for one in WORDS] + [
            Proposal(one, TYPE, "") for one in TYPES
        ]
    fitting = [one for one in proposals if one.label.startswith(word)]
    unique = list({one.label: one for one in reversed(fitting)}.values())[::-1]
    return Proposals(start, unique[:MOST], is_cut=len(unique) > MOST)


def _in_comment(text: str, offset: int) -> bool:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return "//" in line or text.rfind("/*", 0, offset) > text.rfind("*/", 0, offset)


def _locals(text: str, offset: int, known: Analysed | None, names: list[Name]) -> list[Proposal]:
    """Return the variables above a place in its function: those of the last analysis with types, others as written."""
    head = max(text.rfind("\ndef ", 0, offset), 0)
    types = {} if known is None else known.typed.types
    shown = {
        known.source.text[slice(*one.place)]: show(types[one.node])
        for one in names
        if known is not None and one.is_definition and one.node in types
    }
    written = re.finditer(r"%[A-Za-z_][\w.]*|%\d+(?=\s*=)", text[head:offset])
    above = [match[0] for match in written if head + match.end() < offset]
    return [Proposal(name, NAME, shown.get(name, "")) for name in reversed(above)]


def _functions(text: str, known: Analysed | None) -> list[Proposal]:
    types = {} if known is None else known.typed.types
    functions = {} if known is None else known.resolved.functions
    found: list[Proposal] = []
    written = re.findall(r"^[ \t]*def\s+@([\w.]+)", text, re.MULTILINE)
    for name in dict.fromkeys([*written, *functions]):  # what is imported comes last
        info = types.get(functions[name].function) if name in functions else None
        found.append(Proposal(f"@{name}", FUNCTION, "" if info is None else show(info)))
    return found


def _operators(known: Analysed | None) -> list[Proposal]:
    found = [
        Proposal(one, FUNCTION, "constructor") for one in (() if known is None else known.resolved.ctors)
    ]
    for name in sorted(KNOWN):
        operator = lookup(name)
        if operator is not None:
            words = [*operator.params, *[f"{one.name}=" for one in operator.fields]]
            found.append(Proposal(name, OPERATOR, f"{name}({', '.join(words)})"))
    return found


def _attributes(text: str, offset: int) -> list[Proposal]:
    """Return the attributes of the operator in whose parentheses a place is, but for those that are written."""
    depth = 0
    for at in range(offset - 1, max(-1, offset - _LOOK_BACK), -1):
        char = text[at]
        if char in ")]}":
            depth += 1
        elif char in "([{":
            depth -= 1
        if depth < 0:
            before = _WRITTEN.search(text, max(0, at - 200), at)
            operator = lookup(before[0]) if before is not None and char == "(" else None
            if operator is None:
                return []
            written = re.findall(r"\b(\w++)\s*+=", text[at:offset])
            return [
                Proposal(f"{one.name}=", ATTRIBUTE, one.kind)
                for one in operator.fields
                if one.name not in written
            ]
    return []
