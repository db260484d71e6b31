"""Whether Python code that settings name may run: asked without loading what runs it."""

from __future__ import annotations

import os

OFF = "RELAX_NO_PLUGINS"
"""Set in the environment, it keeps plugins and packed functions of settings from being loaded: to look at programs
that is not trusted.
"""


def plugins_are_off() -> bool:
    """Return whether code named by settings is not to be run."""
    return bool(os.environ.get(OFF))
