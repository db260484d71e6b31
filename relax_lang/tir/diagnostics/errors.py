"""What is wrong with a PrimFunc: one function per diagnostic, codes RLX07xx. [TIR.*]"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, RULES, SAFE, UNSAFE, Edit, Rule, rule
from relax_lang.base.names import nearest
from relax_lang.base.wording import counted
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.words import NOT_FINITE, literal_of_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.base.node import Node


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


BOTH_SIDES = "`select` computes both of its values; `if_then_else` computes only the one that is chosen"


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
    give `h` its value.

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
    `opaque`. `spatial(i, 0..n)` declares that the axis runs over 0..n, which the loops around have to keep to.

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
    written = literal_of_python(name, None) or NOT_FINITE.get(name)
    if written is not None and name not in known:
        found = rule.at(use, f"`{name}` is not defined; it is written `{written}`", "not found here")
        return found.replace(use, written, f"write `{written}`", SAFE)
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
    indices = counted(given, "index", "indices")
    message = f"`{buffer}` has {counted(rank, 'dimension')}, {indices} {'is' if given == 1 else 'are'} given"
    place: Location = access
    if isinstance(access, tree.BufferStore) and access.indices:
        place = access.buffer.pos, access.indices[-1].end + 1
    found = rule.at(place, message, indices)
    found.label(declared, f"{counted(rank, 'dimension')} here")
    if rank == 0 and isinstance(access, tree.BufferLoad | tree.BufferStore):
        edit = Edit(access.buffer.end, access.indices[-1].end, "[()")
        return found.fix(f"write `{buffer}[()]`", edit)
    return found.helped(f"write `{buffer}[()]`") if rank == 0 else found


@rule("RLX0706", "tir-buffer-use", ERROR, "TIR.3")
def buffer_use(rule: Rule, use: Node, name: str, rank: int | None, declared: Node) -> Diagnostic:
    """A buffer is used where a number is needed, or something that is not a buffer is indexed.

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
        return rule.at(use, f"`{name}` is not a buffer", "cannot be indexed").label(declared, "declared here")
    found = rule.at(use, f"`{name}` is a buffer; index it", "needs an index").label(declared, "declared here")
    return found.helped(f"write `{name}[()]`") if rank == 0 else found


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
        rule.at(store, f"`{name}` is not a buffer of this function", "not found here"), store, name, known
    )


@rule("RLX0724", "tir-misplaced-jump", ERROR, "TIR.15")
def misplaced_jump(rule: Rule, place: Node, word: str, why: str, around: Node | None) -> Diagnostic:
    """A `break` or `continue` is where no loop can end early.

    Both belong to the innermost loop. A block is one step of the loops around it and cannot end them, and `break`
    needs iterations that run one after the other.

    ```relax wrong
    prim_func @first(X: Buffer[(n,), float32], Y: Buffer[(), float32]) {
      Y[()] = 0.0;
      for parallel i in 0..n {
        if X[i] > 0.0 {
          Y[()] = X[i];
          break;
        }
      }
    }
    ```

    ```relax right
    prim_func @first(X: Buffer[(n,), float32], Y: Buffer[(), float32]) {
      Y[()] = 0.0;
      for i in 0..n {
        if X[i] > 0.0 {
          Y[()] = X[i];
          break;
        }
      }
    }
    ```
    """
    found = rule.at(place, f"`{word}` ends no loop here: {why}")
    if around is not None:
        start = around.pos
        found.label((start, start + (5 if type(around).__name__ == "Block" else 3)), "around it")
    return found


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


def _suggest(found: Diagnostic, use: Node, name: str, known: Iterable[str]) -> Diagnostic:
    """Offer the nearest known name."""
    near = nearest(name, known)
    if near is None or (len(near) == 1 < len(name)):  # `Bj` is not a misspelt `j`
        return found
    found.message += f" (nearest: `{near}`)"
    return found.replace(use, near, f"write `{near}`", applicability=UNSAFE)
