"""What ends a program because someone watches it run, or stops it: RLX0924 to RLX0927."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic, Rule
    from relax_lang.values import RunFailure


@rule("RLX0924", "not-finite", ERROR, "RUN.5")
def not_finite(rule: Rule, failure: RunFailure) -> Diagnostic:
    """An operator makes nan or infinite numbers out of finite ones, and `--nan` was asked to find that.

    Floats follow IEEE 754: a division by zero is inf, a logarithm of a negative number is nan, and neither ends
    a program. They spread from there to everything computed with them. `relax run --nan` ends the program where
    the first of them comes into being and shows the operands.

    ```relax wrong
    def @main() -> Tensor[(2,), float32] {
      log(const([1.0, -1.0]))
    }
    ```

    ```relax right
    def @main() -> Tensor[(2,), float32] {
      log(const([1.0, 1.0]))
    }
    ```
    """
    return rule.at(failure.node, failure.message, "not finite from here on")


@rule("RLX0925", "value-differs", ERROR, "RUN.5")
def value_differs(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A binding has another value than the one recorded under its name, with which `--compare` compares.

    `relax run --save-all FOLDER` records the value of every binding; `--compare FOLDER`, or an archive of arrays
    by the names of the bindings, ends another run at the first binding that differs: of another shape or dtype,
    or further away than the tolerance of its dtype. So one finds where two versions of a program, or a program
    and its model in another framework, part.

    ```relax wrong
    def @main() -> Tensor[(2,), float32] {
      let y = const([1.0, 2.5]);
      y
    }
    ```

    ```relax right
    def @main() -> Tensor[(2,), float32] {
      let y = const([1.0, 2.0]);
      y
    }
    ```
    """
    return rule.at(failure.node, failure.message, "this is the first one that differs")


@rule("RLX0926", "interrupted", ERROR, "RUN.5")
def interrupted(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A running program was stopped from outside, with Ctrl-C.

    The place is what was being evaluated. What was recorded by then stays; the exit status is 130.

    ```relax wrong
    def @main() -> Tensor[(), int32] {
      extern "wait.forever"()
    }
    ```

    ```relax right
    def @main() -> Tensor[(), int32] {
      1
    }
    ```
    """
    return rule.at(failure.node, failure.message, "it was here")


@rule("RLX0927", "wrote-its-argument", ERROR, "O.8 P.4")
def wrote_its_argument(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A packed function changed a tensor that its call promises to leave alone, and `--strict-effects` noticed.

    `call_dps_packed` gives a packed function new tensors to write its results into; `call_pure_packed`, and
    `pure=true` on a call, promise that there is no effect but the result. A program relies on that: such calls
    may be moved, or left out. `relax run --strict-effects` compares the arguments before and after.

    ```relax wrong
    def @main() -> Tensor[(2,), float32] {
      let x = const([1.0, 2.0]);
      let y = call_dps_packed(extern "wrong.increment", (x,)) -> Tensor[(2,), float32];
      x
    }
    ```

    ```relax right
    def @main() -> Tensor[(2,), float32] {
      let x = const([1.0, 2.0]);
      x + 1.0
    }
    ```
    """
    return rule.at(failure.node, failure.message, "this call")


@rule("RLX0928", "result-not-written", ERROR, "O.7 O.8")
def result_not_written(rule: Rule, failure: RunFailure) -> Diagnostic:
    """Nothing was written into a result that was allocated for it, and `--strict-effects` or `--nan` noticed.

    `call_tir` and `call_dps_packed` allocate the results and leave it to the function to write them. What it does not
    write is whatever the memory held. `relax run --strict-effects` and `--nan` fill new tensors with a pattern, and
    look for it after the call: in every element of floats, and in integers as a whole.

    ```relax wrong
    def @main() -> Tensor[(2,), float32] {
      let x = const([1.0, 2.0]);
      call_dps_packed(extern "wrong.forgets", (x,)) -> Tensor[(2,), float32]
    }
    ```

    ```relax right
    def @main() -> Tensor[(2,), float32] {
      let x = const([1.0, 2.0]);
      call_dps_packed(extern "numpy.exp2", (x,)) -> Tensor[(2,), float32]
    }
    ```
    """
    return rule.at(failure.node, failure.message, "nothing is in it")


REPORTS: dict[str, Callable[[RunFailure], Diagnostic]] = {
    "not-finite": not_finite,
    "value-differs": value_differs,
    "interrupted": interrupted,
    "wrote-its-argument": wrote_its_argument,
    "result-not-written": result_not_written,
}
"""Slug: the function that makes its diagnostic."""
