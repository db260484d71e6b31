"""The rim: help, versions, mistakes in usage, interrupts, pipes, and what a clean run imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from relax_lang.cli import app
from relax_lang.cli.run.words import spread_args

from relax_lang import _main
from relax_lang._version import VERSION
from tests.cli.harness import ROOT, Relax
from tests.processes import PATIENCE, start

COMMANDS = [
    *("check", "fmt", "test", "run", "normalize", "infer", "diff", "graph", "parse", "compile"),
    *("import", "export", "ops", "explain", "lsp", "trust"),
]


def test_version(relax: Relax) -> None:
    import platform

    import numpy as np

    shown = f"relax-lang {VERSION}\nPython {platform.python_version()}\nNumPy {np.__version__}\n"
    assert relax("--version") == (0, shown, "")


def test_help_lists_the_commands(relax: Relax) -> None:
    status, out, _ = relax("--help")
    assert status == 0
    for command in COMMANDS:
        assert f" {command} " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(relax: Relax, command: str) -> None:
    status, out, err = relax(command, "--help")
    assert (status, err) == (0, "")
    assert f"Usage: relax {command}" in out
    assert f"relax {command}" in out.partition("Examples:")[2]


def test_no_command_shows_help(relax: Relax) -> None:
    status, out, err = relax()
    assert status == 2
    assert "Usage: relax" in out + err


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "run",
        "check --nonsense a.rlx",
        "check --output-format yaml a.rlx",
        "run --engine quantum a.rlx",
        "run --random many a.rlx",
        "run --args",
        "compile --emit cuda a.rlx",
    ],
)
def test_wrong_usage(relax: Relax, line: str) -> None:
    status, out, err = relax(*line.split())
    assert status == 2
    assert out == ""
    assert err.startswith("error[RLX0010 usage]: ")
    assert "= help: " in err
    assert "Traceback" not in err


def test_the_server_without_its_extra(relax: Relax, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    status, out, err = relax("lsp")
    assert (status, out) == (2, "")
    assert 'pip install "relax-lang[lsp]"' in err


@pytest.mark.parametrize(
    "address", ["0.0.0.0:2000", "localhost:2000", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:0"]
)
def test_the_server_listens_on_this_machine_only(relax: Relax, address: str) -> None:
    status, out, err = relax("lsp", "--tcp", address)
    assert (status, out) == (2, "")
    assert "RLX0010" in err


@pytest.mark.parametrize(
    ("line", "says", "way_on"),
    [
        ("run f.rlx x.npy", "`relax run` runs one program", "`relax run FILE --args x.npy`"),
        ("run f.rlx x.npy 3", "`relax run` runs one program", "`relax run FILE --args x.npy 3`"),
        ("run", "`relax run` takes a program, or `-` for standard input", "`relax run --help`"),
        ("diff a.rlx", "`relax diff` takes two programs to compare", "`relax diff --help`"),
        ("normalise a.rlx", "there is no command `relax normalise`", "did you mean `normalize`?"),
        ("check --stict a.rlx", "`relax check` has no option `--stict`", "did you mean `--strict`?"),
        ("normalize a.rlx -o a.rlx", "`relax normalize` has no option `-o`", "`relax normalize --help`"),
        ("graph a.rlx b.rlx", "`relax graph` takes no `b.rlx`", "`relax graph --help`"),
        ("graph a.rlx s/(b)s", "`relax graph` takes no `s/(b)s`", "`relax graph --help`"),
        ("run f.rlx stones", "`stones` is a second word", "`relax run FILE --args stones`"),
        (
            "run f.rlx --engine quantum",
            "`--engine` takes `compiled`, `interpreter` or `relay`, not `quantum`",
            "`relax run --help`",
        ),
        ("run f.rlx --args", "`--args` takes a value\n", "`relax run --help`"),
        ("run f.rlx --random=x", "`--random` takes a whole number from 0 on, not `x`", "`relax run --help`"),
        ("map f.rlx --chunk 0", "`--chunk` takes a whole number from 1 on, not `0`", "`relax map --help`"),
        ("run f.rlx --tolerance x", "`--tolerance` takes a number from 0 on, not `x`", "`relax run --help`"),
        ("export f.rlx --opset x", "`--opset` takes a whole number, not `x`", "`relax export --help`"),
        ("normalize f.rlx --ascii=1", "`--ascii` takes no value", "`relax normalize --help`"),
        ("cache forget", "`relax cache` takes `info` or `clear`", "`relax cache --help`"),
        ("check --bogus", "`relax check` has no option `--bogus`", "`relax check --help`"),
        ("check --exit", "`relax check` has no option `--exit`", "did you mean `--exit-zero`?"),
        ("disasm", "`relax disasm` takes an executable", "`relax disasm --help`"),
        ("asm", "`relax asm` takes a text that `relax disasm` wrote", "`relax asm --help`"),
    ],
)
def test_wrong_usage_says_how_to_go_on(relax: Relax, line: str, says: str, way_on: str) -> None:
    status, out, err = relax(*line.split())
    assert (status, out) == (2, "")
    assert says in err
    assert way_on in err.partition("= help: ")[2]


def test_a_word_too_many_may_have_spaces(relax: Relax) -> None:
    assert "`relax graph` takes no `my file (1).rlx`" in relax("graph", "a.rlx", "my file (1).rlx", "b").err


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_check_and_fmt_take_the_current_folder(relax: Relax, files: Path, command: str) -> None:
    relax(command)
    assert relax(command)[:2] == relax(command, ".")[:2]
    assert relax(command, "--quiet").status == relax(command, ".").status


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(relax: Relax, shell: str) -> None:
    asked = {
        "bash": {"_RELAX_COMPLETE": "complete_bash", "COMP_WORDS": "relax nor", "COMP_CWORD": "1"},
        "zsh": {"_RELAX_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "relax nor"},
        "fish": {
            "_RELAX_COMPLETE": "complete_fish",
            "_TYPER_COMPLETE_ARGS": "relax nor",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
    }[shell]
    status, out, _ = relax.process(env=asked)
    assert status == 0
    assert "normalize" in out
    assert "explain" not in out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("relax explain use-b", "use-before-bind"),
        ("relax check --select RLX0202,RLX0203,use-b", "RLX0202,RLX0203,use-before-bind"),
        ("relax ops nn.softm", "nn.softmax"),
        ("relax opt {0} -p FoldC", "FoldConstant"),
        ("relax opt {0} -p fold-constant,dead", "fold-constant,dead-code-elimination"),
        ("relax run {0} --entry he", "helper"),
        ("relax run {0} --arg we", "weight="),
        ("relax run {0} --entry helper --dim si", "size="),
        ("relax run {0} --arg ", "weight="),
        ("relax map {0} --over ", "n"),
        ("relax opt {0} --pipeline opt", "optimize"),
        ("relax opt {0} --stop-after FoldC", "FoldConstant"),
        ("relax opt {0} --print-after a", "all"),
        ("relax opt {0} --func he", "helper"),
        ("relax build {0} --pipeline bui", "build"),
        ("relax compile {0} --dump sel", "selection"),
        ("relax export {0} --entry he", "helper"),
    ],
)
def test_completion_of_words(relax: Relax, tmp_path: Path, line: str, offered: str) -> None:
    (tmp_path / "p.rlx").write_text(
        "def @main(weight: Tensor[(n,), float32]) { weight }\ndef @helper(x: Tensor[(size, 2)]) { x }\n"
    )
    line = line.format(tmp_path / "p.rlx")
    asked = {"_RELAX_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    status, out, _ = relax.process(env=asked)
    assert status == 0
    assert out.split().count(offered) == 1
    assert not line.endswith(" ") or out.split() == [offered]


@pytest.mark.parametrize(
    ("package", "words"), [("typer", ("cache", "info")), ("typer", ("--version",)), ("numpy", ("run",))]
)
def test_a_package_that_was_removed_is_named(tmp_path: Path, package: str, words: tuple[str, ...]) -> None:
    program = tmp_path / "f.rlx"
    program.write_text("def @main() -> Tensor { const([1, 2], int32) }\n")
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from relax_lang._main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    line = [*words, str(program)] if words == ("run",) else [*words]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    command = "relax" if words[0].startswith("-") else f"relax {words[0]}"
    assert done.stderr == (
        f"error[RLX0016 missing-package]: `{command}` needs the package {package}\n"
        f"  = help: install it: `pip install {package}`\n\n"
    )


def test_internal_errors_anywhere(relax: Relax, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(words: list[str]) -> int:
        raise ZeroDivisionError("deep down")

    monkeypatch.setattr(app, "run", fail)
    status, out, err = relax("ops")
    assert (status, out) == (101, "")
    assert err.startswith(
        "error[RLX9901 internal-error]: the toolchain failed: ZeroDivisionError: deep down\n"
    )
    assert "Traceback" not in err
    assert "Traceback" in relax("ops", "--verbose").err


@pytest.mark.parametrize("line", ["check good.rlx", "normalize good.rlx", "run good.rlx --random 1"])
def test_interrupts(relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    from relax_lang.check import driver

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(driver, "check_source", interrupt)
    status, out, err = relax(*line.split())
    assert (status, out) == (130, "")
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_a_real_interrupt() -> None:
    code = "from relax_lang._main import main; import sys; print('ready', flush=True); sys.exit(main(['check', '-']))"
    process = start(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)  # it imports what it needs and waits for its input; both may be interrupted
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="needs a shell with pipes")
@pytest.mark.parametrize(
    "command", ["check many.rlx --output-format concise", "explain --all --markdown", "parse many.rlx"]
)
def test_a_closed_pipe_ends_quietly(tmp_path: Path, command: str) -> None:
    (tmp_path / "many.rlx").write_text("def @main() {\n  (" + "nope, " * 20_000 + ")\n}\n")
    line = f"{sys.executable} -m relax_lang {command} | head -c 10"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        line, shell=True, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert len(done.stdout) == 10
    assert "BrokenPipe" not in done.stderr
    assert "Traceback" not in done.stderr


STREAMS = ["check bad.rlx", "check -", "fmt -", "run - --entry f", "normalize good.rlx", "ops", "run --help"]


def _in_a_shell(line: str, folder: Path, unbuffered: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    line = f"{sys.executable} -m relax_lang {line}"
    return subprocess.run(
        line, shell=True, capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("line", STREAMS)
def test_closed_streams_are_no_bug_of_ours(files: Path, line: str, closed: str) -> None:
    done = _in_a_shell(f"{line} {closed}", files)
    assert done.returncode in (0, 1, 2)
    assert "internal-error" not in done.stderr
    assert "Traceback" not in done.stderr
    if line == "check -" and closed == "<&-":
        assert "error[RLX0005 unreadable-file]: cannot read `<stdin>`: bad file descriptor" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", ["check bad.rlx", "normalize good.rlx", "ops", "run --help"])
def test_a_full_disk_is_no_bug_of_ours(files: Path, line: str, unbuffered: str) -> None:
    done = _in_a_shell(f"{line} >/dev/full", files, unbuffered)
    message = "error[RLX0011 cannot-write]: cannot write `<stdout>`: no space left on device\n\n"
    assert (done.returncode, done.stderr) == (2, message)
    assert _in_a_shell(f"{line} >/dev/full 2>&1", files, unbuffered).returncode == 2


def test_output_that_cannot_be_encoded(relax: Relax, files: Path) -> None:
    (files / "ü.rlx").write_text("def @main() {\n  日本\n}\n", encoding="utf-8")
    status, out, err = relax.process("check", "ü.rlx", env={"PYTHONIOENCODING": "ascii"})
    assert status == 1
    assert out.isascii()
    assert "Traceback" not in err


def test_arguments_after_args(relax: Relax) -> None:
    def spread(line: str) -> str:
        return " ".join(spread_args(line.split()))

    assert spread("run a.rlx --args x.npy -1 2.5") == "run a.rlx --args=x.npy --args=-1 --args=2.5"
    assert spread("run --args x.npy a.rlx --out y.npy") == "run --args=x.npy a.rlx --out y.npy"
    assert spread("run --args x.npy --entry f a.rlx") == "run --args=x.npy --entry f a.rlx"
    assert spread("run a.rlx --args") == "run a.rlx --args"
    assert spread("run a.rlx -- --args x") == "run a.rlx -- --args x"
    assert spread("run a.rlx --args=x.npy") == "run a.rlx --args=x.npy"


# What a clean run of `check` or `fmt` may import.

FORBIDDEN = {
    "argparse", "asyncio", "ast", "click", "copy", "dataclasses", "difflib", "inspect", "json", "lark",
    "logging", "numpy", "pathlib", "rich", "subprocess", "tempfile", "textwrap", "threading", "tokenize",
    "traceback", "typer", "typing", "unicodedata", "zipfile",
}  # fmt: skip


CHECKING = ("scope", "check", "files", "ops", "values", "arith", "format", "normalize", "struct_info")


@pytest.mark.parametrize(
    ("line", "packages"),
    [
        ("check good.rlx", CHECKING),
        ("check prim.rlx", (*CHECKING, "tir")),
        ("fmt --check good.rlx", ("files", "format")),
        ("fmt ugly.rlx", ("files", "format")),
    ],
)
def test_a_clean_run_imports_little(files: Path, line: str, packages: tuple[str, ...]) -> None:
    (files / "prim.rlx").write_text(
        "prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {\n"
        "  for i in 0..n {\n    Y[i] = X[i];\n  }\n}\n"
    )
    code = (
        "import sys; before = set(sys.modules); sys.argv = ['relax', *sys.argv[1:]]\n"
        "from relax_lang._main import main; status = main(sys.argv[1:])\n"
        "print(status, *sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    environment = {key: value for key, value in os.environ.items() if key != "RELAX_FREEZE"}
    done = subprocess.run(
        [sys.executable, "-c", code, *line.split()],
        capture_output=True,
        text=True,
        env={**environment, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    status, *modules = done.stderr.split()
    assert status == "0", done
    assert FORBIDDEN.isdisjoint({module.partition(".")[0] for module in modules})
    always = ("base", "syntax", "cli", "api", "_main", "_pack", "_version")
    ours = [module.split(".") for module in modules if module.startswith("relax_lang.")]
    assert {parts[1] for parts in ours} <= {*always, *packages}
    renderers = {parts[3] for parts in ours if parts[1:3] == ["cli", "render"] and len(parts) > 3}
    assert renderers <= {"report", "summary"}
    assert not [parts for parts in ours if parts[1:3] == ["syntax", "diagnostics"] and len(parts) > 3]


def test_the_package_itself_imports_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import relax_lang; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = set(done.stdout.split()) - {"__future__"}  # which an editable install has loaded before
    assert loaded == {"relax_lang", "relax_lang._version"}


def test_main_is_the_entry_point() -> None:
    assert _main.FAST == ("check", "fmt", "run", "lsp")
