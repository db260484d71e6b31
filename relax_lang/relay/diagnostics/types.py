"""What is wrong with the types of a Relay program."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, WARNING, Edit, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1070", "relay-mismatch", ERROR, "R.31")
def mismatch(rule: Rule, place: Location, message: str, label: str = "") -> Diagnostic:
    """Two types have to be equal and are not.

    There is no subtyping, and nothing is converted silently: int32 and float32 are different, as are tensors of
    different shapes. Only `?` fits every extent.

    ```relay wrong
    def @main(%x: Tensor[(2), float32]) -> Tensor[(3), float32] { %x }
    ```

    ```relay right
    def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] { %x }
    ```
    """
    return rule.at(place, message, label)


@rule("RLX1071", "relay-arity", ERROR, "R.14 R.17")
def arity(
    rule: Rule,
    place: Location,
    callee: str,
    expected: int,
    found: int,
    attributes: Sequence[tuple[str, int]] = (),
) -> Diagnostic:
    """A function, operator, constructor or pattern has more or fewer parts than it takes.

    ```relay wrong
    def @main(%x: Tensor[(2), float32]) { add(%x) }
    ```

    ```relay right
    def @main(%x: Tensor[(2), float32]) { add(%x, %x) }
    ```
    """
    parts = "1 argument" if expected == 1 else f"{expected} arguments"
    made = rule.at(place, f"{callee} takes {parts}, found {found}")
    if attributes:
        names = [f"`{name}`" for name, _ in attributes]
        made.note(f"{' and '.join(names)} {'is an attribute' if len(names) == 1 else 'are attributes'}")
        edits = [Edit(at, at, f"{name}=") for name, at in attributes]
        made.fix(f"write {', '.join([f'`{name}=…`' for name, _ in attributes])}", *edits)
    return made


@rule("RLX1072", "relay-not-a-function", ERROR, "R.14")
def not_a_function(rule: Rule, place: Location, found: str) -> Diagnostic:
    """Something is called that is not a function.

    ```relay wrong
    def @main(%x: float32) { %x(1f) }
    ```

    ```relay right
    def @main(%f: fn (float32) -> float32) { %f(1f) }
    ```
    """
    return rule.at(place, f"this is called, and it is not a function but {found}")


@rule("RLX1073", "relay-projection", ERROR, "R.13")
def projection(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A field is taken of something that is not a tuple, or that has no such field. Fields are counted from 0.

    Operators with several results, such as `split` and `nn.batch_norm`, give tuples.

    ```relay wrong
    def @main(%x: (float32, float32)) { %x.2 }
    ```

    ```relay right
    def @main(%x: (float32, float32)) { %x.1 }
    ```
    """
    return rule.at(place, message)


@rule("RLX1074", "relay-broadcast", ERROR, "R.34")
def broadcast(rule: Rule, place: Location, message: str) -> Diagnostic:
    """The shapes of two tensors do not go together, element by element.

    Shapes are compared from the right: two extents have to be equal, or one of them 1.

    ```relay wrong
    def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2), float32]) { %x + %y }
    ```

    ```relay right
    def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 1), float32]) { %x + %y }
    ```
    """
    return rule.at(place, message)


@rule("RLX1075", "relay-dtype", ERROR, "R.34")
def dtype(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An operator takes tensors of one dtype, and gets different ones. `cast` converts.

    A whole number in the text is an int32; `2f` is a float32.

    ```relay wrong
    def @main(%x: Tensor[(2), float32]) { %x * 2 }
    ```

    ```relay right
    def @main(%x: Tensor[(2), float32]) { %x * 2f }
    ```
    """
    return rule.at(place, message)


@rule("RLX1076", "relay-operator-shape", ERROR, "R.34")
def operator_shape(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An operator does not take tensors of these shapes.

    ```relay wrong
    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 5), float32]) { nn.dense(%x, %w, units=4) }
    ```

    ```relay right
    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(4, 3), float32]) { nn.dense(%x, %w, units=4) }
    ```
    """
    return rule.at(place, message)


@rule("RLX1077", "relay-kind", ERROR, "R.35")
def kind(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A type is put together wrongly: arguments are missing, or something else is where a dtype belongs.

    Elements of tensors have dtypes, extents are numbers, `?` or parameters of the kind `ShapeVar`; a type of the module
    takes exactly its arguments, in brackets.

    ```relay wrong
    type List[A] { Cons(A, List[A]), Nil }
    def @main(%x: List) { %x }
    ```

    ```relay right
    type List[A] { Cons(A, List[A]), Nil }
    def @main(%x: List[int32]) { %x }
    ```
    """
    return rule.at(place, message)


@rule("RLX1078", "relay-infinite-type", ERROR, "R.31")
def infinite_type(rule: Rule, place: Location, inside: str) -> Diagnostic:
    """A type would have to hold itself.

    A function that is applied to itself has no type; a type of the module can be recursive.

    ```relay wrong
    def @main() { fn (%f) { %f(%f) } }
    ```

    ```relay right
    def @main() { fn (%f: fn (int32) -> int32) { %f(%f(1)) } }
    ```
    """
    return rule.at(place, f"the type of this would have to hold itself: it is a part of {inside}")


@rule("RLX1079", "relay-under-constrained", ERROR, "R.32")
def under_constrained(rule: Rule, place: Location, operator: str, argument: str) -> Diagnostic:
    """The types of an operator's arguments are not known, so that its result is not known either.

    Types are inferred from what is written around a variable. Where nothing determines what a parameter is, it needs an
    annotation.

    ```relay wrong
    def @main(%x, %y) { add(%x, %y) }
    ```

    ```relay right
    def @main(%x: Tensor[(2), float32], %y: Tensor[(2), float32]) { add(%x, %y) }
    ```
    """
    return rule.at(place, f"nothing determines what {argument} of `{operator}` is")


@rule("RLX1080", "relay-not-exhaustive", ERROR, "R.17")
def not_exhaustive(rule: Rule, place: Location, missing: Sequence[str], more: int) -> Diagnostic:
    """A `match` leaves out values that its scrutinee may have.

    Every value has to fit a pattern; `_` fits all. `match?` may leave cases out, and fails when the program meets one.

    ```relay wrong
    type Nat { Z, S(Nat) }
    def @main(%n: Nat) -> Nat { match (%n) { S(%m) => %m } }
    ```

    ```relay right
    type Nat { Z, S(Nat) }
    def @main(%n: Nat) -> Nat { match (%n) { S(%m) => %m, Z => Z } }
    ```
    """
    cases = ", ".join([f"`{one}`" for one in missing])
    rest = f", and {more} more" if more else ""
    return rule.at(place, f"this match leaves out {cases}{rest}").helped(
        "add the cases, or `_ => …` for all others"
    )


@rule("RLX1081", "relay-unreachable-clause", WARNING, "R.17")
def unreachable_clause(rule: Rule, place: Location) -> Diagnostic:
    """A clause of a `match` is never used: the clauses above it take every value that it would.

    Clauses are tried in order.

    ```relay wrong
    type Nat { Z, S(Nat) }
    def @main(%n: Nat) -> Nat { match (%n) { _ => %n, S(%m) => %m } }
    ```

    ```relay right
    type Nat { Z, S(Nat) }
    def @main(%n: Nat) -> Nat { match (%n) { S(%m) => %m, _ => %n } }
    ```
    """
    return rule.at(place, "this clause is never used: those above take every value that fits it")


@rule("RLX1082", "relay-not-supported", ERROR, "R.33")
def not_supported(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An operator is used in a way that is not supported: with such a mode, layout, or extents that are not known.

    The text is read and formatted all the same.

    ```relay wrong
    def @main(%x: Tensor[(1, 2, 3, ?), float32]) { nn.space_to_depth(%x, block_size=1) }
    ```

    ```relay right
    def @main(%x: Tensor[(1, 2, 3, 3), float32]) { nn.space_to_depth(%x, block_size=1) }
    ```
    """
    return rule.at(place, message)
