"""What is known of a binding once its lines are written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.syntax import tree


class Written:
    """A binding that was written: what is certain of its value, which variables it was the last to need, whether its
    own is not needed, and whether its annotation is checked. `lines` are the numbers of its lines, from 0.
    """

    __slots__ = ("binding", "ended", "info", "is_checked", "is_unneeded", "lines")

    def __init__(
        self,
        binding: tree.Binding,
        info: tree.StructInfo,
        ended: Collection[str],
        is_unneeded: bool,
        is_checked: bool,
    ) -> None:
        self.binding = binding
        self.info = info
        self.ended = ended
        self.is_unneeded = is_unneeded
        self.is_checked = is_checked
        self.lines = range(0)

    @property
    def name(self) -> str:
        """The variable."""
        return "" if self.binding.var is None else self.binding.var.name_hint
