"""Diagnostics of values that do not fit where they are used: RLX0310 to RLX0313, RLX0444, RLX0447.

Where the value is used gives the slug, the reason gives the message. [Z.2-Z.4]
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, WARNING, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule(
    "RLX0310", "annotation-mismatch", ERROR, "Z.2 C.2 C.3 C.4 C.5 C.6 D.8.2.3 D.3 D.5 T.K10.2 T.K10.6 ERR.33"
)
def annotation_mismatch(
    rule: Rule, value: Location, name: str, expected: str, found: str, reason: str
) -> Diagnostic:
    """The value of a variable does not fit its annotation.

    An annotation may be less precise than its value (`Tensor[ndim=2]` for a tensor of known shape), but must not
    contradict it. Nothing is converted: to get another shape or dtype, call the operator that makes it.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) -> Tensor[ndim=2, float32] {
      let y: Tensor[(2, 4), float32] = add(x, x);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32]) -> Tensor[ndim=2, float32] {
      let y: Tensor[(2, 3), float32] = add(x, x);
      y
    }
    ```
    """
    message = f"`{name}` is annotated `{expected}` but its value is `{found}`: {reason}"
    return rule.at(value, message, f"this is `{found}`")


@rule(
    "RLX0311",
    "argument-mismatch",
    ERROR,
    "Z.2 C.2 C.3 C.4 C.5 C.6 D.11.2.5 T.S6 T.S7 T.S8 T.S9 T.S10 T.C3 P.10",
)
def argument_mismatch(rule: Rule, argument: Location, message: str, found: str) -> Diagnostic:
    """An argument does not fit the parameter of the function.

    Arguments bind the dimensions of the parameters, from the left: a name is one number in the whole signature.

    ```relax wrong
    def @scale(a: Tensor[(n,), float32], b: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      multiply(a, b)
    }

    def @main(x: Tensor[(3,), float32], y: Tensor[(4,), float32]) -> Tensor[(3,), float32] {
      @scale(x, y)
    }
    ```

    ```relax right
    def @scale(a: Tensor[(n,), float32], b: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      multiply(a, b)
    }

    def @main(x: Tensor[(3,), float32], y: Tensor[(3,), float32]) -> Tensor[(3,), float32] {
      @scale(x, y)
    }
    ```
    """
    return rule.at(argument, message, f"this is `{found}`")


@rule("RLX0312", "return-mismatch", ERROR, "Z.2 C.2 C.3 C.4 C.5 C.6 D.12.5 T.K11.4")
def return_mismatch(
    rule: Rule, result: Location, function: str, found: str, expected: str, reason: str
) -> Diagnostic:
    """The value that a function returns does not fit its declared result.

    Callers rely on the annotation after `->`. It may be less precise than what is known of the body, but must not
    contradict it.

    ```relax wrong
    def @main(x: Tensor[(n, 3), float32]) -> Tensor[(n, 4), float32] {
      nn.relu(x)
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, 3), float32]) -> Tensor[(n, 3), float32] {
      nn.relu(x)
    }
    ```
    """
    message = f"{function} returns `{found}` but declares `{expected}`: {reason}"
    return rule.at(result, message, f"this is `{found}`")


@rule("RLX0313", "needs-match-cast", ERROR, "Z.3 T.C2 T.K7.2 T.K8 T.K9 T.K11.4 T.K12 OP.3 O.6 ERR.47")
def needs_match_cast(rule: Rule, value: Location, found: str, expected: str) -> Diagnostic:
    """A value may fit where it is used, but too little is known about it.

    Nothing is taken on trust: where a rank, a dtype or a kind is required but not known, a `match_cast` states it and
    checks it when the program runs. It can also name dimensions.

    ```relax wrong
    def @twice(a: Tensor[ndim=2, float32]) -> Tensor[ndim=2, float32] {
      add(a, a)
    }

    def @main(u: Tensor) -> Tensor[ndim=2, float32] {
      @twice(u)
    }
    ```

    ```relax right
    def @twice(a: Tensor[ndim=2, float32]) -> Tensor[ndim=2, float32] {
      add(a, a)
    }

    def @main(u: Tensor) -> Tensor[ndim=2, float32] {
      let x = match_cast(u, Tensor[ndim=2, float32]);
      @twice(x)
    }
    ```
    """
    message = f"`{found}` is not known to be `{expected}`"
    return rule.at(value, message, f"only known to be `{found}`").helped("check it with a match_cast")


@rule("RLX0444", "possibly-incompatible", WARNING, "Z.4 C.4.5 C.5.4 C.5.5 C.5.6 C.6.2 D.13 ERR.26")
def possibly_incompatible(rule: Rule, value: Location, found: str, expected: str) -> Diagnostic:
    """It can be neither proved nor ruled out that a value fits where it is used.

    The value is checked when the program runs. To make that explicit, write a `match_cast`; to have it proved, use the
    same name for dimensions that are equal.

    ```relax wrong
    def @pair(a: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      add(a, a)
    }

    def @main(x: Tensor[(n, m), float32]) -> Tensor[(2, 3), float32] {
      @pair(x)
    }
    ```

    ```relax right
    def @pair(a: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      add(a, a)
    }

    def @main(x: Tensor[(n, m), float32]) -> Tensor[(2, 3), float32] {
      let y = match_cast(x, Tensor[(2, 3), float32]);
      @pair(y)
    }
    ```
    """
    message = f"cannot prove that `{found}` is `{expected}`; it is checked at run time"
    return rule.at(value, message, f"this is `{found}`")


@rule("RLX0447", "op-shape-mismatch", ERROR, "OP.6 T.K7.1")
def op_shape_mismatch(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """The shapes of an operator's arguments do not fit together, whatever the values of the shape variables.

    Dimensions are compared for all values of the shape variables. What cannot be decided is checked when the program
    runs.

    ```relax wrong
    def @main(x: Tensor[(n, 784), float32], w: Tensor[(768, 128), float32]) {
      matmul(x, w)
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, 784), float32], w: Tensor[(784, 128), float32]) {
      matmul(x, w)
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0448", "operands-may-differ", HINT, "OP.6 Z.4 D.13", strict=WARNING)
def operands_may_differ(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An operator needs two dimensions to be equal, or one to be a multiple, and nothing in the program says so.

    They are compared when the program runs. That may be meant, so this is a hint; under `--strict` it is a warning. To
    have the dimensions checked here, give those that are equal the same name, or state it with a `match_cast` before.

    ```relax wrong
    def @main(x: Tensor[(n, k), float32], w: Tensor[(j, m), float32]) {
      matmul(x, w)
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, k), float32], w: Tensor[(k, m), float32]) {
      matmul(x, w)
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0449", "operands-fit-empty-only", WARNING, "OP.6 Z.4 D.13")
def operands_fit_empty_only(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An operator needs two dimensions to be equal, and they differ as soon as all sizes are at least 1.

    Only tensors without elements fit, which is hardly meant: `(n, 8)` has as many elements as `(n, 4)` for
    `n = 0` alone.

    ```relax wrong
    def @main(x: Tensor[(n, 8), float32]) {
      reshape(x, shape(n, 4))
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, 8), float32]) {
      reshape(x, shape(n * 2, 4))
    }
    ```
    """
    return rule.at(place, message)
