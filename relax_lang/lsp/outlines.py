"""What a document in TVMScript or Relay defines: functions, and the variables in them, with their types."""

from __future__ import annotations

from relax_lang.base.node import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.source import Span
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.relay.checking import Analysed

# What knows a language is imported by the functions that need it: most sessions meet Relax alone.


class Definition:
    """A name that is defined, where it is and what it is; a function has definitions in it."""

    __slots__ = ("inside", "is_written", "name", "place", "span", "type")

    def __init__(self, name: str, place: Span, span: Span, shown: str | None, *, is_written: bool) -> None:
        self.name = name
        self.place = place
        """The name."""
        self.span = span
        """All of the definition."""
        self.type = shown
        self.is_written = is_written
        """Whether the type is written in the text."""
        self.inside: list[Definition] = []


def of_units(units: list[Inferred], text: str) -> Iterator[Definition]:
    """Yield the functions and PrimFuncs of the units of TVMScript in a Python file."""
    from relax_lang.format.printer import show
    from relax_lang.struct_info.context import REJECTED
    from relax_lang.syntax import tree

    for unit in units:
        for item in unit.normal.items:
            name = item.name
            if name is None or item.pos < 0:
                continue
            at = _found(text, name.name_hint, name.pos, item.end)
            place = (item.pos, item.pos) if at < 0 else (at, at + len(name.name_hint))
            if isinstance(item, tree.PrimFunc):
                yield Definition(name.name_hint, place, (item.pos, item.end), "prim_func", is_written=True)
                continue
            info = unit.functions.get(name.name_hint)
            made = Definition(
                name.name_hint,
                place,
                (item.pos, item.end),
                None if info is None else show(info),
                is_written=True,
            )
            for node in walk(item):
                if not isinstance(node, tree.Var | tree.DataflowVar) or node not in unit.infos:
                    continue
                if not text.startswith(node.name_hint, node.pos) or node.pos < 0:
                    continue  # a value that the author did not name
                own = unit.infos[node]
                made.inside.append(
                    Definition(
                        node.name_hint,
                        (node.pos, node.pos + len(node.name_hint)),
                        (node.pos, max(node.end, node.pos + len(node.name_hint))),
                        None if own is REJECTED else show(own),
                        is_written=node.struct_info_annotation is not None,
                    )
                )
            yield made


def of_relay(found: Analysed) -> Iterator[Definition]:
    """Yield the functions and types of a program in Relay."""
    from relax_lang.relay.syntax import tree
    from relax_lang.relay.unification.printing import show

    known = found.typed.types
    for item in found.parsed.tree.items:
        if isinstance(item, tree.Import):
            continue
        if isinstance(item, tree.TypeDef | tree.ExternType):
            place = (item.name_pos, item.name_pos + len(item.name))
            yield Definition(item.name, place, (item.pos, item.end), None, is_written=True)
            continue
        name = item.name
        of_function = known.get(item.function)
        shown = None if of_function is None else show(of_function)
        span = item.pos, item.end
        made = Definition(f"@{name.name}", (name.pos, name.end), span, shown, is_written=True)
        for node in walk(item.function):
            if isinstance(node, tree.Let | tree.GraphBind | tree.Param):
                own = known.get(node.var)
                written = not isinstance(node, tree.GraphBind) and node.annotation is not None
                made.inside.append(
                    Definition(
                        found.source.text[node.var.pos : node.var.end],
                        (node.var.pos, node.var.end),
                        (node.pos, node.end),
                        None if own is None else show(own),
                        is_written=written,
                    )
                )
        yield made


def _found(text: str, name: str, start: int, end: int) -> int:
    """Return where a name is written at or after a place: a decorator or `def` may be before it."""
    return start if text.startswith(name, start) else text.find(name, max(start, 0), max(end, 0))
