"""All diagnostics of name resolution, by theme; importing this module registers them.

Name resolution imports a theme when it has something to report, so that a clean program pays for none.
"""

from __future__ import annotations

from relax_lang.scope import problems_blocks, problems_dims, problems_names, problems_verify

THEMES = (problems_names, problems_dims, problems_blocks, problems_verify)
"""The modules that declare them."""
