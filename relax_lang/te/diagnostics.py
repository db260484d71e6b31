"""Diagnostics about tensor expressions, at the line of Python that builds them: RLX1301 and RLX1302."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1301", "te-dtype", ERROR, "TIR.5")
def te_dtype(rule: Rule, place: Location, message: str) -> Diagnostic:
    """The operands of a tensor expression do not have the dtypes that it takes.

    Tensor expressions have the dtypes of PrimFuncs: every expression has one, operands have the same, and nothing
    is converted silently. A Python number takes the dtype of the other operand. `te.cast` converts.

    ```python wrong
    te.compute(x.shape, lambda i: x[i] * n)
    ```

    ```python right
    te.compute(x.shape, lambda i: x[i] * te.cast(n, x.dtype))
    ```
    """
    return rule.at(place, message)


@rule("RLX1302", "te-expression", ERROR)
def te_expression(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A tensor expression is built of something that cannot be part of it, or in a way that has no meaning.

    Expressions are built when Python runs, and computed later: no value is known to Python, so `if` and `max` of
    Python cannot look at one. Reductions are the whole body of a `te.compute`, and tensors are read by one index for
    each dimension.

    ```python wrong
    te.compute(x.shape, lambda i: x[i] if x[i] > 0.0 else 0.0)
    ```

    ```python right
    te.compute(x.shape, lambda i: te.select(x[i] > 0.0, x[i], 0.0))
    ```
    """
    return rule.at(place, message)


def dtypes_differ(place: Location, what: str, a: tuple[str, str], b: tuple[str, str]) -> Diagnostic:
    """Two operands have two dtypes."""
    message = f"`{what}`: `{a[0]}` is {a[1]}, `{b[0]}` is {b[1]}"
    return te_dtype(place, message).helped(f"convert one of them: `te.cast(…, {a[1]!r})`")


def fraction_for_integer(place: Location, literal: str, dtype: str) -> Diagnostic:
    """A fraction is combined with an integer."""
    return te_dtype(place, f"the fraction `{literal}` has no value in {dtype}")


def unknown_dtype(place: Location, name: object) -> Diagnostic:
    """There is no dtype of a name."""
    from relax_lang.base.names import nearest
    from relax_lang.syntax.dtypes import DTYPES

    close = nearest(name, DTYPES) if isinstance(name, str) else None
    made = te_dtype(place, f"{name!r} is not a dtype")
    return made.helped(f"there is {close!r}" if close else "dtypes are strings such as 'float32' and 'int64'")


def not_a_condition(place: Location, shown: str, dtype: str) -> Diagnostic:
    """A condition is of another dtype than bool."""
    return te_dtype(place, f"a condition is bool, `{shown}` is {dtype}")


def not_a_number_type(place: Location, what: str) -> Diagnostic:
    """Arithmetic on bools."""
    return te_dtype(place, f"`{what}` takes numbers, not bool").helped("use `&`, `|` and `^`, or `te.cast`")


def integer_quotient(place: Location, dtype: str) -> Diagnostic:
    """`/` of integers, which Python and PrimFuncs read differently."""
    return te_dtype(place, f"`/` takes floats, not {dtype}").helped(
        "`//` rounds down, `te.truncdiv` towards zero"
    )


def wrong_argument_type(place: Location, name: str, takes: str, dtype: str) -> Diagnostic:
    """A function of PrimFunc expressions does not take a dtype."""
    return te_dtype(place, f"`{name}` takes {takes}, not {dtype}")


def not_scalar(place: Location, value: object) -> Diagnostic:
    """Something is not a scalar expression."""
    kind = type(value).__name__
    made = te_expression(place, f"a scalar expression is needed, not a value of type {kind}")
    if kind == "Reduction":
        return made.helped("a reduction is the whole body of a `te.compute`: read its result in another one")
    return made.helped("read an element: `x[i, j]`") if kind == "Tensor" else made


def no_truth_value(place: Location, shown: str) -> Diagnostic:
    """Python asks whether an expression is true."""
    made = te_expression(place, f"whether `{shown}` holds is not known while the expression is built")
    return made.helped("use `te.select`, `&`, `|` and `~`, `te.minimum` and `te.maximum`")


def not_a_number(place: Location, shown: str) -> Diagnostic:
    """Python asks for the value of an expression."""
    return te_expression(place, f"the value of `{shown}` is not known while the expression is built")


def bad_name(place: Location, name: object) -> Diagnostic:
    """A shape variable has a name that is none."""
    return te_expression(place, f"{name!r} is not a name of a dimension").helped(
        "names are identifiers, such as 'n'"
    )


def wrong_rank(place: Location, name: str, rank: int, given: int) -> Diagnostic:
    """A tensor is read by too many or too few indices."""
    from relax_lang.base.wording import counted

    return te_expression(
        place, f"`{name}` has {counted(rank, 'dimension')}, {counted(given, 'index', 'indices')} given"
    )


def wrong_parameters(place: Location, wanted: int, problem: str) -> Diagnostic:
    """The function of a compute takes another number of axes."""
    return te_expression(
        place, f"the function of a compute over {wanted} axes cannot be called so: {problem}"
    )


def bad_result(place: Location, value: object) -> Diagnostic:
    """The function of a compute returns something else than expressions."""
    kind = type(value).__name__
    return te_expression(place, f"the function of a compute returns an expression or a reduction, not {kind}")


def not_a_tensor(place: Location, value: object, what: str) -> Diagnostic:
    """Something is not a tensor."""
    return te_expression(
        place, f"{what} must be a tensor of `te`, not a value of type {type(value).__name__}"
    )


def not_a_dimension(place: Location, shown: str, dtype: str) -> Diagnostic:
    """An extent is not an int64."""
    return te_expression(place, f"an extent is an int64, `{shown}` is {dtype}")


def bad_reduction(place: Location, problem: str) -> Diagnostic:
    """A reduction over nothing, or over something that is not an axis."""
    return te_expression(place, problem)


def local_name_escapes(place: Location, name: str) -> Diagnostic:
    """An axis is used outside of its compute."""
    return te_expression(place, f"the axis `{name}` is used outside of the `te.compute` that it belongs to")


def bad_argument(place: Location, problem: str) -> Diagnostic:
    """An operator of `topi` cannot work with its arguments."""
    return te_expression(place, problem)
