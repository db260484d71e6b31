"""What ends a running program: RLX0901 to RLX0935.

A `RunFailure` carries the message, which is made where the numbers are known; the functions here turn it into
a diagnostic and say under the place what that place is. `runtime.failures` adds the chain of calls and the
values of the shape variables. The checks are M.* of the specification, the arguments RUN.*.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule
from relax_lang.runtime.diagnostics import calls_from_outside, ill_typed
from relax_lang.runtime.diagnostics import instrument as observe_diag
from relax_lang.scope.diagnostics import dims as dims_diag
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic, Rule
    from relax_lang.values import RunFailure


@rule("RLX0901", "match-cast-failed", ERROR, "M.1 M.2 M.3 M.4 M.5 M.8 M.9 V.8 V.13 S.14 Z.7")
def match_cast_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A value is not what a `match_cast` says.

    `match_cast` is how a program states what the checker cannot know, such as how many elements a
    data-dependent result has. It is checked when it runs: first every new name is bound, then kind, rank,
    dtype and dimensions are compared. The program ends at the first one that fails; there are no
    exceptions to catch.

    ```relax wrong
    def @main() -> Tensor[ndim=1, int32] {
      let u = unique(const([3, 5, 3], int32));
      let v = match_cast(u, Tensor[(3,), int32]);
      v
    }
    ```

    ```relax right
    def @main() -> Tensor[ndim=1, int32] {
      let u = unique(const([3, 5, 3], int32));
      let v = match_cast(u, Tensor[(k,), int32]);
      v
    }
    ```
    """
    return rule.at(failure.node, failure.message, "the value does not fit")


@rule("RLX0902", "argument-check-failed", ERROR, "M.6 RUN.2 Z.7")
def argument_check_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """An argument is not what the function's parameter says.

    When a function is called, its parameters are checked like `match_cast`s: all names that stand alone as a
    dimension are bound first, then everything is compared. One name is one number, whichever parameter it
    is in.

    ```relax wrong
    def @same(a: Tensor[(n,), int32], b: Tensor[(n,), int32]) -> Tensor[(n,), int32] {
      add(a, b)
    }

    def @main() -> Tensor[ndim=1, int32] {
      let u = unique(const([3, 5, 3], int32));
      @same(u, const([1, 2, 3], int32))
    }
    ```

    ```relax right
    def @same(a: Tensor[(n,), int32], b: Tensor[(n,), int32]) -> Tensor[(n,), int32] {
      add(a, b)
    }

    def @main() -> Tensor[ndim=1, int32] {
      let u = unique(const([3, 5, 3], int32));
      @same(u, const([1, 2], int32))
    }
    ```
    """
    return rule.at(failure.node, failure.message, "checked when this is called")


@rule("RLX0903", "return-check-failed", ERROR, "M.7 Z.7")
def return_check_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """The result of a function is not what the function declares.

    The result annotation uses the dimensions that were bound when the function was entered; it binds nothing.

    ```relax wrong
    def @distinct(a: Tensor[(n,), int32]) -> Tensor[(n,), int32] {
      unique(a)
    }

    def @main() -> Tensor[ndim=1, int32] {
      @distinct(const([3, 5, 3], int32))
    }
    ```

    ```relax right
    def @distinct(a: Tensor[(n,), int32]) -> Tensor[ndim=1, int32] {
      unique(a)
    }

    def @main() -> Tensor[ndim=1, int32] {
      @distinct(const([3, 5, 3], int32))
    }
    ```
    """
    return rule.at(failure.node, failure.message, "this is returned")


@rule("RLX0904", "annotation-check-failed", ERROR, "ERR.33 M.1 M.2 M.3 M.4 M.5 Z.7")
def annotation_check_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A value is not what the annotation of its variable says.

    An annotation that the checker can neither prove nor refute is checked when the program runs. Unlike a
    `match_cast` it binds no new names.

    ```relax wrong
    def @main() -> Tensor[ndim=1, int32] {
      let u: Tensor[(3,), int32] = unique(const([3, 5, 3], int32));
      u
    }
    ```

    ```relax right
    def @main() -> Tensor[ndim=1, int32] {
      let u: Tensor[(2,), int32] = unique(const([3, 5, 3], int32));
      u
    }
    ```
    """
    return rule.at(failure.node, failure.message, "the value does not fit")


@rule("RLX0907", "extern-not-found", ERROR, "X.8")
def extern_not_found(rule: Rule, failure: RunFailure) -> Diagnostic:
    """No packed function has the name that `extern` gives.

    Packed functions are Python functions that are registered before the program runs, with
    `@register_packed_func("name")` in a file given by `--packed`. A `prim_func` of the program that is not
    `private` can be named too.

    ```relax wrong
    def @main() -> Object {
      extern "no.such.function"(1.5)
    }
    ```

    ```relax right
    def @main() -> Tensor[(), float32] {
      exp(1.5)
    }
    ```
    """
    return rule.at(failure.node, failure.message, "looked up when this is evaluated")


@rule("RLX0908", "extern-failed", ERROR, "X.8")
def extern_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A packed function raised an exception.

    What goes wrong in a Python function that a program calls ends the program. The message is the exception's
    own; `--verbose` shows its traceback.

    ```python
    @register_packed_func("my.first")
    def first(x):
        return x[0]  # fails for an empty tensor
    ```
    """
    return rule.at(failure.node, failure.message, "in this call")


@rule("RLX0909", "unsupported-packed-result", ERROR, "V.15")
def unsupported_packed_result(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A packed function returned something that is not a value of the language.

    Where a call says `-> Tensor`, the Python function has to return a NumPy array: not a list, not a number,
    not a generator. Shapes are `relax_lang.ShapeValue`, tuples are Python tuples, nothing is `None`. Without
    `->` the result is an `Object`, and may be anything.

    ```python
    @register_packed_func("my.mean")
    def mean(x):
        return np.asarray(x.mean())  # not float(x.mean())
    ```
    """
    return rule.at(failure.node, failure.message, "in this call").helped(
        "return a NumPy array (a scalar as an array of rank 0), a tuple, a ShapeValue, or None"
    )


@rule("RLX0906", "returned-instead-of-written", ERROR, "O.8 V.14")
def returned_instead_of_written(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A packed function that was called with `call_dps_packed` returned a value, which would get lost.

    `call_dps_packed` allocates the results and passes them after the arguments; the function writes into them and
    returns nothing, or just these. A function that returns its result is called with `call_pure_packed`, or as it is:
    `extern "f"(x)`.

    ```relax wrong
    def @main() -> Tensor[(), float32] {
      call_dps_packed(extern "numpy.vdot", (const([3.0, 4.0]),)) -> Tensor[(2,), float32];
      1.0
    }
    ```

    ```relax right
    def @main() -> Object {
      call_pure_packed(extern "numpy.vdot", const([3.0, 4.0]), const([3.0, 4.0])) -> Tensor[(), float32]
    }
    ```
    """
    return rule.at(failure.node, failure.message, "its value would get lost")


@rule("RLX0910", "assertion-failed", ERROR, "O.10 TIR.17")
def assertion_failed(rule: Rule, failure: RunFailure) -> Diagnostic:
    """An assertion of the program does not hold.

    `assert_op` in a function and `assert` in a `prim_func` end the program when their condition is false. The
    text is the program's own.

    ```relax wrong
    def @main() -> () {
      assert_op(false, format="the sky fell")
    }
    ```

    ```relax right
    def @main() -> () {
      assert_op(true, format="the sky fell")
    }
    ```
    """
    return rule.at(failure.node, failure.message, "this does not hold")


@rule("RLX0911", "out-of-memory", ERROR, "X.O5")
def out_of_memory(rule: Rule, failure: RunFailure) -> Diagnostic:
    """A tensor needs more memory than there is, or than the program may have.

    Sizes are checked before anything is allocated, so that a wrong dimension does not bring the machine down.

    ```relax wrong
    def @main() -> Tensor[ndim=2, float32] {
      zeros(shape(1000000, 1000000), dtype=float32)
    }
    ```

    ```relax right
    def @main() -> Tensor[ndim=2, float32] {
      zeros(shape(1000, 1000), dtype=float32)
    }
    ```
    """
    node = failure.node
    var = node.var if isinstance(node, tree.Binding) else node  # else a parameter, or a call
    name = var.name_hint if isinstance(var, tree.Var | tree.DataflowVar) else "_"
    goal = "" if name == "_" else f" for `{name}`"
    return rule.at(node, f"{failure.message}{goal}", "allocated here")


@rule("RLX0912", "recursion-limit", ERROR, "X.11")
def recursion_limit(rule: Rule, failure: RunFailure) -> Diagnostic:
    """Functions called each other too deeply.

    Recursion is not limited by Python's stack; only very many open calls end here. Mostly it is a recursion
    whose condition for stopping is missing or never true.

    ```relax wrong
    def @down(i: Tensor[(), int32]) -> Tensor[(), int32] {
      @down(subtract(i, 1))
    }

    def @main() -> Tensor[(), int32] {
      @down(3)
    }
    ```

    ```relax right
    def @down(i: Tensor[(), int32]) -> Tensor[(), int32] {
      if i == 0 { i } else { @down(subtract(i, 1)) }
    }

    def @main() -> Tensor[(), int32] {
      @down(3)
    }
    ```
    """
    return rule.at(failure.node, failure.message, "this call")


def _negative_dimension(failure: RunFailure) -> Diagnostic:
    """Report by the rule for dimensions that are negative for certain. [V.9 X.5]"""
    return dims_diag.negative_dimension(failure.node, failure.message, "a size is never negative")


REPORTS: dict[str, Callable[[RunFailure], Diagnostic]] = {
    "match-cast-failed": match_cast_failed,
    "argument-check-failed": argument_check_failed,
    "return-check-failed": return_check_failed,
    "annotation-check-failed": annotation_check_failed,
    "negative-dimension": _negative_dimension,
    "extern-not-found": extern_not_found,
    "extern-failed": extern_failed,
    "unsupported-packed-result": unsupported_packed_result,
    "returned-instead-of-written": returned_instead_of_written,
    "assertion-failed": assertion_failed,
    "out-of-memory": out_of_memory,
    "recursion-limit": recursion_limit,
    **calls_from_outside.REPORTS,
    **ill_typed.REPORTS,
    **observe_diag.REPORTS,
}
"""Slug: the function that makes its diagnostic."""
