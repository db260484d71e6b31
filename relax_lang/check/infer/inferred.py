"""What inference found out about a module: tables of infos, and which run-time checks it made needless.

Data only; what is known at a place of the text is answered here too, because editors ask it.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.purity import Purity

    Info = tree.StructInfo


class Inferred:
    """The outcome of inference. Keys are nodes of the normal form, compared by identity."""

    __slots__ = ("_functions", "diagnostics", "infos", "normal", "proved", "purity", "signatures")

    def __init__(self, normal: tree.IRModule) -> None:
        self.normal = normal
        """The module in normal form; of a program with errors as far as its names can be made out."""
        self.diagnostics: list[Diagnostic] = []
        """What does not fit, in no particular order."""
        self.infos: dict[Node, Info] = {}
        """Definition of a variable (parameters too) to what is known of it."""
        self.signatures: dict[str, tuple[tree.Function, Info]] = {}
        """Name of a function of the module to itself and what is known of it but for its purity; see `functions`."""
        self.proved: set[Node] = set()
        """Where a check at run time succeeds for certain, so that it can be left out; shape variables are bound all
        the same. A `MatchCast`; the annotation of a binding; the result annotation of a function; a `Function` for its
        parameters, whoever calls it; a `Call` for the parameters of what it calls, or the buffers of a `call_tir`. What
        a packed function is claimed to return proves nothing. [D.14]"""
        self.purity: Callable[[], Purity] | None = None
        """Returns the effects of the functions, which are not worked out before that."""
        self._functions: dict[str, Info] | None = None

    @property
    def functions(self) -> dict[str, Info]:
        """Name of a function of the module to its function type; the result is inferred if not annotated. [D.12.6]"""
        if self._functions is None:
            self._functions = {}
            for name, (function, info) in self.signatures.items():
                if isinstance(info, tree.FuncStructInfo) and self.purity is not None:
                    pure = self.purity().is_pure(function, function)
                    info = tree.FuncStructInfo(info.params, info.ret, None, pure, info.pos, info.end)
                self._functions[name] = info
        return self._functions

    def effects(self) -> set[Node]:
        """Return the calls, as written, that may have effects. [P.4] [P.5] [P.8]"""
        return set() if self.purity is None else self.purity().effects()

    def at(self, offset: int) -> Info | None:
        """Return the info of the smallest expression or definition around an offset of the text."""
        best: tuple[int, Info] | None = None
        for pos, end, info in self._places():
            if pos <= offset < end and (best is None or end - pos < best[0]):
                best = end - pos, info
        return None if best is None else best[1]

    def _places(self) -> list[tuple[int, int, Info]]:
        """Return the text of definitions, uses and values with what is known of them."""
        found = [(node.pos, node.end, info) for node, info in self.infos.items()]
        for item in self.normal.items:
            nodes = list(walk(item))
            named = {
                node.name_hint: self.infos[node]
                for node in nodes
                if isinstance(node, tree.Var | tree.DataflowVar) and node in self.infos
            }
            for node in nodes:
                if isinstance(node, tree.Var) and node not in self.infos and node.name_hint in named:
                    found.append((node.pos, node.end, named[node.name_hint]))
                elif isinstance(node, tree.VarBinding) and node.var in self.infos:
                    found.append((node.value.pos, node.value.end, self.infos[node.var]))
        for function, info in self.signatures.values():
            if function.name is not None:
                found.append((function.name.pos, function.name.end, info))
        return found
