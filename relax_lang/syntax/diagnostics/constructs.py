"""Diagnostics of single constructs that need no scope: annotations, dtypes, indices, attributes. RLX038, RLX039."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, Diagnostic, Edit, Rule, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Location


@rule("RLX0380", "unknown-type", ERROR, "G.23")
def unknown_type(rule: Rule, place: Location, name: str, near: str | None) -> Diagnostic:
    """A name is written where structural information is expected, and it names none.

    There are `Tensor`, `Shape`, `Object`, `PackedFunc`, tuples `(A, B)` and functions `fn(A) -> B`.

    ```relax wrong
    def @main(x: Tensr) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      x
    }
    ```
    """
    found = rule.at(place, f"`{name}` is not a struct info" + (f" (nearest: {near})" if near else ""))
    return found.replace(place, near, f"write `{near}`") if near else found


@rule("RLX0381", "unknown-dtype", ERROR, "G.15 W.17")
def unknown_dtype(rule: Rule, place: Location, name: str, near: str | None) -> Diagnostic:
    """A name is written where a dtype is expected, and it names none.

    The dtypes are bool, int8 to int64, uint8 to uint64, float16, float32, float64 and bfloat16; `_` is unknown.

    ```relax wrong
    def @main(x: Tensor[(2,), float31]) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor[(2,), float32]) -> Tensor {
      x
    }
    ```
    """
    found = rule.at(place, f"`{name}` is not a dtype" + (f" (nearest: {near})" if near else ""))
    return found.replace(place, near, f"write `{near}`") if near else found


@rule("RLX0382", "bad-ndim", ERROR, "G.9 G.10")
def bad_ndim(rule: Rule, place: Location, text: str) -> Diagnostic:
    """`ndim` is the number of dimensions: a plain number, 0 or more.

    ```relax wrong
    def @main(x: Tensor[ndim=-2, float32]) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor[ndim=2, float32]) -> Tensor {
      x
    }
    ```
    """
    return rule.at(place, f"ndim must be a number ≥ 0, not `{text}`").helped(
        "leave `ndim` out if the rank is unknown"
    )


@rule("RLX0383", "param-needs-annotation", ERROR, "G.28 ERR.38")
def param_needs_annotation(rule: Rule, place: Location, name: str) -> Diagnostic:
    """A parameter needs structural information.

    ```relax wrong
    def @main(x) -> Object {
      x
    }
    ```

    ```relax right
    def @main(x: Object) -> Object {
      x
    }
    ```
    """
    found = rule.at(place, f"parameter `{name}` needs a struct info (`: Object` if nothing is known)")
    _, end = place if isinstance(place, tuple) else (place.pos, place.end)
    return found.fix("annotate it with `Object`", Edit(end, end, ": Object"))


@rule("RLX0384", "index-not-constant", ERROR, "G.33")
def index_not_constant(rule: Rule, place: Location, *, several: bool) -> Diagnostic:
    """A tuple is indexed by a plain number: which field is taken decides the type of the result.

    Parts of a tensor are taken by operators: what NumPy writes as `x[:, 0]` is `take(x, 0, axis=1)`, and `x[1:3]` is
    `strided_slice(x, (0,), (1,), (3,))`.

    ```relax wrong
    def @main(t: (Tensor, Tensor), n: Tensor) -> Tensor {
      t[n]
    }
    ```

    ```relax right
    def @main(t: (Tensor, Tensor), n: Tensor) -> Tensor {
      t[0]
    }
    ```
    """
    if several:
        return rule.at(place, "in `[…]` there is one number, that of a field of a tuple")
    return rule.at(place, "a tuple index is a plain number")


@rule("RLX0385", "negative-index", ERROR, "G.33")
def negative_index(rule: Rule, place: Location, text: str) -> Diagnostic:
    """Tuple indices count from 0; there is no counting from the end.

    ```relax wrong
    def @main(t: (Tensor, Tensor)) -> Tensor {
      t[-1]
    }
    ```

    ```relax right
    def @main(t: (Tensor, Tensor)) -> Tensor {
      t[1]
    }
    ```
    """
    return rule.at(place, f"tuple indices count from 0, not `{text}`")


@rule("RLX0386", "shape-field-not-var-or-literal", ERROR, "G.16 B.10")
def shape_field_not_var_or_literal(rule: Rule, place: Location) -> Diagnostic:
    """The shape in `Tensor[...]` is written as dimensions, is a variable that holds a shape, or is computed by a call.

    The fields of a tuple can be shapes too, as in `Tensor[t[0], float32]`. A function type has no place where a shape
    could be computed, since its arguments do not exist yet.

    ```relax wrong
    def @main(x: Tensor, sizes: (Shape, Shape)) -> Tensor {
      let y: Tensor[sizes[n], float32] = match_cast(x, Tensor[_, float32]);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor[_, float32], sizes: (Shape, Shape)) -> Tensor {
      let y: Tensor[sizes[0], float32] = match_cast(x, Tensor[shape_of(x), float32]);
      y
    }
    ```
    """
    return rule.at(place, "a shape is written `(dims)` or is a variable").helped(
        "bind the shape to a variable first"
    )


@rule("RLX0392", "ndim-and-dimensions", ERROR, "B.8 W.9")
def ndim_and_dimensions(rule: Rule, place: Location, first: Location, ndim: int, given: int) -> Diagnostic:
    """The older form `Tensor[ndim=2] with (n, 4)` has another number of dimensions than `ndim=` gives.

    ```relax wrong
    def @main(x: Tensor[ndim=3, float32] with (n, 4)) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor[(n, 4), float32]) -> Tensor {
      x
    }
    ```
    """
    found = rule.at(place, f"a tensor of rank {ndim} does not have {given} dimension{'s' * (given != 1)}")
    return found.label(first, f"`ndim={ndim}`")


@rule("RLX0387", "one-tuple-needs-comma", HINT, "G.12")
def one_tuple_needs_comma(rule: Rule, place: Location, end: int) -> Diagnostic:
    """Parentheses around one struct info change nothing; a tuple of one has a comma.

    ```relax wrong
    def @main(x: (Tensor)) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: (Tensor,)) -> Tensor {
      x[0]
    }
    ```
    """
    found = rule.at(place, "`(A)` is `A`; a tuple of one is `(A,)`")
    return found.fix("make it a tuple", Edit(end - 1, end - 1, ","))


@rule("RLX0388", "fn-type-needs-return", ERROR, "G.13")
def fn_type_needs_return(rule: Rule, place: Location, end: int) -> Diagnostic:
    """A function type includes what the function returns.

    ```relax wrong
    def @main(f: fn(Tensor)) -> Object {
      f
    }
    ```

    ```relax right
    def @main(f: fn(Tensor) -> Object) -> Object {
      f
    }
    ```
    """
    found = rule.at(place, "a function type needs `-> result`")
    return found.fix("add `-> Object`", Edit(end, end, " -> Object"))


@rule("RLX0389", "packed-has-no-signature", ERROR, "G.14")
def packed_has_no_signature(rule: Rule, place: Location) -> Diagnostic:
    """Nothing is known of a packed function's parameters; what a call returns is written on the call.

    ```relax wrong
    def @main(x: Tensor) -> Object {
      let f: PackedFunc(Tensor) -> Tensor = extern "f";
      f(x)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Object {
      let f: PackedFunc = extern "f";
      f(x) -> Tensor
    }
    ```
    """
    return rule.at(place, "PackedFunc has no parameters; use `fn(…) -> …` or put the result on the call")


@rule("RLX0390", "bad-attribute-value", ERROR, "G.35 P.4")
def bad_attribute_value(rule: Rule, place: Location, key: str, kind: str, found: str) -> Diagnostic:
    """The value of an attribute is of the wrong kind.

    Attributes are numbers, strings, booleans, dtypes, `null`, and lists of these, known when the text is read.

    ```relax wrong
    def @main(x: Tensor) -> Object {
      extern "f"(x, pure=3)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Object {
      extern "f"(x, pure=true)
    }
    ```
    """
    return rule.at(place, f"attribute `{key}` must be {kind}, not `{found}`")


@rule("RLX0391", "duplicate-attribute", ERROR, "G.35 OP.4")
def duplicate_attribute(rule: Rule, second: Location, first: Location, key: str) -> Diagnostic:
    """An attribute is given twice.

    ```relax wrong
    def @main() -> () attrs { a: 1, a: 2 } {
      ()
    }
    ```

    ```relax right
    def @main() -> () attrs { a: 1, b: 2 } {
      ()
    }
    ```
    """
    return rule.at(second, f"attribute `{key}` is given twice").label(first, "given here first")
