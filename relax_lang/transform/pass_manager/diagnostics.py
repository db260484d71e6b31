"""Diagnostics about passes: RLX1201 to RLX1207."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.ops.core.attributes import Problem


@rule("RLX1201", "unknown-pass", ERROR)
def unknown_pass(
    rule: Rule, what: str, word: str, near: str | None, known: Sequence[str], other: str = ""
) -> Diagnostic:
    """There is no pass, or no pipeline, of this name.

    Names of passes may be written in any case, with or without dashes: `FoldConstant` and `fold-constant` are the same.
    `relax opt --list` shows all of them.

    ```console
    $ relax opt model.rlx --passes FoldConstants
    error[RLX1201 unknown-pass]: there is no pass `FoldConstants`
      = help: did you mean `FoldConstant`?
    ```
    """
    found = rule.at(None, f"there is no {what} `{word}`")
    if other:
        return found.helped(
            f'`{other}` is a pipeline: `--pipeline {other}`, in Python `transform.pipeline("{other}")`'
        )
    if near is not None:
        return found.helped(f"did you mean `{near}`?")
    listed = ", ".join([f"`{name}`" for name in known])
    return found.helped(f"there are {listed}")


@rule("RLX1202", "pass-option", ERROR)
def pass_option(rule: Rule, name: str, problem: Problem) -> Diagnostic:
    """A pass does not have an option of this name, or the option takes another kind of value.

    Options are written as in a call, `FoldConstant(limit=64)`. `relax opt --list` shows the options of every pass with
    their types and defaults.

    ```console
    $ relax opt model.rlx --passes 'FoldConstant(limits=64)'
    error[RLX1202 pass-option]: FoldConstant: unknown option `limits`
      = help: there is `limit`
    ```
    """
    message = problem.message.replace("unknown attribute", "unknown option")
    message = message.replace("bad attribute", "bad option").replace("missing attribute", "missing option")
    found = rule.at(None, message)
    help_ = problem.help.replace("has no attributes", "has no options")
    if problem.nearest is not None:  # in a program this is a fix, a line of options has none
        help_ = help_ or f"there is `{problem.nearest}`"
    return found.helped(help_) if help_ else found


@rule("RLX1203", "pass-syntax", ERROR)
def pass_syntax(rule: Rule, text: str, why: str) -> Diagnostic:
    """A list of passes cannot be read.

    Passes are separated by commas; each is a name, or a name with options in parentheses:
    `CanonicalizeBindings, FoldConstant(limit=64)`.

    ```console
    $ relax opt model.rlx --passes 'FoldConstant(64)'
    error[RLX1203 pass-syntax]: cannot read `64`: an option is written `name=value`
    ```
    """
    return rule.at(None, f"cannot read `{text}`: {why}")


@rule("RLX1204", "pass-refused", ERROR)
def pass_refused(rule: Rule, place: Location | None, name: str, message: str, help: str = "") -> Diagnostic:  # noqa: A002
    """A pass cannot work on this program.

    The program is valid, but it has something that the pass is not made for, or the options of the pass do not fit it;
    the message names it. Nothing is changed or written.

    ```console
    $ relax opt model.rlx --passes 'BindSymbolicVars(k=4)'
    error[RLX1204 pass-refused]: BindSymbolicVars: no function has a shape variable `k`
      = help: there are `n`, `m`
    ```
    """
    found = rule.at(place, f"{name}: {message}")
    return found.helped(help) if help else found


@rule("RLX1205", "pass-broke-program", ERROR)
def pass_broke_program(rule: Rule, name: str, wrong: Sequence[Diagnostic], why: str = "") -> Diagnostic:
    """A pass made something of a valid program that is none, or does not have the form that the pass promises.

    This is a defect of the pass, never of the program. If the pass is part of relax-lang, please report it;
    `--dump-on-error FOLDER` writes the program before the pass to a file.
    """
    found = rule.at(None, f"{name} made a program that is not valid" if not why else f"{name}: {why}")
    for one in wrong[:3]:
        found = found.note(f"{one.slug}: {one.message}")
    return found.helped("this is a defect of the pass; `--dump-on-error FOLDER` writes the program before it")


@rule("RLX1206", "pass-changed-result", ERROR)
def pass_changed_result(rule: Rule, name: str, function: str, difference: str) -> Diagnostic:
    """A program gives another result after a pass than before it.

    `relax opt --compare SEED` runs every public function on made-up arguments before and after each pass, and stops at
    the first pass after which a result, what is printed, or the kind of a failure is another. This is a defect of the
    pass, never of the program.
    """
    found = rule.at(None, f"after {name}, {function} does something else")
    return found.note(difference).helped("`--dump-on-error FOLDER` writes the program before the pass")


@rule("RLX1207", "pass-failed", ERROR)
def pass_failed(rule: Rule, name: str, error: BaseException, line: str) -> Diagnostic:
    """A pass ended with an exception of Python.

    This is a defect of the pass, never of the program; the note has the line of Python, and the same command with
    `--verbose` prints the traceback. Nothing is written. If the pass is part of relax-lang, please report it;
    `--dump-on-error FOLDER` writes the program before the pass to a file.
    """
    words = " ".join(str(error).split())
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return (
        rule.at(None, f"{name} failed: {what}")
        .note(line)
        .helped("this is a defect of the pass; `--dump-on-error FOLDER` writes the program before it")
    )
