"""Write the word lists of editors' grammars from `syntax/vocabulary/word_lists.py`: `python tools/make_editors.py`."""

from __future__ import annotations

import json
from pathlib import Path

from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.word_lists import CONSTANTS, TYPES, keywords

EDITORS = Path(__file__).parents[1] / "editors"


def _words(words: object) -> str:
    return "\\b(" + "|".join(words) + ")\\b"  # type: ignore[arg-type]


def textmate() -> dict[str, object]:
    """Return the TextMate grammar."""
    patterns = [
        ("comment.line.documentation.relax", "##.*$"),
        ("comment.line.number-sign.relax", "#.*$"),
        ("string.quoted.double.relax", '"(?:[^"\\\\]|\\\\.)*"'),
        ("entity.name.function.relax", '@(?:[A-Za-z_]\\w*|"(?:[^"\\\\]|\\\\.)*")'),
        ("variable.other.quoted.relax", "`(?:[^`\\\\]|\\\\.)*`"),
        ("constant.numeric.relax", "\\b\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?\\b"),
        ("constant.language.relax", _words(CONSTANTS)),
        ("support.type.relax", _words(TYPES)),
        ("storage.type.dtype.relax", _words(sorted(DTYPES))),
        ("keyword.control.relax", _words(keywords())),
        ("support.function.relax", "\\b[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)+|\\b[A-Za-z_]\\w*(?=\\s*\\()"),
        ("variable.parameter.relax", "\\b[A-Za-z_]\\w*(?=\\s*=(?!=))"),
        ("keyword.operator.relax", "->|\\.\\.|&&|\\|\\||[-+*/%=!<>&|^~]+"),
        ("variable.other.relax", "\\b[A-Za-z_]\\w*\\b"),
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Relax",
        "scopeName": "source.relax",
        "fileTypes": ["rlx"],
        "patterns": [{"name": name, "match": match} for name, match in patterns],
    }


def codemirror() -> str:
    """Return the words of the CodeMirror mode, as a module."""
    lists = {
        "keywords": keywords(),
        "types": list(TYPES),
        "constants": list(CONSTANTS),
        "dtypes": sorted(DTYPES),
    }
    lines = ["// Written by tools/make_editors.py."]
    lines += [f"export const {name} = new Set({json.dumps(words)});" for name, words in lists.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write all files."""
    into = EDITORS / "vscode" / "syntaxes"
    into.mkdir(parents=True, exist_ok=True)
    (into / "relax.tmLanguage.json").write_text(json.dumps(textmate(), indent=2) + "\n", encoding="utf-8")
    (EDITORS / "codemirror").mkdir(parents=True, exist_ok=True)
    (EDITORS / "codemirror" / "words.js").write_text(codemirror(), encoding="utf-8")


if __name__ == "__main__":
    main()
