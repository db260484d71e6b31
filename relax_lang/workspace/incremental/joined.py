"""What is true of all pieces of a document together, and how much work an analysis of it was."""

from __future__ import annotations

from relax_lang.syntax.parsed import Features, Losses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.workspace.text.pieces import Layout

FEATURES = Features.__slots__


class Counts:
    """How much work an analysis was: how many items each pass has looked at. For tests and benchmarks."""

    __slots__ = ("inferred", "parsed", "resolved")

    def __init__(self) -> None:
        self.parsed = 0
        self.resolved = 0
        self.inferred = 0


def losses_of(layout: Layout) -> Losses:
    """Return what is missing or wrong in all pieces."""
    losses = Losses()
    for piece in layout.pieces:
        own = piece.parsed.losses
        losses.wrong |= own.wrong
        losses.lists |= own.lists
        losses.nulls |= own.nulls
        losses.strings |= own.strings
        if own.some:
            losses.some = True
            losses.names |= own.names
            losses.incomplete |= own.incomplete.intersection(piece.items)
            losses.understood |= own.understood.intersection(piece.items)
    return losses


def features_of(layout: Layout) -> Features:
    """Return which constructs are used in any piece."""
    features = Features()
    for piece in layout.pieces:
        for name in FEATURES:
            setattr(features, name, getattr(features, name) or getattr(piece.parsed.features, name))
    features.directives = any(comment.is_directive for piece in layout.pieces for comment in piece.comments)
    return features
