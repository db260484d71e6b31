"""Diagnostics about the toolchain itself and about comments for it: RLX0004 to RLX0017, RLX9901."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, SAFE, WARNING, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, Edit, Location, Rule


@rule("RLX0004", "unknown-code", ERROR)
def unknown_code(rule: Rule, word: str, known: list[str], place: Location | None = None) -> Diagnostic:
    """There is no diagnostic with this name.

    Wherever a diagnostic is named, in `--select` and `--ignore`, in settings, in comments and in
    `relax explain`, both its code and its name will do: `RLX0203` or `use-before-bind`.
    `relax explain --all` lists them. In a comment of a program this is a warning.
    """
    from relax_lang.base.names import misspelled
    from relax_lang.base.wording import enumerated

    like = misspelled(word, known)
    found = rule.at(place, f"there is no diagnostic `{word}`")
    is_code = word.upper().removeprefix("RLX").isdigit()
    if not like or len(like) > 3 or is_code:  # a wrong digit of a code: any of them may be meant
        return found
    if place is not None and len(like) == 1:
        return found.replace(place, like[0], f"write `{like[0]}`")
    return found.helped(f"did you mean {enumerated([f'`{one}`' for one in like], 'or')}?")


@rule("RLX0008", "unknown-output-format", ERROR)
def unknown_output_format(rule: Rule, word: str, known: Iterable[str]) -> Diagnostic:
    """RELAX_OUTPUT_FORMAT is not the name of an output format.

    The variable is the default of `--output-format`.

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
def packed_file_failed(rule: Rule, path: str, why: str, place: Location | None = None) -> Diagnostic:
    """A Python file given with `--packed`, or by `packed` in the settings, could not be run.

    The file is run before the program, so that it can register functions with `register_packed_func`. With
    `--verbose`, Python's traceback is printed, too.

    ```python
    from relax_lang import register_packed_func

    @register_packed_func("my.add")
    def add(a, b):
        return a + b
    ```
    """
    return rule.at(place, f"cannot run `{path}`: {why}")


@rule("RLX0013", "unused-ignore", WARNING)
def unused_ignore(rule: Rule, place: Location, words: list[str], removal: Edit) -> Diagnostic:
    """A comment silences a diagnostic that is not reported.

    `# relax: ignore[slug]` silences a finding of its line, or of the next line of code if it is on a line of its own;
    `# relax: ignore-file[slug]` all of them in a file. What silences nothing is left over from an earlier
    mistake, and would hide the next one. Errors of syntax cannot be silenced.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      add(x, x)  # relax: ignore[undefined-variable]
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```
    """
    listed = ", ".join([f"`{word}`" for word in words])
    found = rule.at(place, f"nothing here is silenced by {listed}", "unused")
    title = "remove the comment" if not removal.text else "remove what is unused"
    return found.fix(title, removal, applicability=SAFE)


@rule("RLX0014", "malformed-ignore", WARNING)
def malformed_ignore(rule: Rule, place: Location, what: str, codes: str | None) -> Diagnostic:
    """A comment begins with `# relax:` but is not understood.

    There are two such comments, `# relax: ignore[…]` and `# relax: ignore-file[…]`, and both name what they
    silence:

    ```relax wrong
    def @main() -> Object {  # relax: ignore
      ()
    }
    ```

    ```relax right
    private def @main() -> Object {  # relax: ignore[no-entry-point]
      ()
    }
    ```
    """
    if what not in ("ignore", "ignore-file"):
        return rule.at(place, f"`relax: {what}` is not known; write `relax: ignore[…]`")
    missing = "name what to ignore" if codes is None else "no diagnostic is named between the brackets"
    return rule.at(place, missing).helped(f"such as `# relax: {what}[no-entry-point]`")


@rule("RLX0016", "missing-package", ERROR)
def missing_package(rule: Rule, what: str, package: str, extra: str = "") -> Diagnostic:
    """An option or a command needs a Python package that is not installed.

    What most people never use is not installed with the rest, and what is installed with it can be removed: `check` and
    `fmt` work all the same, other commands do not. The message names the command that installs what is missing.

    ```console
    $ relax check --watch model.rlx
    error[RLX0016 missing-package]: `relax check --watch` needs the package watchfiles
      = help: install it: `pip install "relax-lang[watch]"`
    ```
    """
    found = rule.at(None, f"`{what}` needs the package {package}")
    install = f'"relax-lang[{extra}]"' if extra else package
    return found.helped(f"install it: `pip install {install}`")


@rule("RLX9901", "internal-error", ERROR)
def internal_error(rule: Rule, error: BaseException, place: Location | None = None) -> Diagnostic:
    """A mistake of ours, not of yours.

    Something in the toolchain went wrong that should not, whatever the program. Please report it together
    with the program; the same command with `--verbose` prints the Python traceback that goes with it. The
    exit status is 101.
    """
    words = " ".join(str(error).split())
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return (
        rule.at(place, f"the toolchain failed: {what}")
        .note("this is a bug in relax-lang, whatever the program contains")
        .helped("run the same command with `--verbose` and report what it prints")
    )
