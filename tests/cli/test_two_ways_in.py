"""`check`, `fmt` and `run` can be reached quickly, by hand-read options, and through Typer: both do the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer.main
from relax_lang.cli import app, fast
from relax_lang.cli.options import (
    COLORS,
    COUNT,
    FLAG,
    OUTPUT_FORMATS,
    SHARE,
    WORD,
    WORDS,
    CheckOptions,
    FmtOptions,
    Shown,
)
from relax_lang.cli.run.options import RunOptions

from tests.cli.harness import BAD, UGLY, Relax

OPTIONS: dict[str, type[Shown]] = {"check": CheckOptions, "fmt": FmtOptions, "run": RunOptions}
TABLES = {name: options.TABLE for name, options in OPTIONS.items()}
KINDS = {"int range": COUNT, "float range": SHARE}


def _kind(param: Any) -> str:
    if param.is_flag:
        return FLAG
    return WORDS if param.multiple else KINDS.get(param.type.name, WORD)


@pytest.mark.parametrize("command", list(TABLES))
def test_both_know_the_same_options(command: str) -> None:
    root = typer.main.get_command(app.app)
    params = root.commands[command].params  # type: ignore[attr-defined]
    declared = {
        name: (param.name, _kind(param)) for param in params for name in param.opts if name.startswith("-")
    }
    assert declared == {name: (dest, kind) for name, (dest, kind, _) in TABLES[command].items()}


@pytest.mark.parametrize("command", list(TABLES))
def test_both_take_the_same_words(command: str) -> None:
    root = typer.main.get_command(app.app)
    choices = {
        name: tuple(getattr(param.type, "choices", ()))
        for param in root.commands[command].params  # type: ignore[attr-defined]
        for name in param.opts
    }
    for name, (_, _, words) in TABLES[command].items():
        assert choices[name] == words
    assert CheckOptions.TABLE["--output-format"][2] == OUTPUT_FORMATS
    assert CheckOptions.TABLE["--color"][2] == COLORS


@pytest.mark.parametrize("options", OPTIONS.values())
def test_every_option_has_a_default(options: type[Shown]) -> None:
    for dest, kind, _ in options.TABLE.values():
        default = getattr(options, dest)
        if kind in (COUNT, SHARE):
            assert default is None
        else:
            assert isinstance(default, {FLAG: bool, WORDS: list}.get(kind, str))


LINES = [
    "check good.rlx",
    "check bad.rlx",
    "check .",
    "check . --output-format concise",
    "check --output-format=json bad.rlx",
    "check --output-format sarif bad.rlx good.rlx",
    "check --output-format github bad.rlx",
    "check --output-format junit .",
    "check --select arity bad.rlx",
    "check --select=arity --select RLX0201 bad.rlx",
    "check --ignore RLX0201,arity bad.rlx",
    "check --ignore nonsense bad.rlx",
    "check --strict --quiet -v bad.rlx",
    "check --color always --ascii bad.rlx",
    "check --color=never -q bad.rlx",
    "check -",
    "check - --stdin-filename named.rlx",
    "check --fix bad.rlx good.rlx",
    "check --fix -",
    "check --unsafe-fixes bad.rlx",
    "check --diff .",
    "check --diff --statistics .",
    "check --diff --output-format json .",
    "check --watch -",
    "check --statistics .",
    "check --statistics --output-format sarif .",
    "check --exit-zero bad.rlx",
    "check -o report.txt bad.rlx",
    "check --output-file=report.txt .",
    "check --output-file no/such/folder.txt .",
    "check gone.rlx",
    "check -- bad.rlx -strange.rlx",
    "check --stdin-filename -- bad.rlx",
    "fmt --check good.rlx ugly.rlx",
    "fmt --check --quiet ugly.rlx",
    "fmt --diff .",
    "fmt --diff --color=always --ascii ugly.rlx",
    "fmt --diff --line-length 40 ugly.rlx",
    "fmt --line-length=2 ugly.rlx",
    "fmt --line-length many ugly.rlx",
    "fmt -",
    "fmt - --check",
    "fmt - --diff --stdin-filename named.rlx",
    "fmt -v gone.rlx",
    "fmt broken.rlx",
    "run run.rlx --random 1 --dim n=2",
    "run --random=1 --dim=n=2 --json run.rlx",
    "run run.rlx --args x.npy",
    "run --args [1,2] --print full run.rlx",
    "run run.rlx --args=-1",
    "run run.rlx --entry nothing",
    "run run.rlx --random 1 --tolerance 0.5 --dim n=many",
    "run bad.rlx --random 1 --output-format concise",
    "run gone.rlx",
    "run -- run.rlx",
]


@pytest.mark.parametrize("line", LINES)
def test_both_give_the_same_results(
    relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    words = line.split()
    (files / "run.rlx").write_text("def @main(x: Tensor[(n,), float32]) { add(x, x) }")
    stdin = UGLY if words[0] == "fmt" else BAD
    quick = relax(*words, stdin=stdin)
    monkeypatch.setattr(fast, "run", lambda words: None)
    assert relax(*words, stdin=stdin) == quick


@pytest.mark.parametrize(
    "line",
    [
        "check --help",
        "check -h",
        "check --nonsense a.rlx",
        "check --output-format yaml a.rlx",
        "check --color sometimes a.rlx",
        "check --strict=yes a.rlx",
        "check a.rlx --select",
        "check -qv a.rlx",
        "fmt --checks a.rlx",
        "run a.rlx --random -1",
        "run a.rlx --random 0.5",
        "run a.rlx --random 1e3",
        "run a.rlx --tolerance much",
        "run a.rlx --tolerance 1.-2",
        "run a.rlx --engine fast",
    ],
)
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    command, *words = line.split()
    assert fast.parse(words, TABLES[command]) is None


def test_what_is_no_option_is_a_path() -> None:
    assert fast.parse([], TABLES["check"]) == ([], {})
    assert fast.parse(["--diff", "a"], TABLES["fmt"]) == (["a"], {"diff": True})


@pytest.mark.parametrize("line", ["", "a.rlx b.rlx", "--json", "--args 1 2"])
def test_run_takes_one_program(line: str) -> None:
    assert fast.run(["run", *line.split()]) is None
