"""The server ends when the editor that started it does, whether or not it said so."""

from __future__ import annotations

import os
import threading
import time

SECONDS = 2.0


def end_with(process: int) -> None:
    """End this process soon after another one has ended."""

    def watch() -> None:
        while _is_alive(process):
            time.sleep(SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # signal 0 would end it there; the closed pipe ends the server
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
