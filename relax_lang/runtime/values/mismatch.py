"""Why a value does not fit an annotation, and what annotations are read against. [Z.7]"""

from __future__ import annotations

from relax_lang.arith.evaluate import names_in
from relax_lang.base.wording import mismatch_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.syntax import tree

    Path = tuple[str, ...]


class Mismatch:
    """`field 1: dimension 0: expected k * 2 = 4, found 3`. [Z.7]

    `path` leads into tuples and function types; `what` is `rank`, `dtype`, `fields`, `dimension 1` and
    the like, or empty for a wrong kind of value.
    """

    __slots__ = ("expected", "found", "path", "what")

    def __init__(self, path: Path, what: str, expected: str, found: str) -> None:
        self.path = path
        self.what = what
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return mismatch_text(self.path, self.what, self.expected, self.found)


class Environment:
    """What annotations may mention: the variables (`Tensor[s, float32]`) and the shape variables in scope.

    `shape_vars` is the dictionary of the running function itself: binding a shape variable changes it.
    """

    __slots__ = ("shape_vars", "variables")

    def __init__(self, variables: Mapping[str, object], shape_vars: dict[str, int]) -> None:
        self.variables = variables
        self.shape_vars = shape_vars

    def knows(self, dim: tree.PrimExpr) -> bool:
        """Return whether every shape variable of a dimension has a value."""
        return all(use.name in self.shape_vars for use in names_in(dim))


def shown(node: tree.Node) -> str:
    """Return the text of a struct info or a dimension for a message."""
    from relax_lang.format.printer import show  # only needed when something failed

    return show(node)
