"""The CodeMirror mode, run in Node, gives the tokens of the Pygments lexer."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from relax_lang.pygments_lexer import TOKENS, RelaxLexer

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_mode_gives_the_tokens_of_the_lexer() -> None:
    paths = sorted([*ROOT.glob("samples/*.rlx"), *ROOT.glob("samples/models/*.rlx")])
    kinds = {kind: name for name, kind in TOKENS.items() if name is not None}
    words = ["node", str(ROOT / "tests/editors/codemirror.mjs"), str(ROOT / "editors/codemirror/relax.js")]
    done = subprocess.run([*words, *map(str, paths)], capture_output=True, check=True, timeout=240)
    for path, found in zip(paths, json.loads(done.stdout), strict=True):
        text = path.read_text("utf-8")
        lexed = [
            [text.count("\n", 0, at), value, kinds[kind]]
            for at, kind, value in RelaxLexer().get_tokens_unprocessed(text)
            if kind in kinds
        ]
        for mine, theirs in zip(found, lexed, strict=False):
            assert mine == theirs, path
        assert len(found) == len(lexed)
