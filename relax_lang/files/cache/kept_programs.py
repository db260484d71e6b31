"""Programs without errors as earlier processes checked them: their normal form, and the checks that were proved."""

from __future__ import annotations

from relax_lang.base.source import SourceFile
from relax_lang.base.tree_columns import columns, from_columns
from relax_lang.files.cache.dependencies import are_as_before, arrays_of, of_source, states
from relax_lang.files.cache.fingerprint import fingerprint
from relax_lang.files.cache.results import Results
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from relax_lang.base.node import Node

    Sound = tuple[tree.IRModule, AbstractSet[Node]]
    """The normal form of a program without errors, and the nodes whose checks cannot fail."""


class ProgramStore:
    """Keeps programs that are run from their files."""

    __slots__ = ("_store",)

    def __init__(self) -> None:
        self._store = Results()

    def key(self, source: SourceFile) -> str | None:
        """Return what the normal form of a program follows from; None for a program that is not kept."""
        if type(source) is not SourceFile or source.arrays:
            return None
        own = of_source(source)
        return None if own is None else repr(("normal form", fingerprint(), *own))

    def get(self, key: str) -> Sound | None:
        """Return a program that was kept, if the arrays that it mentions are what they were."""
        entry = self._store.get(key)
        if entry is None:
            return None
        try:
            data, arrays = entry
            if not are_as_before(arrays):
                return None
            module, proved = from_columns(data, vars(tree))
        except (KeyError, TypeError, ValueError, IndexError):  # of a version that had another form of it
            return None
        return (module, frozenset(proved)) if isinstance(module, tree.IRModule) else None

    def put(self, key: str, source: SourceFile, normal: tree.IRModule, proved: Collection[Node]) -> None:
        """Keep a program without errors."""
        arrays = arrays_of(source, normal)
        if arrays is not None:
            self._store.put(key, (columns(normal, proved), states(arrays)))


def program_store() -> ProgramStore | None:
    """Return where programs are kept, unless the environment says that nothing is."""
    from relax_lang.files.cache import is_off

    return None if is_off() else ProgramStore()
