"""Typed programs: a module in normal form with everything that is known of it. What builders make and passes change.

    typed = Typed.of_checked(check_sound(text))     # `api.typed(text)` does both
    typed.infos[var]                                # the struct info of a definition
    typed.with_items({old_function: new_function})  # another program

A `Typed` never changes; a changed module is a new one. Infos are derived when they are first asked for, so that a chain
of changes that asks nothing costs nothing. The invariant: what is printed of it checks, with the same infos.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import has_errors, in_order
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.infer.drivers.trees import BLANK, Mentions, features_of, infer_tree
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from relax_lang.analysis.call_graph import Graph
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.driver import CheckConstant, Checked
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.check.infer.context.module_state import Header, Headers

    Info = tree.StructInfo
    Array = Any


class IllTyped(Exception):  # noqa: N818 - says what the program is
    """A tree that is not a valid program; `diagnostics` say why, places refer to the source of the tree."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__("\n".join([f"{one.slug}: {one.message}" for one in self.diagnostics]))


class Typed:
    """A module in normal form; see the head of this module.

    `source` is the text that places in its nodes refer to: what messages show. It may be another program by now.
    """

    __slots__ = (
        "_before",
        "_cycles",
        "_effectful",
        "_effects",
        "_graph",
        "_headers",
        "_inferred",
        "_items",
        "_mentions",
        "module",
        "source",
    )

    def __init__(
        self,
        module: tree.IRModule,
        source: SourceFile | None = None,
        *,
        inferred: Inferred | None = None,
        headers: Headers | None = None,
        mentions: Mapping[tree.Function, Mentions] | None = None,
        before: Inferred | None = None,
    ) -> None:
        self.module = module
        self.source = source or SourceFile("", "<module>")
        self._headers: Headers = {} if headers is None else headers  # empty until a constant is asked for
        self._inferred = inferred
        self._before = before
        """What is known of a program that this one was made of: its functions that did not change are not derived
        again."""
        self._effects: Callable[[], set[Node]] | None = None
        self._effectful: set[Node] | None = None
        self._mentions: dict[tree.Function, Mentions] = dict(mentions or {})
        self._items: dict[str, tree.Item] | None = None
        self._graph: Graph | None = None
        self._cycles: dict[tree.Function, frozenset[str]] | None = None

    @classmethod
    def of_checked(cls, checked: Checked, check_constant: CheckConstant | None = None) -> Typed:
        """Return a program that was checked, without errors; raises IllTyped if it has some.

        `check_constant` knows dtype and shape of constants in files.
        """
        if checked.has_errors:
            raise IllTyped([*checked.diagnostics, *checked.ignored])
        headers = _Headers(checked.source, check_constant) if checked.parsed.features.files else None
        return cls(checked.normal, checked.source, inferred=checked.inferred, headers=headers)

    @classmethod
    def of_tree(
        cls,
        module: tree.IRModule,
        source: SourceFile | None = None,
        check_constant: CheckConstant | None = None,
    ) -> Typed:
        """Return a tree that was made in Python as a program: names are resolved, it is normalized and checked.

        Definitions stay the nodes they are where they are normal already. Raises IllTyped if something is wrong.
        """
        from relax_lang.scope.verify import verify

        wrong = verify(module)
        if has_errors(wrong):
            raise IllTyped(wrong)
        return cls.of_checked(check_tree(module, source, check_constant), check_constant)

    # What is known.

    @property
    def inferred(self) -> Inferred:
        """Infos, proofs and effects; derived when first asked for. Raises IllTyped if the program has type errors."""
        if self._inferred is None:
            self._inferred = self._infer()
        return self._inferred

    def _infer(self) -> Inferred:
        text = self.source.text or BLANK
        before, self._before = self._before, None
        with deep_recursion():
            found = infer_tree(
                self.module, text=text, headers=self._headers, mentions=self._all_mentions(), previous=before
            )
        if has_errors(found.diagnostics):
            raise IllTyped(found.diagnostics)
        self._effects = found.effects
        return found

    @property
    def effects(self) -> set[Node]:
        """The calls of the module that may have effects, as the rules of purity see them. [P.4] [P.5] [P.8]"""
        if self._effects is None:  # what the checker of a text knows is about the text
            self._inferred = self._infer()
        if self._effectful is None:  # passes ask for each binding
            assert self._effects is not None
            self._effectful = self._effects()
        return self._effectful

    @property
    def infos(self) -> dict[Node, Info]:
        """Definition of a variable, parameters too, to its struct info."""
        return self.inferred.infos

    @property
    def signatures(self) -> dict[str, Info]:
        """Name of a function to its function type."""
        return self.inferred.functions

    @property
    def headers(self) -> Headers:
        """Dtype and shape of constants in files."""
        return self._headers

    @property
    def items(self) -> dict[str, tree.Item]:
        """The functions and PrimFuncs by name, in the order of the module."""
        if self._items is None:
            self._items = {item.name.name_hint: item for item in self.module.items if item.name is not None}
        return self._items

    @property
    def functions(self) -> list[tree.Function]:
        """The Relax functions of the module, in order."""
        return [item for item in self.module.items if isinstance(item, tree.Function)]

    @property
    def prim_funcs(self) -> dict[str, tree.PrimFunc]:
        """The PrimFuncs by name."""
        return {name: item for name, item in self.items.items() if isinstance(item, tree.PrimFunc)}

    def mentions(self, function: tree.Function) -> Mentions:
        """Return which items, constants in files and kinds of code a function of the module mentions."""
        found = self._mentions.get(function)
        if found is None:
            found = self._mentions[function] = Mentions(function)
        return found

    @property
    def graph(self) -> Graph:
        """Which functions the calls of the module reach, and what is quiet."""
        if self._graph is None:
            from relax_lang.analysis.call_graph import Graph  # only where something asks

            with deep_recursion():
                self._graph = Graph(self.module)
        return self._graph

    def cycles(self) -> dict[tree.Function, frozenset[str]]:
        """Return the functions that are recursive, each with the names of those that it is recursive with."""
        if self._cycles is None:
            from relax_lang.analysis.cycles import cycles

            self._cycles = cycles(self.module, self._all_mentions())
        return self._cycles

    def _all_mentions(self) -> dict[tree.Function, Mentions]:
        return {function: self.mentions(function) for function in self.functions}

    # Other programs.

    def with_module(self, module: tree.IRModule, *, inferred: Inferred | None = None) -> Typed:
        """Return this program with another module, in normal form; `inferred` if its infos are known already."""
        if module is self.module:
            return self
        kept = {
            item: self._mentions[item]
            for item in module.items
            if isinstance(item, tree.Function) and item in self._mentions
        }
        headers = self._headers if isinstance(self._headers, _Headers) else dict(self._headers)
        before = None if inferred is not None else self._inferred or self._before
        return Typed(module, self.source, inferred=inferred, headers=headers, mentions=kept, before=before)

    def with_items(
        self, changed: Mapping[tree.Item, tree.Item | None], added: Iterable[tree.Item] = ()
    ) -> Typed:
        """Return this program with items replaced (None: removed), and others added at the end.

        It is the same object if nothing changes.
        """
        before = self.module.items
        items = [changed.get(item, item) for item in before]
        now = tuple([item for item in (*items, *added) if item is not None])
        if now == before:  # nodes are equal by identity only
            return self
        module = tree.IRModule(self.module.attrs, now, self.module.pos, self.module.end)
        return self.with_module(module)

    def with_arrays(self, arrays: Mapping[tuple[str, str | None], Array]) -> Typed:
        """Return this program with arrays for constants `file(path, key)` whose files do not exist yet."""
        source = self.source.with_text(self.source.text)
        source.arrays = {**self.source.arrays, **arrays}
        inner = self._headers.check if isinstance(self._headers, _Headers) else None
        headers = _Headers(source, inner)
        return Typed(
            self.module,
            source,
            inferred=self._inferred,
            headers=headers,
            mentions=self._mentions,
            before=self._before,
        )

    # As text, and checked.

    def __str__(self) -> str:
        """Return the text of the program. Raises Unprintable if no text means the same."""
        return text_of(self.module)

    def __repr__(self) -> str:
        """Name the functions."""
        return f"<typed program: {', '.join(['@' + name for name in self.items]) or 'no functions'}>"

    @property
    def check_constant(self) -> CheckConstant | None:
        """What says whether a constant in a file is there, and of which dtype and shape; None: nothing is known."""
        return self._headers.check_constant if isinstance(self._headers, _Headers) else None

    def checked(self) -> Checked:
        """Return what the checker says of the program, for everything that takes checked programs."""
        return check_tree(self.module, self.source, self.check_constant)


def text_of(module: tree.IRModule) -> str:
    """Return a module as text. Raises `format.printer.Unprintable` if no text means the same."""
    from relax_lang.format.printer import print_tree
    from relax_lang.scope.hidden_operators import check_names

    with deep_recursion():
        text = print_tree(module)
        check_names(module)
    return text


def check_tree(
    module: tree.IRModule, source: SourceFile | None = None, check_constant: CheckConstant | None = None
) -> Checked:
    """Check a tree as `check` does a text; places refer to `source`."""
    from relax_lang.check.driver import (
        check_parsed,
    )  # the phases before inference: lazy programs never need them

    mentions = {item: Mentions(item) for item in module.items if isinstance(item, tree.Function)}
    source = source or SourceFile("", "<module>")
    parsed = Parsed(source.text or BLANK, features_of(module, mentions))
    parsed.tree = module
    with deep_recursion():
        return check_parsed(source, parsed, check_constant)


class _Headers(dict["tree.FileLit", "Header"]):
    """Dtype and shape of constants in files, by node and otherwise by what is written there."""

    def __init__(self, source: SourceFile, check: CheckConstant | None) -> None:
        super().__init__()
        self.source = source
        self.check = check

    def check_constant(self, literal: tree.FileLit) -> Any:
        """Return what is known of the array of a constant, or what is wrong with its file."""
        array = self.source.arrays.get((literal.path, literal.key))
        if array is not None:
            return _Held(array)
        return None if self.check is None else self.check(literal)

    def get(self, key: tree.FileLit, default: Any = None) -> Any:
        """Return dtype and shape of a constant."""
        known = super().get(key)
        if known is None:
            found = self.check_constant(key)
            if found is None or not hasattr(found, "shape"):
                return default
            known = self[key] = found.dtype, tuple(found.shape)
        return known


class _Held:
    """Dtype and shape of an array that is in memory."""

    __slots__ = ("dtype", "shape")

    def __init__(self, array: Array) -> None:
        self.dtype: str = array.dtype.name
        self.shape: tuple[int, ...] = array.shape
