"""The infos of variables as a scope that ends sees them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.tree import StructInfo as Info


class Both:
    """Two tables of infos seen as one; names are unique."""

    __slots__ = ("first", "second")

    def __init__(self, first: dict[str, Info], second: dict[str, Info]) -> None:
        self.first = first
        self.second = second

    def get(self, name: str, default: Info | None = None) -> Info | None:
        """Return the info of a variable."""
        found = self.first.get(name)
        return self.second.get(name, default) if found is None else found

    def __contains__(self, name: object) -> bool:
        return name in self.first or name in self.second


class Without:
    """A table of infos but for some names."""

    __slots__ = ("infos", "names")

    def __init__(self, infos: dict[str, Info], names: frozenset[str]) -> None:
        self.infos = infos
        self.names = names

    def get(self, name: str, default: Info | None = None) -> Info | None:
        """Return the info of a variable."""
        return default if name in self.names else self.infos.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self.infos and name not in self.names
