"""What is wrong with types and calls in a PrimFunc: one function per diagnostic, codes RLX0707-10. [TIR.4-TIR.7]"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Edit, rule
from relax_lang.base.names import misspelled
from relax_lang.base.wording import counted
from relax_lang.ops.core.diagnostics.calls import arity as _arity
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INT_RANGES
from relax_lang.syntax.vocabulary import foreign_functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic, Rule
    from relax_lang.base.node import Node


def arity(call: tree.PrimCall, name: str, takes: int, given: int) -> Diagnostic:
    """Report a function called with too many or too few arguments, by the rule of operators. [TIR.7]"""
    found = _arity(
        call, f"`{name}` takes {counted(takes, 'argument')}, {given} {'is' if given == 1 else 'are'} given"
    )
    if name in ("min", "max") and given > takes and call.pos >= 0:  # of several: one call in the other
        opening = [Edit(call.pos, call.pos, f"{name}(" * (given - takes))]
        closing = [Edit(one.end, one.end, ")") for one in call.args[1:-1]]
        found.fix(f"call `{name}` of two at a time", *opening, *closing, applicability=SAFE)
    return found


@rule("RLX0707", "tir-index-not-integer", ERROR, "TIR.4")
def index_not_integer(rule: Rule, index: Node, dtype: str, what: str = "an index") -> Diagnostic:
    """An index, a dimension or the bound of a loop is not an integer.

    ```relax wrong
    prim_func @pick(X: Buffer[(4,), float32], P: Buffer[(), float32], Y: Buffer[(), float32]) {
      Y[()] = X[P[()]];
    }
    ```

    ```relax right
    prim_func @pick(X: Buffer[(4,), float32], P: Buffer[(), float32], Y: Buffer[(), float32]) {
      Y[()] = X[cast(P[()], int64)];
    }
    ```
    """
    found = rule.at(index, f"{what} is an integer, not {dtype}", f"this is {dtype}")
    return _cast(found, index, "int64") if dtype != "bool" else found


@rule("RLX0708", "tir-dtype-mismatch", ERROR, "TIR.5 TIR.16")
def dtype_mismatch(
    rule: Rule,
    place: Node,
    message: str,
    narrow: Node | None,
    dtype: str,
    labels: Iterable[tuple[Node, str]] = (),
) -> Diagnostic:
    """Two types meet that differ, or an operation does not take the type it is given.

    Nothing is converted silently: both operands of an operator have one type, and so have a store and its
    buffer. Write `cast(e, dtype)` where a conversion is meant. A literal without a type takes the type of the
    other operand; loop variables and dimensions are int64.

    ```relax wrong
    prim_func @count(Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = i;
      }
    }
    ```

    ```relax right
    prim_func @count(Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = cast(i, int32);
      }
    }
    ```
    """
    found = rule.at(place, message)
    for labelled, text in labels:
        found.label(labelled, text)
    return _cast(found, narrow, dtype) if narrow is not None else found


def wrong_operands(
    place: Node, message: str, operands: Sequence[Node], dtype: str, labels: Iterable[tuple[Node, str]]
) -> Diagnostic:
    """Report operands of a type that an operation does not take, by the rule of types that differ. [TIR.5]

    `operands` are cast to `dtype`; there are none where no cast is right.
    """
    found = dtype_mismatch(place, message, None, "", labels)
    if not operands:
        return found
    edits = [edit for operand in operands for edit in cast_edits(operand, dtype)]
    return found.fix(cast_title(operands[0], dtype), *edits, applicability=UNSAFE)


def stored_mismatch(
    place: Node,
    pair: tuple[str, str],
    value: Node,
    operands: Sequence[Node],
    labels: Iterable[tuple[Node, str]],
) -> Diagnostic:
    """Report a value that is stored where another type is declared, by the rule of types that differ. [TIR.5]

    `operands` are those of arithmetic on integers whose result is to be a float: to convert them is another
    computation than to convert the result, and the likelier one.
    """
    dtype, found = pair
    message = f"expected {dtype}, found {found}"
    if not operands:
        return dtype_mismatch(place, message, value, dtype, labels)
    made = dtype_mismatch(place, message, None, dtype, labels)
    edits: list[Edit] = []
    for one in operands:
        edits += [Edit(one.pos, one.pos, "cast("), Edit(one.end, one.end, f", {dtype})")]
    what = "the operand" if len(operands) == 1 else "the operands"
    made.fix(f"convert {what} to {dtype}, and compute with floats", *edits, applicability=UNSAFE)
    whole = Edit(value.pos, value.pos, "cast("), Edit(value.end, value.end, f", {dtype})")
    return made.fix(f"compute with integers, and convert the result to {dtype}", *whole, applicability=UNSAFE)


@rule("RLX0709", "tir-condition-not-bool", ERROR, "TIR.6")
def condition_not_bool(rule: Rule, condition: Node, dtype: str, negated: Node | None = None) -> Diagnostic:
    """A condition is not a bool.

    Numbers are not taken for truth values: compare them.

    ```relax wrong
    prim_func @mask(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {
      for i in 0..n {
        if X[i] {
          Y[i] = 1;
        }
      }
    }
    ```

    ```relax right
    prim_func @mask(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {
      for i in 0..n {
        if X[i] != 0 {
          Y[i] = 1;
        }
      }
    }
    ```
    """
    found = rule.at(condition, f"a condition is bool, not {dtype}", f"this is {dtype}")
    if negated is not None:
        edits = Edit(negated.pos, condition.pos, ""), Edit(condition.end, negated.end, " == 0")
        return found.fix("compare it with 0", *edits, applicability=UNSAFE)
    return found.fix("compare it with 0", Edit(condition.end, condition.end, " != 0"), applicability=UNSAFE)


@rule("RLX0710", "tir-unknown-intrinsic", ERROR, "TIR.7")
def unknown_intrinsic(
    rule: Rule,
    call: tree.PrimCall,
    written: tuple[str, ...] | None,
    known: Iterable[str],
    buffer: Node | None = None,
    computed: Container[str] = (),
) -> Diagnostic:
    """There is no such function in PrimFunc expressions.

    What other notations write as functions may be an operator here: `a // b` for `floordiv(a, b)`.

    ```relax wrong
    prim_func @softplus(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = log1q(exp(X[i]));
      }
    }
    ```

    ```relax right
    prim_func @softplus(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = log1p(exp(X[i]));
      }
    }
    ```
    """
    name = call.name
    place = (call.pos, call.pos + len(name)) if call.pos >= 0 else call
    if written is not None:
        found = rule.at(place, f"there is no intrinsic `{name}`", "not found")
        form, edits = foreign_functions.other_form(call, written)
        return (
            found.fix(f"write `{form}`", *edits, applicability=UNSAFE)
            if edits
            else found.helped(f"write `{form}`")
        )
    if buffer is not None:
        found = rule.at(place, f"`{name}` is a buffer, whose elements are indexed in brackets: `{name}[…]`")
        found.label(buffer, "declared here")
        if not call.args or call.pos < 0:
            return found
        edits = Edit(call.pos + len(name), call.args[0].pos, "["), Edit(call.args[-1].end, call.end, "]")
        return found.fix("use brackets", *edits, applicability=UNSAFE)
    found = rule.at(place, f"there is no intrinsic `{name}`", "not found")
    if name[-1:] in ("f", "l", "h") and name[:-1] in known:  # of C: `sqrtf`
        return found.replace(place, name[:-1], f"write `{name[:-1]}`")
    near = misspelled(name, known) if name not in computed else ()
    return found.helped(f"did you mean `{near[0]}`?") if near else found


def no_length(call: tree.PrimCall, extent: tree.PrimExpr) -> Diagnostic:
    """Report `len(A)`, by the rule of functions that do not exist: the extent has a name. [TIR.7]"""
    from relax_lang.format.printer import show

    text = show(extent)
    return unknown_intrinsic(call, None, ()).replace(call, text, f"write `{text}`, the first extent")


def cast_edits(expr: Node, dtype: str) -> list[Edit]:
    """Return the edits that wrap an expression in a cast, or write `true` and `false` as numbers."""
    if isinstance(expr, tree.BoolImm):
        return [Edit(expr.pos, expr.end, _as_number(expr, dtype))]
    return [Edit(expr.pos, expr.pos, "cast("), Edit(expr.end, expr.end, f", {dtype})")]


def cast_title(expr: Node, dtype: str) -> str:
    """Return what `cast_edits` makes, as the title of a fix."""
    return (
        f"write `{_as_number(expr, dtype)}`"
        if isinstance(expr, tree.BoolImm)
        else f"write `cast(…, {dtype})`"
    )


def _as_number(expr: tree.BoolImm, dtype: str) -> str:
    return str(int(expr.value)) if dtype in INT_RANGES else f"{int(expr.value)}.0"


def _cast(found: Diagnostic, expr: Node, dtype: str) -> Diagnostic:
    return found.fix(cast_title(expr, dtype), *cast_edits(expr, dtype), applicability=UNSAFE)
