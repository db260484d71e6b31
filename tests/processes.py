"""What tests share that start processes: limits that hold on a busy machine, and signals that arrive."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

PATIENCE = 300.0
"""Seconds to wait for something that takes less than one: only a hang lasts longer, however busy the machine is."""


def start(words: list[str], **options: Any) -> subprocess.Popen[str]:
    """Start a process that Ctrl-C ends, also where a shell runs the tests in the background, which ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(words, **options)
    finally:
        signal.signal(signal.SIGINT, before)
