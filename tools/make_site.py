"""Make the documentation site in `build/site`: `python tools/make_site.py` (or `make site`), with the extra `site`.

The pages are the repository's own Markdown files in the folders they have there, so that links mean the same in both;
to them come the start page and the page of the Python API (`docs/site/`), the commands (from their `--help`), and a
page for each folder of samples. Sphinx turns its warnings, such as a link that leads nowhere, into errors.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "NOTICE",
    "docs",
    "samples",
    "editors/README.md",
    "editors/neovim/README.md",
    "playground/README.md",
]
SHOWN = {".rlx": "relax", ".py": "python", ".toml": "toml", ".relay": "text"}
"""The files of samples that are shown, and the lexer of each kind."""


def main(words: list[str] | None = None) -> int:
    """Make the site; return Sphinx's exit status."""
    reader = argparse.ArgumentParser(description="Make the documentation site.")
    reader.add_argument(
        "-o", "--output", type=Path, default=ROOT / "build" / "site", help="the folder to write"
    )
    output: Path = reader.parse_args(words).output.resolve()
    source = output.with_name(output.name + "-source")
    shutil.rmtree(source, ignore_errors=True)
    gather(source)
    sphinx = [
        sys.executable,
        "-m",
        "sphinx",
        "--quiet",
        "--fail-on-warning",
        "--keep-going",
        "--jobs",
        "auto",
    ]
    sphinx += ["--conf-dir", str(ROOT / "docs" / "site"), str(source), str(output)]
    status = subprocess.run(sphinx, cwd=ROOT, check=False, env=with_package()).returncode
    if status == 0:
        print(f"The site: {output / 'index.html'}")
    return status


def gather(into: Path) -> None:
    """Put the sources of all pages into a folder."""
    into.mkdir(parents=True)
    for name in PAGES:
        there = into / name
        there.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, there, ignore=shutil.ignore_patterns("__pycache__", "site"))
        else:
            shutil.copy(ROOT / name, there)
    for page in (ROOT / "docs" / "site").glob("*.md"):
        shutil.copy(page, into)
    (into / "commands.md").write_text(commands(), encoding="utf-8")
    folders = [one for one in (into / "samples").rglob("*") if one.is_dir()]
    for folder in folders:
        shown = any(file.suffix in SHOWN for file in folder.iterdir())
        if shown and not (folder / "README.md").exists():
            (folder / "index.md").write_text(listing(folder, into), encoding="utf-8")


def commands() -> str:
    """Return a page with what `--help` shows of every command, as tables."""
    sys.path.insert(0, str(ROOT))
    import typer

    app: Any = importlib.import_module("relax_lang.cli.app").app
    group: Any = typer.main.get_command(app)
    context: Any = typer.Context(group, info_name="relax")
    lines = [
        "# Commands",
        "",
        f"{group.help} Every command has `--help` with the same text and its examples.",
        "",
    ]
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        own: Any = typer.Context(command, parent=context, info_name=name)
        lines += [f"## relax {name}", "", str(command.help), ""]
        lines += ["```console", f"$ relax {name} {' '.join(command.collect_usage_pieces(own))}", "```", ""]
        records = [record for one in command.get_params(own) if (record := one.get_help_record(own))]
        lines += [
            "| | |",
            "|---|---|",
            *(f"| `{cell(left)}` | {cell(right)} |" for left, right in records),
            "",
        ]
        lines += [str(command.epilog or ""), ""]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Return a text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def listing(folder: Path, root: Path) -> str:
    """Return a page that shows the files of a folder."""
    lines = [f"# {folder.relative_to(root).as_posix()}", ""]
    for file in sorted(folder.iterdir()):
        lexer = SHOWN.get(file.suffix)
        if lexer is not None:
            lines += [
                f"## {file.name}",
                "",
                f"```{{literalinclude}} {file.name}",
                f":language: {lexer}",
                "```",
                "",
            ]
    return "\n".join(lines)


def with_package() -> dict[str, str]:
    """Return the environment of a process that imports the package from this checkout."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


if __name__ == "__main__":
    sys.exit(main())
