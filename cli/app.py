"""All commands as Typer shows them: help, completion, mistakes in options. The work is done elsewhere.

`check` and `fmt` are usually reached without this module, see `fast`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .options import CheckOptions, FmtOptions, Shown
from .render.report import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GIVEN = "Arguments of the function"
RESULT = "The result"
WATCH = "Looking into the run"
RUNS = "What runs, and how"
"""How the help of `relax run` groups its options."""

app = typer.Typer(
    name="relax",
    help="Check, format, normalize and run Relax programs (`.rlx`).",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="Files, folders (every .rlx below), or - for standard input."),
]
File = Annotated[str, typer.Argument(metavar="FILE", help="A program, or - for standard input.")]
OutputFormat = Literal["text", "concise", "json", "sarif", "github", "junit"]
Color = Annotated[
    Literal["auto", "always", "never"] | None,
    typer.Option("--color", help="Colours; by default on a terminal, unless NO_COLOR is set."),
]
Ascii = Annotated[bool | None, typer.Option("--ascii", help="Draw with ASCII characters only.")]
Quiet = Annotated[bool | None, typer.Option("--quiet", "-q", help="Leave out the closing remarks.")]
Verbose = Annotated[
    bool | None,
    typer.Option(
        "--verbose", "-v", help="Show Python's traceback for errors of relax itself and of packed functions."
    ),
]
StdinFilename = Annotated[
    str | None, typer.Option("--stdin-filename", metavar="PATH", help="The name that - is shown under.")
]
AllowPath = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-path",
        metavar="FOLDER",
        help="Let constants be read from this folder, too, not only from the program's; repeatable.",
    ),
]
Trust = Annotated[
    bool | None,
    typer.Option("--trust", help="Run the Python files that the settings name, whatever folder they are in."),
]


def run(words: Sequence[str]) -> int:
    """Run a command line and return the exit status."""
    words = list(words)
    if words[:1] == ["run"]:
        words = spread_args(words)
    called = os.path.basename(sys.argv[0]) if sys.argv else ""
    try:
        app(args=words, prog_name=called if called in ("relax", "rlx") else "relax")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def spread_args(words: Sequence[str]) -> list[str]:
    """Give every word after `--args` its own `--args=`; they end at the next option or at the program."""
    spread: list[str] = []
    nothing: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            return [*spread, *nothing, word, *reversed(rest)]
        if word != "--args":
            spread.append(word)
            continue
        if not rest or _ends_args(rest[-1]):
            nothing = [word]  # at the end, where Typer says that its value is missing
        while rest and not _ends_args(rest[-1]):
            spread.append(f"--args={rest.pop()}")
    return [*spread, *nothing]


def _ends_args(word: str) -> bool:
    # `-1` and `-.5` are numbers, other words with a dash are options.
    is_option = word.startswith("-") and word[1:2] not in "0123456789."
    return is_option or word.endswith(".rlx")


def _end(command: Callable[[], int]) -> None:
    try:
        status = command()
    except KeyboardInterrupt:  # Typer would make it an exit status of 1
        status = INTERRUPTED
    raise typer.Exit(status)


def _version(wanted: bool) -> None:
    if wanted:
        from .versions import versions

        typer.echo(versions())
        raise typer.Exit


@app.callback()
def relax(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Show the versions of relax and what it runs on.",
        ),
    ] = False,
) -> None:
    """Check, format, normalize and run Relax programs (`.rlx`)."""


@app.command()
def check(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Paths,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option(
            "--output-format",
            help="The form of the findings; RELAX_OUTPUT_FORMAT sets another default, in GitHub Actions it is github.",
        ),
    ] = None,
    output_file: Annotated[
        str | None,
        typer.Option("--output-file", "-o", metavar="FILE", help="Write the findings into a file."),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(
            "--select",
            metavar="CODE",
            help="Report only these: codes, starts of codes, names, or the groups all and lints.",
        ),
    ] = None,
    extend_select: Annotated[
        list[str] | None,
        typer.Option("--extend-select", metavar="CODE", help="Report these as well, also if they are off."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Do not report these.")
    ] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict", help="Warnings, too, make the exit status 1.")
    ] = None,
    stdin_filename: StdinFilename = None,
    fix: Annotated[
        bool | None, typer.Option("--fix", help="Apply the fixes that keep the meaning; report what is left.")
    ] = None,
    unsafe_fixes: Annotated[
        bool | None, typer.Option("--unsafe-fixes", help="Apply the other fixes, too. Implies --fix.")
    ] = None,
    diff: Annotated[
        bool | None,
        typer.Option("--diff", help="Show what --fix would change, and write nothing. Implies --fix."),
    ] = None,
    watch: Annotated[
        bool | None, typer.Option("--watch", help="Check again whenever a file changes, until interrupted.")
    ] = None,
    statistics: Annotated[
        bool | None, typer.Option("--statistics", help="Show how often each diagnostic was found.")
    ] = None,
    exit_zero: Annotated[
        bool | None, typer.Option("--exit-zero", help="Exit with 0 even if something was found.")
    ] = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002 - the option's name
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Report everything that is wrong with programs: syntax, names, types and shapes, effects, PrimFuncs."""
    given = dict(locals())
    del given["paths"]
    from .check import check as check_paths

    _end(lambda: check_paths(paths, CheckOptions(given)))


@app.command()
def fmt(
    paths: Paths,
    check: Annotated[
        bool | None, typer.Option("--check", help="Write nothing; exit status 1 if a file would change.")
    ] = None,
    diff: Annotated[
        bool | None,
        typer.Option("--diff", help="Write nothing; print what would change, exit status as --check."),
    ] = None,
    line_length: Annotated[
        str | None, typer.Option("--line-length", metavar="N", help="Columns of a line: 100 by default.")
    ] = None,
    stdin_filename: StdinFilename = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Format programs in place; - reads standard input and writes standard output."""
    given = dict(locals())
    del given["paths"]
    from .fmt import fmt as fmt_paths

    _end(lambda: fmt_paths(paths, FmtOptions(given)))


@app.command("test")
def check_expectations(
    paths: Paths,
    split: Annotated[
        bool | None, typer.Option("--split", help="Lines `# ---` stand between several programs of a file.")
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Annotated[
        bool | None,
        typer.Option(
            "--verbose",
            "-v",
            help="List every program, and show Python's traceback for errors of relax itself.",
        ),
    ] = None,
) -> None:
    """Check the expectations in the comments of programs: `# error: slug`, `# expect-output`."""
    given = dict(locals())
    del given["paths"]
    from .test import TestOptions
    from .test import test as test_paths

    _end(lambda: test_paths(paths, TestOptions(given)))


@app.command("run")
def run_(  # noqa: PLR0913, PLR0917
    file: File,
    entry: Annotated[
        str | None, typer.Option("--entry", rich_help_panel=RUNS, metavar="NAME", help="The function to run.")
    ] = None,
    args: Annotated[
        list[str] | None,
        typer.Option(
            "--args",
            rich_help_panel=GIVEN,
            metavar="VALUE...",
            help="Arguments in order: .npy files, numbers, lists, shape:2,3, true, false.",
        ),
    ] = None,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg", rich_help_panel=GIVEN, metavar="NAME=VALUE", help="An argument by name; repeatable."
        ),
    ] = None,
    npz: Annotated[
        str | None,
        typer.Option(
            "--npz",
            rich_help_panel=GIVEN,
            metavar="FILE",
            help="Arguments by name, from a .npz or .safetensors archive, or - for a .npz on standard input.",
        ),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option(
            "--random",
            rich_help_panel=GIVEN,
            metavar="SEED",
            min=0,
            help="Make up the arguments that are not given.",
        ),
    ] = None,
    dim: Annotated[
        list[str] | None,
        typer.Option(
            "--dim", rich_help_panel=GIVEN, metavar="NAME=SIZE", help="A dimension for --random; repeatable."
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            rich_help_panel=RESULT,
            metavar="FILE",
            help="Store the result: y.npy, or y.npz for a tuple.",
        ),
    ] = None,
    packed: Annotated[
        list[str] | None,
        typer.Option(
            "--packed",
            rich_help_panel=RUNS,
            metavar="FILE",
            help="A Python file that registers packed functions; repeatable.",
        ),
    ] = None,
    engine: Annotated[
        Literal["compiled", "interpreter"] | None,
        typer.Option(
            "--engine",
            rich_help_panel=RUNS,
            help="How it runs: as generated code, or step by step. Both mean the same.",
        ),
    ] = None,
    print: Annotated[  # noqa: A002
        Literal["full", "summary", "none"] | None,
        typer.Option("--print", rich_help_panel=RESULT, help="How much of the result to show."),
    ] = None,
    json: Annotated[
        bool | None, typer.Option("--json", rich_help_panel=RESULT, help="Show the result as JSON.")
    ] = None,
    trace: Annotated[
        bool | None,
        typer.Option(
            "--trace", rich_help_panel=WATCH, help="Show each binding: what it is, what it holds, its time."
        ),
    ] = None,
    nan: Annotated[
        bool | None,
        typer.Option(
            "--nan", rich_help_panel=WATCH, help="End where nan or inf is made out of finite operands."
        ),
    ] = None,
    save_all: Annotated[
        str | None,
        typer.Option(
            "--save-all", rich_help_panel=WATCH, metavar="FOLDER", help="Store the value of every binding."
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            rich_help_panel=WATCH,
            metavar="FILE",
            help="End at the first binding that differs from a recorded run: a --save-all folder or an archive.",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            rich_help_panel=WATCH,
            metavar="SHARE",
            min=0.0,
            help="How far floats may differ for --compare, relative to the largest element.",
        ),
    ] = None,
    profile: Annotated[
        bool | None,
        typer.Option(
            "--profile", rich_help_panel=WATCH, help="Show where the time goes, by operator and PrimFunc."
        ),
    ] = None,
    profile_out: Annotated[
        str | None,
        typer.Option(
            "--profile-out",
            rich_help_panel=WATCH,
            metavar="FILE",
            help="Store a trace for Perfetto or chrome://tracing.",
        ),
    ] = None,
    max_memory: Annotated[
        str | None,
        typer.Option(
            "--max-memory",
            rich_help_panel=RUNS,
            metavar="SIZE",
            help="Refuse to allocate more in one piece: 4GiB; 8GiB if not given.",
        ),
    ] = None,
    strict_effects: Annotated[
        bool | None,
        typer.Option(
            "--strict-effects",
            rich_help_panel=RUNS,
            help="Hold packed functions to leaving their arguments alone where the call promises that.",
        ),
    ] = None,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option("--output-format", help="The form of what is wrong, on standard error."),
    ] = None,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Run a function of a program and show what it returns."""
    given = dict(locals())
    del given["file"]
    from .run import run as run_program
    from .run_options import RunOptions

    _end(lambda: run_program(file, RunOptions(given)))


@app.command()
def normalize(
    file: File,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Print a program in normal form."""
    given = {"allow_path": allow_path, "trust": trust, "color": color, "ascii": ascii, "verbose": verbose}
    from .programs import normalize as print_normal_form

    _end(lambda: print_normal_form(file, stdin_filename or "", Shown(given)))


@app.command()
def graph(  # noqa: PLR0913
    file: File,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to: .svg, .dot or .mmd; if not given, show it."
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        Literal["svg", "dot", "mermaid"] | None,
        typer.Option(
            "--format", help="The form of the picture; svg, unless the name of the file says otherwise."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="FILE", help="Colour bindings by the time that --profile-out recorded."
        ),
    ] = None,
    open: Annotated[bool | None, typer.Option("--open", help="Open the picture in a browser.")] = None,  # noqa: A002
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    quiet: Quiet = None,
    verbose: Verbose = None,
) -> None:
    """Draw the functions, blocks and bindings of a program."""
    given = dict(locals())
    del given["file"]
    from .graph import GraphOptions
    from .graph import graph as draw

    _end(lambda: draw(file, GraphOptions(given)))


@app.command()
def parse(
    file: File,
    json: Annotated[bool, typer.Option("--json", help="Print the tree as JSON.")] = False,
    stdin_filename: StdinFilename = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Show the tree of a program as it is written."""
    given = {"color": color, "ascii": ascii, "verbose": verbose}
    from .programs import parse as print_program_tree

    _end(lambda: print_program_tree(file, stdin_filename or "", Shown(given), as_json=json))


@app.command()
def compile(  # noqa: A001
    file: File,
    emit: Annotated[
        Literal["functions", "numpy"] | None,
        typer.Option("--emit", help="Only the Python of functions, or only the module of PrimFuncs."),
    ] = None,
    explain_vectorization: Annotated[
        bool, typer.Option("--explain-vectorization", help="Show how every loop runs, and why not as NumPy.")
    ] = False,
    stdin_filename: StdinFilename = None,
    allow_path: AllowPath = None,
    trust: Trust = None,
    color: Color = None,
    ascii: Ascii = None,  # noqa: A002
    verbose: Verbose = None,
) -> None:
    """Print the Python and NumPy code that a program runs as."""
    given = {"allow_path": allow_path, "trust": trust, "color": color, "ascii": ascii, "verbose": verbose}
    if explain_vectorization:
        from .vectorization import explain

        _end(lambda: explain(file, stdin_filename or "", Shown(given)))
    from .programs import compile as print_code

    _end(lambda: print_code(file, stdin_filename or "", Shown(given), emit))


@app.command()
def ops(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="An operator, such as nn.softmax.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page of the documentation.")
    ] = False,
    trust: Trust = None,
    color: Color = None,
) -> None:
    """List the operators, or show one's signature, rules and an example."""
    from .reference import ops as show_ops

    _end(lambda: show_ops(name, Shown({"color": color, "trust": trust}), as_markdown=markdown))


@app.command()
def explain(
    code: Annotated[
        str | None,
        typer.Argument(metavar="CODE", help="A code, name or group: RLX0203, use-before-bind, lints."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Explain every diagnostic, or list them all.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the Markdown source.")] = False,
    color: Color = None,
) -> None:
    """Say what a diagnostic means, with a wrong and a right program."""
    from .reference import explain as show_explanation

    _end(lambda: show_explanation(code, Shown({"color": color}), every=every, as_markdown=markdown))


def _planned(name: str, summary: str, instead: str = "") -> None:
    def command(words: Annotated[list[str] | None, typer.Argument(metavar="[ARGS]...")] = None) -> None:
        from .reference import not_supported_yet

        _end(lambda: not_supported_yet(f"relax {name}", instead))

    command.__doc__ = f"{summary} (Not supported yet.)"
    app.command(name, context_settings={"ignore_unknown_options": True})(command)


_planned("lsp", "Run the language server on standard input and output.")


@app.command("trust")
def trust_folders(
    folder: Annotated[
        str | None,
        typer.Argument(metavar="[FOLDER]", help="A folder with settings; the current one by default."),
    ] = None,
    any_version: Annotated[
        bool, typer.Option("--any-version", help="Also trust every later version: for projects of your own.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List the trusted folders.")] = False,
    color: Color = None,
) -> None:
    """Let the Python files run that the settings of a folder name: plugins and packed functions."""
    from .trust import list_trusted, remove_trust, trust

    options = Shown({"color": color})
    if show:
        _end(list_trusted)
    if remove:
        _end(lambda: remove_trust(folder or ".", options))
    _end(lambda: trust(folder or ".", options, any_version=any_version))
