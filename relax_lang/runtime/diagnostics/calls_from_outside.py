"""What is wrong with a call from outside: the function that is to run, and its arguments. [RUN.1] [RUN.2]"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic, Rule
    from relax_lang.values import RunFailure


@rule("RLX0931", "argument-missing", ERROR, "RUN.2")
def argument_missing(rule: Rule, failure: RunFailure) -> Diagnostic:
    """The function that is run has a parameter that got no value.

    Arguments are given in order (`--args x.npy w.npy`), by name (`--arg x=x.npy`), or all at once as an
    archive whose arrays have the names of the parameters (`--npz args.npz`). `--random 0` makes up what
    is missing.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      nn.relu(x)
    }
    ```

    ```console
    $ relax run relu.rlx --arg x=x.npy
    ```
    """
    return rule.at(failure.node, failure.message, "needs a value")


@rule("RLX0932", "argument-extra", ERROR, "RUN.2")
def argument_extra(rule: Rule, failure: RunFailure) -> Diagnostic:
    """More arguments were given than the function has parameters, or one of a name that none has.

    ```console
    $ relax run relu.rlx --arg y=x.npy
    error[RLX0932 argument-extra]: @main has no parameter `y`
    ```
    """
    twice = failure.node is not None and failure.facts.get("parameter") is failure.node
    return rule.at(failure.node, failure.message, "this parameter" if twice else "the function that is run")


@rule("RLX0933", "argument-file", ERROR, "RUN.2")
def argument_file(rule: Rule, failure: RunFailure) -> Diagnostic:
    """An argument could not be read.

    Arguments are `.npy` files, `.npz` archives, numbers, `true`, `false`, `shape:2,3` and, for small
    tensors, nested lists: `[[1, 2], [3, 4]]`. Files with pickled objects are never loaded: reading them would
    run code.

    ```console
    $ relax run relu.rlx --arg x=notes.txt
    error[RLX0933 argument-file]: cannot read `notes.txt` as an array: it is not a .npy or .npz file
    ```
    """
    return rule.at(failure.node, failure.message, "for this parameter")


@rule("RLX0934", "entry-not-found", ERROR, "RUN.1")
def entry_not_found(rule: Rule, failure: RunFailure) -> Diagnostic:
    """There is no function of the name that was to be run.

    `relax run` runs `@main` unless `--entry` says otherwise. A `prim_func` cannot be run: it returns nothing.

    ```relax wrong
    def @mian() -> Tensor[(), int32] {
      7
    }
    ```

    ```relax right
    def @main() -> Tensor[(), int32] {
      7
    }
    ```
    """
    return rule.at(failure.node, failure.message)


@rule("RLX0935", "private-function", ERROR, "X.0.2 RUN.1")
def private_function(rule: Rule, failure: RunFailure) -> Diagnostic:
    """The function that was to be run is private.

    `private` functions are called by the others of their module only; nothing outside can rely on them.

    ```relax wrong
    private def @main() -> Tensor[(), int32] {
      7
    }
    ```

    ```relax right
    def @main() -> Tensor[(), int32] {
      7
    }
    ```
    """
    return rule.at(failure.node, failure.message, "declared private")


REPORTS: dict[str, Callable[[RunFailure], Diagnostic]] = {
    "argument-missing": argument_missing,
    "argument-extra": argument_extra,
    "argument-file": argument_file,
    "entry-not-found": entry_not_found,
    "private-function": private_function,
}
"""Slug: the function that makes its diagnostic."""
