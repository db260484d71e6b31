"""The outcome of inference: tables of infos, and which run-time checks certainly succeed.

Only data, and what is worked out from it when it is first asked for.
"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.info_index import InfoIndex
    from relax_lang.check.infer.purity import Purity

    Info = tree.StructInfo


class Inferred:
    """The outcome of inference. Keys are nodes of the normal form, compared by identity."""

    __slots__ = (
        "_functions",
        "_index",
        "diagnostics",
        "infos",
        "normal",
        "proved",
        "purity",
        "signatures",
        "state",
    )

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
        self.state: object = None
        """The `ModuleState` at the end: for another module that has functions in common with this one."""
        self._functions: dict[str, Info] | None = None
        self._index: InfoIndex | None = None

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

    @property
    def index(self) -> InfoIndex:
        """What is known by places of the text; made when it is asked for."""
        if self._index is None:
            from relax_lang.check.infer.context.info_index import InfoIndex  # checking alone never asks

            self._index = InfoIndex(self.normal, self.infos, self.functions)
        return self._index

    def at(self, offset: int) -> Info | None:
        """Return the info of the smallest expression or definition around an offset of the text."""
        return self.index.at(offset)
