"""Texts with values in each other: readers in C stop before their stack does, whatever limit our own passes have."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from relax_lang.base.nested_text import NestedTooDeepError, parse_json, parse_python, parse_python_expression
from relax_lang.base.python.recursion import deep_recursion

DEEP = 100_000


@pytest.fixture(autouse=True)
def usual_limit():
    """Pytest's own conftests raise the limit; here it is what a host would have."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(3000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize("text", ["[" * DEEP, '{"a":' * DEEP, "[" * DEEP + "]" * DEEP])
def test_deep_json_is_refused(text: str) -> None:
    with deep_recursion(), pytest.raises(NestedTooDeepError):
        parse_json(text)
    with pytest.raises(ValueError):  # noqa: PT011 - of the many that json has
        parse_json(text)


def test_deep_json_is_refused_while_another_thread_is_deep() -> None:
    entered, done = Event(), Event()

    def other() -> None:
        with deep_recursion():
            entered.set()
            done.wait(30)

    thread = Thread(target=other)
    thread.start()
    entered.wait(30)
    try:
        with pytest.raises(NestedTooDeepError):
            parse_json("[" * DEEP)
        assert parse_json('["' + "[" * DEEP + '\\"]"]') == ["[" * DEEP + '"]']
        assert parse_json(b"[1, {}]" + b" " * DEEP) == [1, {}]
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(
    "text",
    ["x" + ".a" * 2_000, "-" * 1_000 + "x", "x" + "()" * 1_000, "x\n" + "+x" * 6_000, "x" + ".a" * 300_000],
)
def test_deep_python_is_refused(text: str) -> None:
    with deep_recursion(), pytest.raises((RecursionError, SyntaxError)):
        parse_python(f"def f():\n  if y:\n    z = ({text})\n")
    with deep_recursion(), pytest.raises(SyntaxError):
        parse_python_expression(f"({text})")


def test_what_people_write_is_read() -> None:
    assert isinstance(parse_python_expression("x" + " + x" * 4_000), ast.BinOp)
    assert isinstance(parse_python_expression("f(" * 90 + "x" + ")" * 90), ast.Call)
    chain = "".join([f"  {'el' if at else ''}if x == {at}:\n    y = {at}\n" for at in range(500)])
    assert isinstance(parse_python(f"def f():\n{chain}"), ast.Module)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "model.relay",
            (
                '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { add(%x, meta[relay.Constant][0]) }\n'
                "#[metadata]\n" + "[" * DEEP
            ),
        ),
        (
            "model.py",
            (
                "from tvm.script import relax as R\n"
                f'metadata = tvm.ir.load_json("{"[" * DEEP}")\n'
                '@R.function\ndef main(x: R.Tensor((2,), "float32")):\n'
                '    return R.add(x, metadata["relax.expr.Constant"][0])\n'
            ),
        ),
        (
            "sizes.py",
            (
                "from tvm.script import relax as R\n"
                f'@R.function\ndef main(x: R.Tensor(("x{".a" * 300_000}",), "float32")):\n    return x\n'
            ),
        ),
        (
            "calls.py",
            (
                "from tvm.script import relax as R\n"
                f'@R.function\ndef main(x: R.Tensor((2,), "float32")):\n    return x{"()" * DEEP}\n'
            ),
        ),
    ],
)
def test_Y_9_files_that_are_deep_have_a_diagnostic(name: str, text: str, tmp_path: Path) -> None:
    """In a process of its own: what is held against here ends it."""
    (tmp_path / name).write_text(text)
    for command in ("check", "import"):
        words = [sys.executable, "-m", "relax_lang", command, name]
        done = subprocess.run(words, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 1
        assert "internal-error" not in done.stderr + done.stdout
        assert "error[" in done.stderr + done.stdout
