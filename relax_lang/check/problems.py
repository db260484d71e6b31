"""Diagnostics about the toolchain itself: RLX0004, RLX0008 to RLX0010, RLX0012, RLX9901."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, Place, Rule


@rule("RLX0004", "unknown-code", ERROR)
def unknown_code(rule: Rule, word: str, known: list[str]) -> Diagnostic:
    """A diagnostic was named that does not exist.

    Wherever a diagnostic is named, in `--select`, `--ignore` and `relax explain`, both its code and its name
    will do: `RLX0203` or `use-before-bind`. `relax explain --all` lists them.
    """
    from relax_lang.base.names import nearest

    like = nearest(word, known)
    found = rule.at(None, f"there is no diagnostic `{word}`")
    return found.helped(f"did you mean `{like}`?") if like else found


@rule("RLX0009", "not-supported-yet", ERROR)
def not_supported_yet(rule: Rule, what: str, instead: str = "") -> Diagnostic:
    """A part of the command line that is planned, and not there yet.

    The name is taken already, so that scripts do not have to change when it comes. The command does nothing
    and ends with exit status 2.

    ```console
    $ relax check --watch model.rlx
    error[RLX0009 not-supported-yet]: `relax check --watch` is not supported yet
    ```
    """
    found = rule.at(None, f"`{what}` is not supported yet")
    return found.helped(instead) if instead else found


@rule("RLX0008", "unknown-output-format", ERROR)
def unknown_output_format(rule: Rule, word: str, known: Iterable[str]) -> Diagnostic:
    """RELAX_OUTPUT_FORMAT names no form that diagnostics can be shown in.

    The variable sets what `--output-format` is when it is not given.

    ```console
    $ RELAX_OUTPUT_FORMAT=concise relax check model.rlx
    ```
    """
    listed = ", ".join([f"`{name}`" for name in known])
    return rule.at(None, f"RELAX_OUTPUT_FORMAT is `{word}`; it can be {listed}")


@rule("RLX0010", "usage", ERROR)
def usage(rule: Rule, message: str, help: str = "") -> Diagnostic:  # noqa: A002
    """Options that do not go together, or a value that an option cannot take.

    `relax COMMAND --help` lists the options of a command. The exit status is 2.

    ```console
    $ relax run model.rlx --dim n=many
    error[RLX0010 usage]: `--dim` takes a name and a size, such as `n=4`, not `n=many`
    ```
    """
    found = rule.at(None, message)
    return found.helped(help) if help else found


@rule("RLX0012", "packed-file-failed", ERROR)
def packed_file_failed(rule: Rule, path: str, why: str) -> Diagnostic:
    """A Python file given with `--packed` could not be run.

    The file is run before the program, so that it can register functions with `register_packed_func`. With
    `--verbose`, Python's traceback is printed, too.

    ```python
    from relax_lang import register_packed_func

    @register_packed_func("my.add")
    def add(a, b):
        return a + b
    ```
    """
    return rule.at(None, f"cannot run `{path}`: {why}")


@rule("RLX9901", "internal-error", ERROR)
def internal_error(rule: Rule, error: BaseException, place: Place | None = None) -> Diagnostic:
    """A mistake of ours, not of yours.

    Something in the toolchain went wrong that should not, whatever the program. Please report it together
    with the program; the same command with `--verbose` prints the Python traceback that goes with it. The
    exit status is 101.
    """
    words = " ".join(str(error).split())
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return (
        rule.at(place, f"the toolchain failed: {what}")
        .note("this is a bug in relax-lang, whatever the program says")
        .helped("run the same command with `--verbose` and report what it prints")
    )
