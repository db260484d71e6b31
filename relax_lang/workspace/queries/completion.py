"""What could be written at a place: operators, attributes and their words, names in scope, keywords, snippets."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, islice

from relax_lang.format.lexemes import global_name, local_name
from relax_lang.ops import registry
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS
from relax_lang.workspace.queries.definitions import definitions_before
from relax_lang.workspace.queries.token_context import TokenContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from relax_lang.workspace.incremental.snapshot import Snapshot
    from relax_lang.workspace.queries.token_context import Bracket, Marks

MOST = 200
"""So many proposals are enough: more typing gives others."""

MOST_KEPT = 4_096
"""Proposals of functions that are kept from one list to the next."""

FUNCTION, OPERATOR, NAME, DIMENSION, KEYWORD, SNIPPET, ATTRIBUTE, VALUE, TYPE = (
    "function",
    "operator",
    "name",
    "dimension",
    "keyword",
    "snippet",
    "attribute",
    "value",
    "type",
)

ITEM_SNIPPETS = {
    "def": "def @${1:main}(${2:x: Tensor[(n,), float32]}) {\n  $0\n}",
    "private def": "private def @${1:name}(${2:x: Tensor[(n,), float32]}) {\n  $0\n}",
    "prim_func": "prim_func @${1:name}(${2:X: Buffer[(n,), float32], Y: Buffer[(n,), float32]}) {\n"
    "  for ${3:i} in 0..${4:n} {\n    $0\n  }\n}",
}
STATEMENT_SNIPPETS = {
    "let": "let ${1:name} = $0;",
    "dataflow": "dataflow {\n  let ${1:name} = $0;\n  output ${1:name};\n}",
    "if": "if ${1:condition} {\n  $2\n} else {\n  $3\n}",
    "match_cast": "match_cast(${1:x}, ${2:Tensor[(n,), float32]})",
    "call_tir": "call_tir(@${1:name}, (${2:x},)) -> ${3:Tensor[(n,), float32]}",
}
TIR_SNIPPETS = {
    "for": "for ${1:i} in 0..${2:n} {\n  $0\n}",
    "for grid": "for ${1:i, j} in grid(${2:n, m}) {\n  $0\n}",
    "block": "block ${1:name} (${2:v = spatial(i)}) {\n  $0\n}",
    "if": "if ${1:condition} {\n  $0\n}",
    "alloc": "alloc ${1:T}: Buffer[(${2:n},), ${3:float32}];",
    "let": "let ${1:name} = $0;",
}


class Proposal:
    """Something that could be written: what is shown, what is inserted, and what it is."""

    __slots__ = ("detail", "insert", "is_snippet", "kind", "label")

    def __init__(
        self, label: str, kind: str, detail: str = "", insert: str | None = None, *, is_snippet: bool = False
    ) -> None:
        self.label = label
        self.kind = kind
        self.detail = detail
        self.insert = label if insert is None else insert
        self.is_snippet = is_snippet


VALUE_WORDS = tuple(
    [
        Proposal(word, KEYWORD)
        for word in [
            "const",
            "shape",
            "if",
            "fn",
            "extern",
            "true",
            "false",
            "match_cast",
            "output",
            "dataflow",
        ]
    ]
)
"""Words of the language that a value, or the rest of a block, can begin with."""


@lru_cache(1)
def _operators(_of_users: frozenset[str]) -> tuple[Proposal, ...]:
    """Return the operators; those of users change."""
    return tuple([Proposal(name, OPERATOR) for name in registry.names()])


class Proposals:
    """What could be written from `start` to the cursor, and whether there would be more."""

    __slots__ = ("found", "is_cut", "start")

    def __init__(self, start: int, found: list[Proposal], *, is_cut: bool) -> None:
        self.start = start
        self.found = found
        self.is_cut = is_cut


def complete(
    text: str, offset: int, snapshot: Snapshot | None = None, marks: Marks | None = None
) -> Proposals:
    """Return what could be written at an offset. `snapshot` may be of an older text: it knows infos of names.

    `marks` are those of the document, from which its tokens can be read on.
    """
    context = TokenContext(text, offset, marks)
    found: list[Proposal] = []
    is_cut = False
    if not context.in_comment:
        seen: set[str] = set()
        prefix = context.prefix.lower()
        for one in _all(context, offset, snapshot):
            if one.label in seen or (prefix and not _matches(one.label, prefix)):
                continue
            if len(found) == MOST:
                is_cut = True
                break
            seen.add(one.label)
            found.append(one)
    return Proposals(context.start, found, is_cut=is_cut)


def _matches(label: str, prefix: str) -> bool:
    word = label.lower()
    return word.startswith(prefix) or (len(prefix) > 1 and "." not in prefix and prefix in word)


def _all(context: TokenContext, offset: int, snapshot: Snapshot | None) -> Iterable[Proposal]:
    if context.prefix.startswith("@"):
        return _globals(snapshot)
    if context.in_body and context.annotation is None and context.previous not in (":", "->"):
        return _in_body(context, offset, snapshot)
    return _outside(context, offset, snapshot)


def _outside(context: TokenContext, offset: int, snapshot: Snapshot | None) -> Iterator[Proposal]:
    """Yield what can be written between items, in heads, and where a struct info is."""
    if not context.in_body and not context.brackets and context.previous in ("", "}"):
        for word, snippet in ITEM_SNIPPETS.items():
            yield Proposal(word, SNIPPET, "an item", snippet, is_snippet=True)
        for word in ("private", "pure", "impure", "force_pure"):
            yield Proposal(word, KEYWORD)
        return
    annotation = context.annotation
    if annotation is not None:
        yield from _in_annotation(context, annotation, offset, snapshot)
        return
    if context.previous in (":", "->"):
        for word in (*STRUCT_INFOS, "Buffer" if context.in_prim_func else "fn"):
            yield Proposal(word, TYPE)
        for dtype in DTYPES if context.in_prim_func else ():
            yield Proposal(dtype, VALUE, "dtype")


def _in_body(context: TokenContext, offset: int, snapshot: Snapshot | None) -> Iterable[Proposal]:
    """Return what can be written in the body of a function: lists, as most of them are long and known."""
    call = context.call
    attributes = () if call is None else _attributes(call)
    if call is not None and call.attribute is not None:
        return attributes
    snippets: list[Proposal] = []
    if context.previous in ("{", "}", ";"):  # a statement begins
        for word, snippet in (TIR_SNIPPETS if context.in_prim_func else STATEMENT_SNIPPETS).items():
            snippets.append(Proposal(word, SNIPPET, "a statement", snippet, is_snippet=True))
    before = chain(attributes, _names(context, offset, snapshot), snippets)
    if context.in_prim_func:
        from relax_lang.tir.ir.intrinsics import INTRINSICS  # only in PrimFuncs

        return chain(before, [Proposal(name, FUNCTION, "intrinsic") for name in INTRINSICS])
    return chain(before, _globals(snapshot), _operators(registry.declared_by_users()), VALUE_WORDS)


def _in_annotation(
    context: TokenContext, annotation: Bracket, offset: int, snapshot: Snapshot | None
) -> Iterator[Proposal]:
    inner = context.brackets[-1]
    if inner is annotation and annotation.before != "Shape":
        for dtype in DTYPES:
            yield Proposal(dtype, VALUE, "dtype")
        if annotation.before == "Tensor":
            yield Proposal("ndim", ATTRIBUTE, "number of dimensions", "ndim=")
    item = None if snapshot is None else snapshot.item_at(min(offset, len(snapshot.text)))
    if snapshot is None or item is None:
        return
    for one in snapshot.occurrences(item).all:
        if one.kind == "shape variable":
            yield Proposal(one.name, DIMENSION, "shape variable")


def _attributes(call: Bracket) -> Iterator[Proposal]:
    operator = registry.lookup(call.before)
    if operator is None:
        return
    if call.attribute is not None:
        for spec in operator.attrs:
            if spec.name == call.attribute:
                for word in words_of(spec.type):
                    yield Proposal(word, VALUE, spec.name)
        return
    for spec in operator.attrs:
        if spec.name not in call.named:
            yield Proposal(f"{spec.name}=", ATTRIBUTE, repr(spec))


def words_of(kind: str) -> list[str]:
    """Return the words that an attribute of a declared type can have."""
    found: list[str] = []
    for part in kind.split("|"):
        bare = part.strip()
        if bare.startswith('"'):
            found.append(bare)
        elif bare == "bool":
            found += ["true", "false"]
        elif bare == "none":
            found.append("null")
        elif bare.startswith("dtype"):
            found += DTYPES
    return found


@lru_cache(MOST_KEPT)
def _global(name: str) -> Proposal:
    return Proposal(global_name(name), FUNCTION)


def _globals(snapshot: Snapshot | None) -> list[Proposal]:
    """Return the functions of the module; their types are written when one is looked at: see `global_detail`."""
    items = () if snapshot is None else snapshot.items
    return [_global(item.name.name_hint) for item in items if item.name is not None]


def global_detail(snapshot: Snapshot, item: tree.Item) -> str:
    """Return the type of a function of the module as text; for a PrimFunc what it is, else nothing."""
    if isinstance(item, tree.PrimFunc):
        return "prim_func"
    info = None if item.name is None else snapshot.function_info(item.name.name_hint)
    return "" if info is None else snapshot.shown(item, info)


def _names(context: TokenContext, offset: int, snapshot: Snapshot | None) -> Iterator[Proposal]:
    """Yield the names in scope, the last one first: those that a `let` binds, then others that an analysis knows."""
    details: dict[str, str] = {}
    item = None
    if snapshot is not None:
        item = snapshot.item_before(min(offset, len(snapshot.text)))
    if snapshot is not None and item is not None:
        place = min(offset, snapshot.span(item)[1])
        for one in islice(definitions_before(snapshot, item, place), MOST):
            details.setdefault(one.name, one.detail)
    for name in dict.fromkeys(islice(context.binders, MOST)):
        if name != "_":
            yield Proposal(_written(name), NAME, details.pop(name, ""))
    for name, detail in details.items():
        yield Proposal(_written(name), NAME, detail)


def _written(name: str) -> str:
    return local_name(name) if name.isidentifier() else name
