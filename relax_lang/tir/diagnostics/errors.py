"""What is wrong with a PrimFunc: one function per diagnostic, codes RLX07xx. [TIR.*]"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, RULES, UNSAFE, Edit, Rule, rule
from relax_lang.base.names import nearest
from relax_lang.base.wording import counted
from relax_lang.ops.core.diagnostics import arity as _arity
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


def arity(call: Node, name: str, takes: int, given: int) -> Diagnostic:
    """Report a function called with too many or too few arguments, by the rule of operators. [TIR.7]"""
    return _arity(call, f"`{name}` takes {counted(takes, 'argument')}, {given} {_is(given)} given")


def duplicate_parameter(param: Node, name: str, earlier: Node) -> Diagnostic:
    """Report a parameter name that occurs twice, by the rule that the parameters of functions have. [TIR.1]

    That rule is declared by the package that resolves names, which this one does not import.
    """
    slug = "duplicate-parameter"
    declared = RULES.get(slug) or Rule("RLX0200", slug, ERROR, "S.9 TIR.1", "")
    return declared.at(param, f"parameter `{name}` occurs twice", "again here").label(earlier, "first here")


def negative_dimension(dim: Node, position: int, text: str, value: str, when: str) -> Diagnostic:
    """Report an allocation with a dimension below zero, by the rule that shapes have. [V.9]

    That rule is declared by the package that resolves names, which this one does not import.
    """
    slug = "negative-dimension"
    declared = RULES.get(slug) or Rule("RLX0905", slug, ERROR, "V.9 X.5", "")
    return declared.at(dim, f"dimension {position} (`{text}`) is {value}", f"is {value}{when}")


@rule("RLX0701", "tir-out-of-bounds", ERROR, "TIR.8")
def out_of_bounds(
    rule: Rule,
    index: Node,
    text: str,
    reached: tuple[str, str],
    position: int,
    buffer: tuple[str, str, Node],
    example: str,
) -> Diagnostic:
    """An index goes past the end of its buffer, or below 0.

    A loop that reads or writes outside a buffer has no meaning, so it never runs. What is proved for all sizes
    is reported here, with the iteration at which it happens; loops are taken to run at least once. The rest is
    checked while the program runs.

    ```relax wrong
    prim_func @shift(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i + 1];
      }
    }
    ```

    ```relax right
    prim_func @shift(X: Buffer[(n + 1,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i + 1];
      }
    }
    ```
    """
    value, when = reached
    name, extent, declared = buffer
    iteration = f" ({when.strip()})" if when else ""
    message = f"index `{text}` reaches {value}, dimension {position} of `{name}` has {extent}{iteration}"
    found = rule.at(index, message, f"reaches {value}{when}")
    found.label(declared, f"dimension {position} has {extent}")
    return found.note(example) if example else found


@rule("RLX0702", "tir-unbound-dim", ERROR, "TIR.1")
def unbound_dim(rule: Rule, use: Node, name: str, known: Iterable[str]) -> Diagnostic:
    """A dimension of a parameter uses a name that no buffer gives a value.

    A name gets its value where it stands alone as a dimension of some buffer parameter; `h - 2` alone cannot
    tell `h`.

    ```relax wrong
    prim_func @tail(Y: Buffer[(h - 2,), float32]) {
      for i in 0..h - 2 {
        Y[i] = 0.0;
      }
    }
    ```

    ```relax right
    prim_func @tail(X: Buffer[(h,), float32], Y: Buffer[(h - 2,), float32]) {
      for i in 0..h - 2 {
        Y[i] = X[i + 2];
      }
    }
    ```
    """
    found = rule.at(use, f"`{name}` is bound by no buffer", "has no value")
    return _suggest(found, use, name, known).note(
        "a dimension is bound where its name stands alone: `Buffer[(n, m), float32]` binds `n` and `m`"
    )


@rule("RLX0703", "tir-block-axis", ERROR, "TIR.9")
def block_axis(
    rule: Rule, axis: Node, name: str, why: str, other: Node | None = None, about: str = "first here"
) -> Diagnostic:
    """The axis of a block is wrong: its kind is unknown, its name occurs twice, or it leaves its domain.

    The kinds are `spatial` (instances are independent), `reduce` (instances are combined), `scan` and
    `opaque`. `spatial(i, 0..n)` says that the axis runs over 0..n, which the loops around have to keep to.

    ```relax wrong
    prim_func @copy(X: Buffer[(4,), float32], Y: Buffer[(4,), float32]) {
      for i in 0..4 {
        block copy (v = parallel(i)) {
          Y[v] = X[v];
        }
      }
    }
    ```

    ```relax right
    prim_func @copy(X: Buffer[(4,), float32], Y: Buffer[(4,), float32]) {
      for i in 0..4 {
        block copy (v = spatial(i)) {
          Y[v] = X[v];
        }
      }
    }
    ```
    """
    found = rule.at(axis, f"axis `{name}`: {why}", why)
    return found.label(other, about) if other is not None else found


@rule("RLX0704", "tir-undefined-variable", ERROR, "TIR.2")
def undefined_variable(rule: Rule, use: Node, name: str, known: Iterable[str]) -> Diagnostic:
    """A name is not defined where it is used.

    Parameters, dimension names, loop variables, `let`, `alloc` and block axes are visible from where they are
    declared to the end of their `{ }`.

    ```relax wrong
    prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[j];
      }
    }
    ```

    ```relax right
    prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }
    ```
    """
    return _suggest(rule.at(use, f"`{name}` is not defined", "not found here"), use, name, known)


@rule("RLX0705", "tir-rank-mismatch", ERROR, "TIR.3")
def rank_mismatch(rule: Rule, access: Node, buffer: str, rank: int, given: int, declared: Node) -> Diagnostic:
    """A buffer is read or written with too many or too few indices.

    Every dimension takes one index; a buffer of rank 0 is written `B[()]`.

    ```relax wrong
    prim_func @first(X: Buffer[(n, m), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }
    ```

    ```relax right
    prim_func @first(X: Buffer[(n, m), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i, 0];
      }
    }
    ```
    """
    message = f"`{buffer}` has {counted(rank, 'dimension')}, {counted(given, 'index', 'indices')} {_is(given)} given"
    found = rule.at(access, message, f"{counted(given, 'index', 'indices')}")
    found.label(declared, f"{counted(rank, 'dimension')} here")
    return found.helped(f"write `{buffer}[()]`") if rank == 0 else found


@rule("RLX0706", "tir-buffer-use", ERROR, "TIR.3")
def buffer_use(rule: Rule, use: Node, name: str, rank: int | None, declared: Node) -> Diagnostic:
    """A buffer stands where a number is needed, or something that is no buffer is indexed.

    Expressions work on single elements: `X[i]`, not `X`. Only `call_extern` takes whole buffers.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X * 2.0;
      }
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * 2.0;
      }
    }
    ```
    """
    if rank is None:
        return rule.at(use, f"`{name}` is no buffer", "cannot be indexed").label(declared, "declared here")
    found = rule.at(use, f"`{name}` is a buffer; index it", "needs an index").label(declared, "declared here")
    return found.helped(f"write `{name}[()]`") if rank == 0 else found


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
    if not operands:
        return dtype_mismatch(place, f"{dtype} and {found}", value, dtype, labels)
    made = dtype_mismatch(place, f"{dtype} and {found}", None, dtype, labels)
    edits: list[Edit] = []
    for one in operands:
        edits += [Edit(one.pos, one.pos, "cast("), Edit(one.end, one.end, f", {dtype})")]
    what = "the operand" if len(operands) == 1 else "the operands"
    made.fix(f"convert {what} to {dtype}, and compute with floats", *edits, applicability=UNSAFE)
    whole = Edit(value.pos, value.pos, "cast("), Edit(value.end, value.end, f", {dtype})")
    return made.fix(f"compute with integers, and convert the result to {dtype}", *whole, applicability=UNSAFE)


@rule("RLX0709", "tir-condition-not-bool", ERROR, "TIR.6")
def condition_not_bool(rule: Rule, condition: Node, dtype: str) -> Diagnostic:
    """A condition is no bool.

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
    return found.fix("compare it with 0", Edit(condition.end, condition.end, " != 0"), applicability=UNSAFE)


@rule("RLX0710", "tir-unknown-intrinsic", ERROR, "TIR.7")
def unknown_intrinsic(
    rule: Rule, call: tree.PrimCall, written: tuple[str, ...] | None, known: Iterable[str]
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
        return _rewritten(rule.at(place, f"there is no intrinsic `{name}`", "not found"), call, written)
    near = nearest(name, known)
    if near is None:
        return rule.at(place, f"there is no intrinsic `{name}`", "not found")
    found = rule.at(place, f"there is no intrinsic `{name}` (nearest: `{near}`)", "not found")
    return found.replace(place, near, f"write `{near}`")


def _rewritten(found: Diagnostic, call: tree.PrimCall, written: tuple[str, ...]) -> Diagnostic:
    """Offer what the language writes for a call: other text around the same arguments."""
    count = len(written) - 1
    names = ("x", "dtype") if written[0] == "cast(" else ("x",) if count == 1 else ("c", "a", "b")[-count:]
    form = written[0] + "".join([name + text for name, text in zip(names, written[1:], strict=True)])
    if len(call.args) != count or call.pos < 0:
        return found.helped(f"write `{form}`")
    operator = not written[0][:1].isalpha()
    texts = [f"({written[0]}", *written[1:-1], f"{written[-1]})"] if operator else list(written)
    if operator:  # what binds looser than an operator is put in parentheses
        for at, argument in enumerate(call.args):
            if argument.CHILDREN and not isinstance(argument, tree.BufferLoad | tree.PrimCall | tree.IntImm):
                texts[at] += "("
                texts[at + 1] = ")" + texts[at + 1]
    ends = [call.pos, *[argument.end for argument in call.args]]
    starts = [*[argument.pos for argument in call.args], call.end]
    edits = [Edit(end, start, text) for end, start, text in zip(ends, starts, texts, strict=True)]
    return found.fix(f"write `{form}`", *edits, applicability=UNSAFE)


@rule("RLX0711", "tir-store-to-undeclared", ERROR, "TIR.11")
def store_to_undeclared(
    rule: Rule, store: Node, name: str, writes: Node | None, known: Iterable[str]
) -> Diagnostic:
    """A store goes to a buffer that is not there, or that the block does not list in `writes`.

    ```relax wrong
    prim_func @zero(Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Z[i] = 0.0;
      }
    }
    ```

    ```relax right
    prim_func @zero(Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = 0.0;
      }
    }
    ```
    """
    if writes is not None:
        return rule.at(store, f"`{name}` is not in `writes`", "written here").label(
            writes, "this block lists what it writes"
        )
    return _suggest(
        rule.at(store, f"`{name}` is no buffer of this function", "not found here"), store, name, known
    )


@rule("RLX0712", "tir-division-by-zero", ERROR, "TIR.14")
def division_by_zero(rule: Rule, division: Node, divisor: Node) -> Diagnostic:
    """An integer is divided by zero.

    ```relax wrong
    prim_func @half(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = X[i] // 0;
      }
    }
    ```

    ```relax right
    prim_func @half(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {
      for i in 0..n {
        Y[i] = X[i] // 2;
      }
    }
    ```
    """
    return rule.at(division, "division by zero").label(divisor, "this is 0")


@rule("RLX0713", "tir-runtime-bounds", ERROR, "TIR.8")
def runtime_bounds(
    rule: Rule, access: Node, index: int, position: int, buffer: str, extent: int
) -> Diagnostic:
    """While a PrimFunc ran, an index went outside its buffer.

    ```relax wrong
    prim_func @pick(X: Buffer[(n,), float32], I: Buffer[(m,), int64], Y: Buffer[(m,), float32]) {
      for i in 0..m {
        Y[i] = X[I[i]];
      }
    }
    ```

    ```relax right
    prim_func @pick(X: Buffer[(n,), float32], I: Buffer[(m,), int64], Y: Buffer[(m,), float32]) {
      for i in 0..m {
        Y[i] = if_then_else(I[i] >= 0 && I[i] < n, X[I[i]], 0.0);
      }
    }
    ```
    """
    return rule.at(
        access,
        f"index {index} outside dimension {position} of `{buffer}` (0..{extent})",
        "read or written here",
    )


def _cast(found: Diagnostic, expr: Node, dtype: str) -> Diagnostic:
    """Offer to wrap an expression in a cast."""
    edits = Edit(expr.pos, expr.pos, "cast("), Edit(expr.end, expr.end, f", {dtype})")
    return found.fix(f"write `cast(…, {dtype})`", *edits, applicability=UNSAFE)


def _suggest(found: Diagnostic, use: Node, name: str, known: Iterable[str]) -> Diagnostic:
    """Offer the nearest known name."""
    near = nearest(name, known)
    if near is None:
        return found
    found.message += f" (nearest: `{near}`)"
    return found.replace(use, near, f"write `{near}`", applicability=UNSAFE)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
