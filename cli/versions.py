"""What `relax --version` prints."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from relax_lang._version import VERSION


def versions() -> str:
    """Return the versions of relax-lang and of what decides how programs run."""
    return f"relax-lang {VERSION}\nPython {platform.python_version()}\nNumPy {_installed('numpy')}"


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
