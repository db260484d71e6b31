"""The tree-sitter grammar: its C is compiled, reads what the project's own parser reads, and keeps up with edits."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from relax_lang.check.explain import all_rules
from relax_lang.syntax.parser import parse
from tests.docs.examples import examples
from tests.explanations import programs

tree_sitter = pytest.importorskip("tree_sitter", reason="tree-sitter is not installed (extra `test`)")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "editors" / "tree-sitter-relax"
SAMPLES = sorted(ROOT.glob("samples/**/*.rlx"))


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Any:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    library = tmp_path_factory.mktemp("tree-sitter") / "relax.so"
    warnings = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
    command = [compiler, *warnings, "-O1", "-shared", "-fPIC", FOLDER / "src" / "parser.c", "-o", library]
    subprocess.run(command, check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.tree_sitter_relax.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(capsule(loaded.tree_sitter_relax(), b"tree_sitter.Language", None))


def test_the_committed_files_are_current() -> None:
    made = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_tree_sitter.py", "--check"],
        stderr=subprocess.PIPE, encoding="utf-8", check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr


def _texts() -> list[str]:
    """Return the samples, the programs of the language reference, and the right and wrong ones of all explanations."""
    texts = [path.read_text("utf-8") for path in SAMPLES]
    texts += [one.text for one in examples()]
    return texts + [
        text for rule in all_rules() for kind in ("wrong", "right") for text in programs(rule, kind)
    ]


def test_whatever_parses_has_no_error(language: Any) -> None:
    parser = tree_sitter.Parser(language)
    n_read = 0
    for text in _texts():
        if parse(text).diagnostics:
            continue
        n_read += 1
        assert not parser.parse(text.encode()).root_node.has_error, text
    assert n_read > 500


@pytest.mark.parametrize(
    "path", [path for path in SAMPLES if path.stem in {"syntax", "unexpected-end"}], ids=str
)
def test_broken_text_has_an_error(language: Any, path: Path) -> None:
    assert tree_sitter.Parser(language).parse(path.read_bytes()).root_node.has_error


def test_the_items_after_a_mistake_are_read(language: Any) -> None:
    text = b"def @f(x: Tensor) {\n  let y = ;\n  y\n}\n\ndef @g(x: Tensor) {\n  let z = exp(x);\n  z\n}\n"
    root = tree_sitter.Parser(language).parse(text).root_node
    assert root.has_error
    last = [child for child in root.children if child.type == "def_item"][-1]
    assert not last.has_error
    assert last.text.startswith(b"def @g")


def test_nodes(language: Any) -> None:
    text = b"def @main(x: Tensor[(n,), float32]) {\n  let y = nn.relu(x + 0.5); # half\n  y\n}\n"
    assert str(tree_sitter.Parser(language).parse(text).root_node) == (
        "(module (def_item (global_var (global_name))"
        " (param (identifier) (info_args (identifier) (info_dims (prim_var (identifier))) (info_word (identifier))))"
        " (seq_expr (let (binder (identifier))"
        " (call (op (dotted_name)) (binary (var (identifier)) (float_constant (float)))))"
        " (comment) (var (identifier)))))"
    )


@pytest.mark.parametrize(
    "path", [ROOT / "samples/models/transformer_block.rlx", ROOT / "samples/15_loops.rlx"], ids=str
)
def test_edits_lead_to_the_tree_of_the_new_text(language: Any, path: Path) -> None:
    parser = tree_sitter.Parser(language)
    draw = random.Random(7)
    text = path.read_bytes()
    tree = parser.parse(text)
    for _ in range(200):
        start = draw.randrange(len(text))
        end = min(len(text), start + draw.choice([0, 0, 1, 3, 12]))
        new = draw.choice([b"", b"x", b"(", b";", b" ", b"let q = x;\n", b'"', b"# ", b"}"])
        before, text = text, text[:start] + new + text[end:]
        tree.edit(
            start_byte=start,
            old_end_byte=end,
            new_end_byte=start + len(new),
            start_point=_point(before, start),
            old_end_point=_point(before, end),
            new_end_point=_point(text, start + len(new)),
        )
        tree = parser.parse(text, tree)
        assert tree.root_node.end_byte <= len(text)
        if not parse(text.decode("utf-8", "replace")).diagnostics:
            assert str(tree.root_node) == str(parser.parse(text).root_node)


def _point(text: bytes, at: int) -> tuple[int, int]:
    line = text.count(b"\n", 0, at)
    return line, at - (text.rfind(b"\n", 0, at) + 1)


def test_highlights(language: Any) -> None:
    query = tree_sitter.Query(language, (FOLDER / "queries" / "highlights.scm").read_text("utf-8"))
    text = b"private def @main(x: Tensor[(n,), float32]) { add(x, 1.0) # end\n}\n"
    tree = tree_sitter.Parser(language).parse(text)
    found = {
        (node.text.decode(), name)
        for name, nodes in tree_sitter.QueryCursor(query).captures(tree.root_node).items()
        for node in nodes
    }
    assert {
        ("private", "keyword"), ("def", "keyword"), ("@main", "function"), ("x", "variable.parameter"),
        ("Tensor", "type"), ("float32", "type.builtin"), ("add", "function.call"), ("1.0", "number"),
        ("# end", "comment"), ("(", "punctuation.bracket"), (",", "punctuation.delimiter"),
    } <= found  # fmt: skip
    for path in SAMPLES:  # every token has a capture
        source = path.read_bytes()
        root = tree_sitter.Parser(language).parse(source).root_node
        if root.has_error:
            continue
        captured = {
            (node.start_byte, node.end_byte)
            for nodes in tree_sitter.QueryCursor(query).captures(root).values()
            for node in nodes
        }
        assert {(leaf.start_byte, leaf.end_byte) for leaf in _leaves(root)} <= captured, path


def _leaves(root: Any) -> list[Any]:
    found: list[Any] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children:
            stack += node.children
        elif node.end_byte > node.start_byte:
            found.append(node)
    return found
