"""Names of the program: identifiers made from those of the model, each used once."""

from __future__ import annotations

import re

from relax_lang.format.printer import show
from relax_lang.onnx import dims
from relax_lang.ops.registry import names as operator_names
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import is_keyword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.onnx.dims import Dim

_LONGEST = 40
_FILLER = re.compile(r"\W+", re.ASCII)
_OUTPUT = re.compile(r"(?:\d++(?::|__|_tuptuo_)|tuptuo_)*")
"""What exporters write after the name of an operator, `:0` or `_output_0`, read from its end."""


class Names:
    """The names that are taken: of values and dimensions alike, as one that is both is a finding."""

    def __init__(self) -> None:
        words = {name for name in operator_names() if "." not in name}
        self._taken = {*words, *DTYPES, "_"}
        self._next: dict[str, int] = {}
        self._dimensions: dict[str, Dim] = {}
        self._usual: dict[Dim, Dim] = {}

    def fresh(self, wanted: str) -> str:
        """Return an identifier like the one wanted that is not used yet, and take it."""
        base = identifier(wanted)
        name = base
        while name in self._taken or is_keyword(name):
            count = self._next.get(base, 0) + 1
            self._next[base] = count
            name = f"{base}_{count}"
        self._taken.add(name)
        return name

    def dimension(self, found: Dim) -> Dim:
        """Return a dimension in its usual form: equal ones are one object, which is what the prover remembers by."""
        if type(found) is tree.IntImm:
            return found
        usual = self._usual.get(found)
        if usual is None:
            made = dims.add(found, 0)
            usual = self._usual[found] = self._dimensions.setdefault(show(made), made)
        return usual

    def mark(self) -> Callable[[], None]:
        """Return what gives back all names that are taken from now on: of bindings that were written for a trial."""
        taken, following = self._taken.copy(), self._next.copy()

        def release() -> None:
            self._taken, self._next = taken, following

        return release

    def taken(self, name: str) -> bool:
        """Return whether a name is used."""
        return name in self._taken


def identifier(wanted: str) -> str:
    """Return what a name of the model is called: `/block/conv/Conv_output_0` becomes `conv`."""
    written = _OUTPUT.match(wanted[::-1])
    operator = wanted[: len(wanted) - (written.end() if written else 0)]
    parts = [part for part in re.split(r"[/.:]", operator) if part]
    if "/" in wanted and len(parts) > 1 and parts[-1].isidentifier():
        name = f"{parts[-2]}_{parts[-1]}" if len(parts[-1]) < 3 else parts[-1]
        parts = [name]
    name = _FILLER.sub("_", "_".join(parts)).strip("_")
    if len(name) > _LONGEST:  # its last words
        name = name[-_LONGEST:]
        name = (name.partition("_")[2] or name).strip("_")
    name = name[:1].lower() + name[1:] if name[1:2].islower() else name
    if not name or not (name[0].isalpha()):
        name = f"v{name}" if name else "v"
    return name
