"""What is known of the planned calls of one PrimFunc: asked of the compiler once, and kept for other processes. [O.4]

Planning needs the code as the compiler made it, which takes long to make. So its answers, and the byte code of the
forms that were tried, are kept as plain data where the code of the PrimFunc itself is kept.
"""

from __future__ import annotations

import marshal
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from relax_lang.tir.calls.tables import are_small
from relax_lang.tir.codegen.calls.forms import FITS, MAKE, RUN, Form, size_class
from relax_lang.tir.kept_code import names_of_library
from relax_lang.tir.loading import load
from relax_lang.tir.options.sharing import NOTHING_SHARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from relax_lang.syntax import tree
    from relax_lang.tir.codegen.calls.planned_calls import PlannedCall
    from relax_lang.tir.codegen.printer.module import Generated
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.tir.options.sharing import Sharing

    Shape = tuple[int, ...]
    Run = Callable[..., Any]


class Functions(NamedTuple):
    """The functions of a planned call in one form, and what they raise where another one has to run the call."""

    run: Run
    fits: Run
    not_vectorized: type[BaseException]


class PlannedForms:
    """Calls that have the last of the buffers as results; `shapes` are those of all buffers.

    All calls have these shapes if they are `certain`; otherwise the first one has, by which operations are chosen.
    `code` returns what the compiler made, `form` is what the code of the PrimFunc is kept under.
    """

    def __init__(
        self,
        func: tree.PrimFunc,
        code: Callable[[], Generated | None],
        form: str,
        results: int,
        shapes: Sequence[Shape],
        certain: bool,
        sharing: Sharing = NOTHING_SHARED,
        kept: KeptCodes | None = None,
    ) -> None:
        self._func = func
        self._code = code
        self._given = results, [*shapes], certain, sharing
        self._call: PlannedCall | None = None
        self._functions: dict[Form, Functions] = {}
        common = results, [*shapes] if certain else None, size_class(shapes), tuple(sharing)
        self._key = f"planned {common} {form}"
        self._known: dict[Hashable, Any] = {}
        """The answers by what they answer, and the byte code by its form."""
        self._is_kept = True
        if kept is not None:
            self._known.update(kept.get(self._key) or {})

    @property
    def is_possible(self) -> bool:
        """Whether a call needs no more than its inputs; see `PlannedCall`."""
        return self._ask("possible", lambda call: call.is_possible)

    @property
    def may_fail(self) -> bool:
        """Whether a call may have to be given up while it runs."""
        return self._ask("fails", lambda call: call.may_fail)

    @property
    def forms(self) -> list[Form]:
        """How such calls may run, what is best first."""
        return [Form(*one) for one in self._ask("forms", lambda call: [tuple(form) for form in call.forms])]

    @property
    def overwritten(self) -> int | None:
        """The position of an input that the result may be written over."""
        return self._ask("over", lambda call: call.overwritten)

    def makes_results(self, form: Form) -> bool:
        """Return whether each result is what an operation makes, so that all of its elements are written."""
        return self._ask(("makes", *form), lambda call: call.makes_results(form))

    def is_monotone(self, form: Form) -> bool:
        """Return whether two combinations of sizes that fit have nothing but such in between."""
        return self._ask(("monotone", *form), lambda call: call.is_monotone(form))

    def functions(self, form: Form) -> Functions:
        """Return the functions of a form."""
        found = self._functions.get(form)
        if found is None:
            codes = self._known.get(("codes", *form))
            found = self._made(form) if codes is None else _from_codes(codes)
            self._functions[form] = found
        return found

    def keep(self, kept: KeptCodes) -> None:
        """Keep what was found out since it was kept last."""
        if not self._is_kept:
            kept.put(self._key, self._known)
            self._is_kept = True

    def _made(self, form: Form) -> Functions:
        namespace = load(self._func, self._asked().module(form))
        if not _make_tables(namespace):
            namespace = load(self._func, self._asked().module(form, tables=False))
            _make_tables(namespace)
        functions = [namespace[name] for name in (RUN, FITS, MAKE)]
        self._known["codes", *form] = marshal.dumps(tuple([function.__code__ for function in functions]))
        self._is_kept = False
        return Functions(functions[0], functions[1], namespace["NotVectorized"])

    def _ask(self, what: Hashable, answer: Callable[[PlannedCall], Any]) -> Any:
        if what not in self._known:
            self._known[what] = answer(self._asked())
            self._is_kept = False
        return self._known[what]

    def _asked(self) -> PlannedCall:
        if self._call is None:
            from relax_lang.tir.codegen.calls.planned_calls import PlannedCall  # not for what was kept

            code = self._code()
            assert code is not None, "what is not vectorized is not planned"
            self._call = PlannedCall(code, *self._given)
        return self._call


def _from_codes(codes: bytes) -> Functions:
    namespace = names_of_library(codes)
    for name, code in zip((RUN, FITS, MAKE), marshal.loads(codes), strict=True):
        assert isinstance(code, CodeType)
        namespace[name] = FunctionType(code, namespace)
    _make_tables(namespace)
    return Functions(namespace[RUN], namespace[FITS], namespace["NotVectorized"])


def _make_tables(namespace: dict[str, Any]) -> bool:
    """Make what all calls compute alike, for the functions of a module; return whether it is not too large for that."""
    try:
        with np.errstate(all="ignore"):
            made: dict[str, Any] = namespace[MAKE]()
    except (namespace["NotVectorized"], MemoryError, OverflowError):
        return False
    namespace.update(made)
    return are_small(made.values())
