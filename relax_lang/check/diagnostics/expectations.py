"""Diagnostics of `relax test`: RLX0031 to RLX0035. They are about comments that state what is expected."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule

MAX_SHOWN = 40  # lines of an output


@rule("RLX0031", "missing-finding", ERROR)
def missing_finding(rule: Rule, place: Location, severity: str, word: str, where: str) -> Diagnostic:
    """A comment expects a finding that `relax check` does not report there.

    `# error: slug`, `# warning: slug` and `# hint: slug` are written at the end of the line on which the
    marked text of the finding begins, or on a line of their own above it. Several are separated by commas; each
    is one finding. `relax test` compares them with what is found.

    ```rlx
    def @main(x: Tensor) -> Tensor {
      add(x, y)  # error: undefined-variable
    }
    ```
    """
    return rule.at(place, f"there is no {severity} `{word}` {where}", "expected here")


@rule("RLX0032", "unexpected-finding", ERROR)
def unexpected_finding(rule: Rule, found: Diagnostic) -> Diagnostic:
    """`relax test` found something that no comment of the program expects.

    Without comments, a program is expected to be free of errors, warnings and hints. If the finding is
    intended, expect it at the end of its line:

    ```rlx
    def @main(x: Tensor) -> Tensor {
      add(x, y)  # error: undefined-variable
    }
    ```
    """
    place = (found.pos, found.end) if found.pos >= 0 else None
    unexpected = rule.at(
        place, f"{found.severity}[{found.code} {found.slug}]: {found.message}", found.primary
    )
    unexpected.labels = found.labels
    unexpected.notes = list(found.notes)
    return unexpected.helped(f"if it is intended, expect it: `# {found.severity}: {found.slug}`")


@rule("RLX0033", "output-differs", ERROR)
def output_differs(rule: Rule, place: Location, message: str, printed: list[str]) -> Diagnostic:
    """A program prints something other than its comments expect.

    The comments after `# expect-output` are, line by line, what `relax run` prints for `@main`, which must not
    have parameters: the output of the operator `print`, and the result.

    ```rlx
    # expect-output
    # Tensor[(), int32] 3

    def @main() -> Tensor[(), int32] {
      1 + 2
    }
    ```
    """
    found = rule.at(place, message)
    shown = printed[:MAX_SHOWN] + (["…"] if len(printed) > MAX_SHOWN else [])
    return found.note("\n".join(["the output is", *shown]) if printed else "nothing is printed")


@rule("RLX0034", "malformed-expectation", ERROR)
def malformed_expectation(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A comment looks like an expectation but is malformed.

    Expectations are `# error: slug`, `# warning: slug`, `# hint: slug`, with several names separated by
    commas, `# reveals: S` with the struct info of the value on the line, and at most one block
    `# expect-output` for a `@main` that takes no arguments. Only `relax test` reads them; everywhere else they
    are comments like others.

    ```rlx
    def @main(x: Tensor) -> Tensor {
      add(y, z)  # error: undefined-variable, RLX0201
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0035", "info-differs", ERROR)
def info_differs(rule: Rule, place: Location, name: str, found: str, expected: str) -> Diagnostic:
    """What is known of a value is not what a comment expects.

    `# reveals: S` is written at the end of a line with a `let` or the value of a block, or on a line of its own
    above it, and states the struct info. `# reveals: y: S` means the variable `y` where a line has
    several. Dimensions are compared by what they mean: `n * 2` is `n + n`.

    ```rlx
    def @main(x: Tensor[(n,), float32]) -> Object {
      let y = concat((x, x), axis=0);  # reveals: Tensor[(n * 2,), float32]
      y
    }
    ```
    """
    what = f"`{name}`" if name else "this value"
    differs = rule.at(place, f"{what} is `{found}`, not `{expected}`", "expected here")
    return differs.replace(place, found, "expect what it is")


def nothing_revealed(place: Location, name: str, others: list[str]) -> Diagnostic:
    """Return that a line has no value that `# reveals:` could be about."""
    if not name:
        return malformed_expectation(place, "no value begins on this line, so there is nothing to reveal")
    found = malformed_expectation(place, f"`{name}` is not bound on this line")
    listed = ", ".join([f"`{other}`" for other in others if other])
    return found.note(f"bound here: {listed}") if listed else found
