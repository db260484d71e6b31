"""Diagnostics about dimensions and shape variables."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, WARNING, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.syntax import tree


@rule("RLX0207", "undefined-shape-var", ERROR, "S.12 S.13 S.14 S.15 S.16 V.6 W.5.a W.5.b W.5.c W.13.b W.14")
def undefined_shape_var(rule: Rule, use: Location, name: str, near: str | None = None) -> Diagnostic:
    """A dimension mentions a shape variable that nothing has bound.

    A shape variable is bound where it stands alone as a dimension of a parameter or of a match_cast;
    everywhere else, and inside an expression such as `k * 2`, it is only used.

    ```relax wrong
    def @main(u: Tensor) -> Shape {
      match_cast(u, Tensor[(k * 2,), float32]);
      shape(k)
    }
    ```

    ```relax right
    def @main(u: Tensor) -> Shape {
      match_cast(u, Tensor[(k,), float32]);
      shape(k)
    }
    ```
    """
    message = f"shape variable `{name}` is not bound here"
    found = rule.at(use, message + (f" (nearest: `{near}`)" if near else ""), "not bound")
    return found.replace(use, near, f"write `{near}`") if near else found


@rule("RLX0208", "shape-var-as-value", ERROR, "G.1")
def shape_var_as_value(rule: Rule, use: Location, name: str, binding: Location, *written: str) -> Diagnostic:
    """A shape variable is written where it is not clear which value is meant.

    A shape variable is the number that a dimension turned out to have. It occurs in dimensions, as an operand of an
    operator (`x * n`, `arange(0, n)`) and in conditions (`if n > 1 { … }`). Elsewhere it is made a value: `scalar(n)`
    is a tensor of rank 0, `shape(n)` a shape.

    ```relax wrong
    def @main(x: Tensor[(n, 3), float32]) -> Object {
      let y = n;
      y
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, 3), float32]) -> (Tensor, Shape) {
      let y = scalar(n);
      let z = shape(n);
      (y, z)
    }
    ```
    """
    found = rule.at(use, f"`{name}` is a shape variable, which is not a value by itself", "not a value")
    found.label(binding, f"`{name}` is bound here")
    for text in written:
        found.replace(use, text, _TITLES.get(text.partition("(")[0], "write `{}`").format(text))
    if len(written) > 1:
        found.help = f"write `{written[0]}` for a tensor of rank 0, `{written[1]}` for a shape"
    return found


_TITLES = {"scalar": "write `{}`, a tensor of rank 0", "shape": "write `{}`, a shape"}


@rule("RLX0209", "value-in-dim", ERROR, "G.8 G.17 G.32")
def value_in_dim(rule: Rule, use: Location, name: str, binding: Location) -> Diagnostic:
    """A variable is written in a dimension, where only shape variables and numbers can be.

    The two kinds of names live apart. A dimension of a tensor gets a name with a match_cast.

    ```relax wrong
    def @main(x: Tensor) -> Shape {
      shape(x, 2)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Shape {
      match_cast(x, Tensor[(n,), float32]);
      shape(n, 2)
    }
    ```
    """
    found = rule.at(use, f"`{name}` is a variable; dimensions use shape variables", "not a shape variable")
    return found.label(binding, f"`{name}` is bound here, as a variable")


@rule("RLX0210", "return-annotation-unbound", ERROR, "W.4 B.16")
def return_annotation_unbound(rule: Rule, use: Location, name: str, bound: Location | None) -> Diagnostic:
    """A result annotation mentions a shape variable that no parameter binds.

    Callers see the signature only, so the sizes of the result must follow from those of the parameters. A
    size that is known only inside the body is left out: `Tensor[ndim=1, float32]`.

    ```relax wrong
    def @main(u: Tensor) -> Tensor[(k,), float32] {
      let v = match_cast(u, Tensor[(k,), float32]);
      v
    }
    ```

    ```relax right
    def @main(u: Tensor[(k,), float32]) -> Tensor[(k,), float32] {
      u
    }
    ```
    """
    found = rule.at(use, f"`{name}` is bound by no parameter", "not known to a caller")
    if bound is not None:
        found.label(bound, "bound here, where callers do not see it")
    return found.helped(f"let a parameter show `{name}` alone as a dimension, or give only `ndim`")


@rule("RLX0218", "dim-used-before-bound", HINT, "ERR.40 W.5.c")
def dim_used_before_bound(rule: Rule, use: tree.PrimVar, binding: Location) -> Diagnostic:
    """A dimension of a signature uses a shape variable that is bound further right.

    That is legal, as the order inside a signature does not matter; it reads more easily the other way round.

    ```relax wrong
    def @main(a: Tensor[(n * 2,), float32], b: Tensor[(n,), float32]) -> Tensor {
      concat((a, b), axis=0)
    }
    ```

    ```relax right
    def @main(b: Tensor[(n,), float32], a: Tensor[(n * 2,), float32]) -> Tensor {
      concat((a, b), axis=0)
    }
    ```
    """
    found = rule.at(use, f"`{use.name}` is bound further right", "used here")
    return found.label(binding, "bound here")


@rule("RLX0221", "wildcard-dimension", ERROR, "B.31")
def wildcard_dimension(rule: Rule, place: Location) -> Diagnostic:
    """`_` is written among dimensions; unknown dimensions inside a list are reserved.

    ```relax wrong
    def @main(x: Tensor[(2, _), float32]) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, m), float32]) -> Tensor {
      x
    }
    ```
    """
    found = rule.at(place, "unknown dimensions inside a list are reserved", "not a dimension")
    return found.helped("give the dimension a name, or only the rank: `Tensor[ndim=2]`")


@rule("RLX0441", "dim-not-integer", ERROR, "G.2 G.6")
def dim_not_integer(rule: Rule, place: Location, what: str) -> Diagnostic:
    """A dimension, or a part of one, is not an integer.

    ```relax wrong
    def @main(x: Tensor[(n, m), float32]) -> Shape {
      shape(n == m)
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, m), float32]) -> Shape {
      shape(select(n == m, 1, 0))
    }
    ```
    """
    return rule.at(place, f"a dimension is an integer, not {what}", "not an integer")


@rule("RLX0442", "dim-condition-not-boolean", ERROR, "G.7")
def dim_condition_not_boolean(rule: Rule, place: Location) -> Diagnostic:
    """A number is written where a condition is needed: in `select`, or beside `&&`, `||`, `!`.

    ```relax wrong
    def @main(x: Tensor[(n,), float32]) -> Shape {
      shape(select(n, 1, 2))
    }
    ```

    ```relax right
    def @main(x: Tensor[(n,), float32]) -> Shape {
      shape(select(n > 0, 1, 2))
    }
    ```
    """
    return rule.at(place, "a condition is needed here, not a number", "not a condition").helped(
        "compare it: `… != 0`"
    )


@rule("RLX0443", "dim-division-by-zero", ERROR, "G.4 X.5")
def dim_division_by_zero(rule: Rule, division: Location, divisor: Location | None = None) -> Diagnostic:
    """A dimension divides by zero; reported when it is certain, else when the program runs.

    ```relax wrong
    def @main(x: Tensor[(n,), float32]) -> Shape {
      shape(n // 0)
    }
    ```

    ```relax right
    def @main(x: Tensor[(n,), float32]) -> Shape {
      shape(n // 2)
    }
    ```
    """
    found = rule.at(division, "division by zero in a dimension")
    return found.label(divisor, "this is zero") if divisor is not None else found


@rule("RLX0905", "negative-dimension", ERROR, "V.9 X.5")
def negative_dimension(rule: Rule, place: Location | None, message: str, label: str) -> Diagnostic:
    """A dimension is negative: for certain, or when the program runs.

    Shapes hold sizes, which are never below zero. Where a size is the difference of two others, say what is
    meant if the second is larger: `max(n - m, 0)`.

    ```relax wrong
    def @main() -> Tensor[ndim=1, float32] {
      let u = unique(const([3, 5, 3], int32));
      match_cast(u, Tensor[(k,), int32]);
      zeros(shape(k - 3), dtype=float32)
    }
    ```

    ```relax right
    def @main() -> Tensor[ndim=1, float32] {
      let u = unique(const([3, 5, 3], int32));
      match_cast(u, Tensor[(k,), int32]);
      zeros(shape(max(k - 3, 0)), dtype=float32)
    }
    ```
    """
    return rule.at(place, message, label)


@rule("RLX0233", "none-as-dimension", WARNING, "S.12 Y.7")
def none_as_dimension(rule: Rule, use: Location) -> Diagnostic:
    """A dimension is called `None`, as if its size were not known.

    Here a name in the place of a dimension is a shape variable: all dimensions called `None` have one size. Sizes that
    have nothing to do with each other get names of their own.

    ```relax wrong
    def @main(x: Tensor[(None, None), float32]) {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor[(batch, width), float32]) {
      x
    }
    ```
    """
    found = rule.at(use, "`None` is the name of a shape variable here: all dimensions called so are equal")
    return found.helped("give each size that is not known a name of its own")
