"""Diagnostics about match_casts, and about results of which nothing is known: RLX0314 to RLX0316, RLX0445, RLX0446."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, WARNING, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0314", "match-cast-annotated", WARNING, "T.K10.6 D.8.3.4 ERR.36")
def match_cast_annotated(rule: Rule, annotation: Location, checked: str) -> Diagnostic:
    """A variable that a `match_cast` binds has a less precise annotation.

    The annotation decides what is known of the variable, so what the `match_cast` checked is forgotten at once.

    ```relax wrong
    def @main(u: Tensor) -> Tensor {
      let y: Tensor = match_cast(u, Tensor[(2, 3), float32]);
      y
    }
    ```

    ```relax right
    def @main(u: Tensor) -> Tensor {
      let y = match_cast(u, Tensor[(2, 3), float32]);
      y
    }
    ```
    """
    found = rule.at(annotation, "the annotation forgets what the match_cast checked")
    return found.note(f"without it the variable is `{checked}`")


@rule("RLX0315", "match-shape-kind", ERROR, "B.4")
def match_shape_kind(rule: Rule, value: Location, found: str) -> Diagnostic:
    """`match_shape` is used on something that has no shape.

    The older `match_shape(e, (n, m))` takes the dimensions of a tensor or of a shape; of an `Object`, the run finds out
    which of them it is. A tuple or a function has no dimensions: a `match_cast` states what is in it.

    ```relax wrong
    def @main(pair: (Tensor, Tensor)) -> Tensor {
      match_shape(pair, (n, m));
      pair[0]
    }
    ```

    ```relax right
    def @main(pair: (Tensor, Tensor)) -> Tensor {
      match_cast(pair, (Tensor[(n, m)], Tensor[(n, m)]));
      pair[0]
    }
    ```
    """
    message = f"match_shape needs a tensor or a shape, not `{found}`"
    return rule.at(value, message, f"this is `{found}`").helped(
        "write `match_cast(e, S)`, which states what the value is"
    )


@rule("RLX0445", "match-cast-never", ERROR, "D.8.3.3 T.K10.5 V.2 B.3 ERR.35")
def match_cast_never(
    rule: Rule, target: Location, found: str, expected: str, reason: str, value: Location
) -> Diagnostic:
    """A `match_cast` cannot succeed.

    A `match_cast` checks what a value is, and names dimensions; it never converts. What is known of the value rules
    the target out, so the program would always fail here.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) -> Tensor {
      let y = match_cast(x, Tensor[(2, 4), float32]);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor[ndim=2, float32]) -> Tensor {
      let y = match_cast(x, Tensor[(2, 4), float32]);
      y
    }
    ```
    """
    message = f"no `{found}` can be a `{expected}`: {reason}"
    return rule.at(target, message, "never true").label(value, f"this is `{found}`")


@rule("RLX0446", "match-cast-redundant", HINT, "D.8.3.3 D.14")
def match_cast_redundant(rule: Rule, target: Location, expected: str) -> Diagnostic:
    """A `match_cast` always succeeds and binds no dimension.

    What it checks is already known.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      let y = match_cast(x, Tensor[(2, 3), float32]);
      add(y, y)
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] {
      let y = x;
      add(y, y)
    }
    ```
    """
    return rule.at(target, f"the value is always a `{expected}`", "checks nothing new")
