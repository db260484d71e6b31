"""What goes wrong with passes: each error has the diagnostic that the user sees, and the program before the pass."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.typed import Typed


class PassError(Exception):
    """A pass that does not exist, is given wrong options, or could not do its work."""

    def __init__(self, diagnostic: Diagnostic, before: Typed | None = None) -> None:
        self.diagnostic = diagnostic
        self.before = before
        """The program that the pass was given; None where it never got one."""
        super().__init__(f"{diagnostic.slug}: {diagnostic.message}")
        for note in diagnostic.notes:
            self.add_note(f"note: {note}")
        if diagnostic.help:
            self.add_note(f"help: {diagnostic.help}")


class PassRefused(PassError):  # noqa: N818 - named after what the pass did
    """A program that a pass cannot work on; the diagnostic has what to change."""


class PassBrokeProgram(PassError):  # noqa: N818 - named after what the pass did
    """A defect of a pass: it made a program that is not valid, or that means something else."""


class PassFailed(PassError):  # noqa: N818 - named after what the pass did
    """A defect of a pass: it raised another exception, which is the cause of this one."""
