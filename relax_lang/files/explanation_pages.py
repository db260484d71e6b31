"""Explanations of diagnostics as files in the user's cache folder: links that work without a network."""

from __future__ import annotations

import os

from relax_lang._version import VERSION
from relax_lang.files.cache import folder, is_off
from relax_lang.files.replacing import replace_file


def page(code: str, text: str) -> str | None:
    """Return the path of a page with an explanation, which is written if it is not there; None if it cannot be.

    With `RELAX_NO_CACHE` nothing is written.
    """
    if is_off():
        return None
    path = os.path.join(os.path.dirname(folder()), f"explanations-{VERSION}", f"{code}.md")
    content = text.encode()
    try:
        if not os.path.exists(path) or os.path.getsize(path) != len(content):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            replace_file(path, lambda file: file.write(content), create=True)
    except OSError:
        return None
    return path
