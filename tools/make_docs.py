"""Write the pages that come out of the registries: docs/operators.md and docs/diagnostics.md.

`--check` compares the committed pages with fresh ones (CI does that).
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    from relax_lang import api
    from relax_lang.ops import registry

    return {"operators.md": registry.markdown(), "diagnostics.md": api.explain_all()}


def main() -> None:
    """Write the pages, or with --check compare them."""
    for name, text in pages().items():
        path = ROOT / "docs" / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"docs/{name} is stale; run tools/make_docs.py")


if __name__ == "__main__":
    main()
