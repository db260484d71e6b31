"""Reading a long body again of which most is known: the parser goes over statements that it has read before.

A *stretch* is some statements of one body that follow each other. Between two statements of a body the parser is always
in the same state, and the next token is `let`; so where it gets to the beginning of a stretch in the state in which
the stretch was read, the statements are added to those before them, and reading goes on behind. What was read is the
same as if the text had been read as a whole, also where there are mistakes in it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from operator import is_
from typing import Any, cast

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.syntax import tree
from relax_lang.syntax.driver import Run
from relax_lang.syntax.parsed import Features
from relax_lang.syntax.parser import recovery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from relax_lang.base.node import Node
    from relax_lang.base.source import Span
    from relax_lang.syntax.parsed import Comment, Parsed

FLAGS = Features.__slots__
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`\n]*)`")


class Stretch:
    """Some bindings of one body that follow each other, none of which has a scope in it."""

    __slots__ = ("comments", "flags", "last_end", "names", "parens", "statements", "states", "words")

    def __init__(self, states: tuple[int, ...], statements: tuple[tree.Binding, ...], last_end: int) -> None:
        self.states = states
        """The stack of the parser before and after it."""
        self.statements = statements
        self.last_end = last_end
        self.names = frozenset(
            [one.var.name_hint for one in statements if one.var is not None and one.var.name_hint != "_"]
        )
        """The names of the variables that it binds."""
        self.words: frozenset[str] = frozenset()
        """All words in its text: every name that it mentions is among them."""
        self.comments: tuple[Comment, ...] = ()
        self.flags: tuple[bool, ...] = ()
        self.parens: dict[Node, Span] = {}


class Opening:
    """The parser before the first statement of a body."""

    __slots__ = ("comments", "flags", "last_end", "parens", "starts", "states", "values")

    def __init__(self, run: Run) -> None:
        self.states = tuple(run.states)
        self.values = _copied(run.values)
        self.starts = tuple(run.starts)
        self.last_end = run.last_end
        self.comments = tuple(run.comments)
        self.parens = dict(run.builder.parens)
        self.flags = _flags(run)

    def resume(self, run: Run) -> None:
        """Bring a parser that has read nothing into this state."""
        run.states[:] = self.states
        run.values[:] = _copied(self.values)
        run.starts[:] = self.starts
        run.last_end = self.last_end
        run.comments += self.comments
        run.builder.parens.update(self.parens)
        _set_flags(run, self.flags)


class Known:
    """What is known of a text: the opening of its first long body, and stretches by the address where they begin."""

    __slots__ = ("opening", "stretches")

    def __init__(
        self, opening: Opening | None = None, stretches: Mapping[int, Stretch] | None = None
    ) -> None:
        self.opening = opening
        self.stretches = dict(stretches or {})


class Stretches:
    """The stretches of a tree, by their first statements. In a normal form the statements are other nodes."""

    __slots__ = ("_by_first",)

    def __init__(self, of: Mapping[Stretch, Sequence[tree.Binding]]) -> None:
        self._by_first: dict[Node, tuple[Stretch, Sequence[tree.Binding]]] = {
            statements[0]: (stretch, statements) for stretch, statements in of.items() if statements
        }

    def parts(
        self, bindings: Sequence[tree.Binding]
    ) -> Iterator[tuple[Stretch | None, Sequence[tree.Binding]]]:
        """Yield the bindings of a block in order: those of a stretch together, others one by one with None."""
        at = 0
        while at < len(bindings):
            found = self._by_first.get(bindings[at])
            if found is None or bindings[at + len(found[1]) - 1 : at + len(found[1])] != (found[1][-1],):
                yield None, (bindings[at],)
                at += 1
            else:
                yield found
                at += len(found[1])


def parse_in_stretches(text: str, at: int, borders: Sequence[int], known: Known) -> tuple[Parsed, Known]:
    """Parse a text from an offset on, before an item, as `parse` does; go over what is known.

    A stretch begins at each border but the last, where a line begins with `let`, and ends at the next.
    """
    made = Known()
    with no_collection():
        run = Run(text, "module", recovery, at, by_rows=False)
        let = run.table.literals["let"]
        if known.opening is not None:
            known.opening.resume(run)
            made.opening, at = known.opening, borders[0]
        else:
            at = run.read(at, borders[0])
            if at == borders[0] and run.before(let) and not run.errors and not run.builder.diagnostics:
                made.opening = Opening(run)
        for begin, stop in pairwise(borders):
            if not 0 <= at <= begin:  # recovery has gone on
                at = run.read(at, stop) if 0 <= at < stop else at
                continue
            stretch = known.stretches.get(begin)
            if not run.before(let):
                stretch = mark = None
            elif stretch is not None and stretch.states == tuple(run.states) and not run.builder.in_conflict:
                _go_over(run, stretch)
                made.stretches[begin], at = stretch, stop
                continue
            else:
                mark = _Mark(run)
            at = run.read(at, stop)
            if mark is not None:
                stretch = mark.stretch(run, text[begin:stop]) if at == stop and run.before(let) else None
                mark.restore(run)
                if stretch is not None:
                    made.stretches[begin] = stretch
        if at >= 0:
            run.drive(at)
        return run.finish(), made


def _go_over(run: Run, stretch: Stretch) -> None:
    run.values[-1] += stretch.statements
    run.last_end = stretch.last_end
    run.comments += stretch.comments
    run.builder.parens.update(stretch.parens)
    _set_flags(run, stretch.flags)


class _Mark:
    """The parser at the beginning of a stretch."""

    __slots__ = ("_comments", "_errors", "_flags", "_found", "_lengths", "_parens", "_states", "_values")

    def __init__(self, run: Run) -> None:
        self._states = tuple(run.states)
        self._values = tuple(run.values)
        self._lengths = _lengths(run.values)
        self._comments = len(run.comments)
        self._errors = run.errors
        self._found = tuple(run.builder.diagnostics)
        self._flags = _flags(run)
        _set_flags(run, None)
        self._parens = run.builder.parens
        run.builder.parens = {}

    def restore(self, run: Run) -> None:
        """Give the text back what was known of it before."""
        _set_flags(run, self._flags)
        self._parens.update(run.builder.parens)
        run.builder.parens = self._parens

    def stretch(self, run: Run, text: str) -> Stretch | None:
        """Return what was read since, if it can be gone over: bindings of one body, no mistakes, no scopes."""
        if run.errors != self._errors or tuple(run.states) != self._states:
            return None
        found = run.builder.diagnostics
        if len(found) != len(self._found) or not all(map(is_, found, self._found)):
            return None
        if not all(map(is_, run.values, self._values)) or _lengths(run.values)[:-1] != self._lengths[:-1]:
            return None
        words = words_of(text)
        statements = run.values[-1][self._lengths[-1] :]
        if words is None or not statements or any(type(one) not in _BINDINGS for one in statements):
            return None
        made = Stretch(self._states, tuple(statements), run.last_end)
        made.words = words
        made.comments = tuple(run.comments[self._comments :])
        made.parens = run.builder.parens
        made.flags = _flags(run)
        return made


_BINDINGS = (tree.VarBinding, tree.MatchCast)


def words_of(text: str) -> frozenset[str] | None:
    """Return every word and name in a text without scopes; None if it may have scopes, or names with escapes."""
    if "{" in text or "\\" in text:
        return None
    words = _WORD.findall(text)
    if "return" in words:
        return None  # what it means depends on what is bound
    return frozenset([*words, *_QUOTED.findall(text)] if "`" in text else words)


def _copied(values: Sequence[Any]) -> list[Any]:
    # Reductions extend lists in place.
    return [list(cast("list[Any]", one)) if type(one) is list else one for one in values]


def _lengths(values: Sequence[Any]) -> list[int]:
    return [len(cast("list[Any]", one)) if type(one) is list else -1 for one in values]


def _flags(run: Run) -> tuple[bool, ...]:
    features = run.builder.features
    return tuple([getattr(features, name) for name in FLAGS])


def _set_flags(run: Run, flags: tuple[bool, ...] | None) -> None:
    """Add flags to the features of a text; None takes all away."""
    features = run.builder.features
    for at, name in enumerate(FLAGS):
        setattr(features, name, flags is not None and (flags[at] or getattr(features, name)))
