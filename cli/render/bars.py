"""The console of progress bars. Imported only where one is shown."""

from __future__ import annotations

from rich.console import Console


class BarConsole(Console):
    """Standard error, on which the cursor stays visible.

    Whoever hides it has to show it again at the end, and a process that is killed outright does not get there.
    """

    def __init__(self) -> None:
        super().__init__(stderr=True)

    def show_cursor(self, show: bool = True) -> bool:
        """Leave the cursor as it is."""
        return False
