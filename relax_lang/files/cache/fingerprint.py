"""What of the toolchain itself decides what it finds: results of another version are not results of this one."""

from __future__ import annotations

import os
import sys

from relax_lang._version import VERSION
from relax_lang.base.python.digests import digest

OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder of the package."""
_FOUND: list[str] = []


def fingerprint() -> str:
    """Return what of this program and of Python decides what is found: versions, and which checkout this is.

    What its files hold is looked at for each result (`results`): no result needs them all.
    """
    if not _FOUND:
        own = OWN if is_checkout() else ""
        _FOUND.append(digest("\n".join([VERSION, sys.version, str(sys.flags.optimize), sys.platform, own])))
    return _FOUND[0]


def is_checkout() -> bool:
    """Return whether the files of this package may change under the same version."""
    return not os.path.isdir(os.path.join(OWN, "cli"))
