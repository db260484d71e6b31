"""Draws what commands show in a terminal: `docs/pictures/*.svg`.

Written by hand when the output has changed: `python tools/make_pictures.py`. Times in a trace differ from run to run.
"""

from __future__ import annotations

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
DIGITS = "run samples/digits/digits.rlx --npz samples/digits/test.npz --print none"
PICTURES = {
    "diagnostics": "check samples/bad/op-shape-mismatch.rlx samples/bad/undefined-variable.rlx --color always",
    "trace": f"{DIGITS} --trace",
    "profile": f"{DIGITS} --profile",
}
WIDTH = 100
FORMAT = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code", "ui-monospace, DejaVu Sans Mono, Menlo, Consolas"
)
"""Rich's picture with the fonts of the reader: nothing is fetched."""


def main() -> None:
    """Run the commands and write the pictures."""
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    for name, line in PICTURES.items():
        done = subprocess.run(
            [sys.executable, "-m", "relax_lang", *line.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            text=True,
            check=False,
        )
        shown = line.removesuffix(" --color always")
        console = Console(record=True, width=WIDTH, file=StringIO())
        console.print(Text(f"$ relax {shown}", style="bold"), soft_wrap=True)
        console.print(Text.from_ansi(done.stdout.rstrip()))
        console.save_svg(
            str(folder / f"{name}.svg"), title="relax", code_format=FORMAT, unique_id=f"relax-{name}"
        )
        print(f"wrote docs/pictures/{name}.svg")


if __name__ == "__main__":
    main()
