"""Text to tree: `parse`. Never raises on what a user wrote. [R.29]"""

from __future__ import annotations

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.relay.syntax.run import Parsed, RelayRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.syntax.run import Recovery

__all__ = ["Parsed", "parse"]


def _recovery() -> Recovery:
    from relax_lang.relay.syntax import recovery  # only loaded when there is an error

    return recovery


def parse(text: str, start: str = "module") -> Parsed:
    """Parse a text: a `module`, a `body` (bindings and a value), or a `type`."""
    with no_collection():
        run = RelayRun(text, start, _recovery)
        run.drive(0)
        return run.finish()
