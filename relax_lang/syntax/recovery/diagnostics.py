"""The parser's diagnostics that need a whole item: what its error productions find out at its end."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0116", "reassigned-variable", ERROR, "S.10 TIR.16")
def reassigned_variable(
    rule: Rule, place: Location, name: str, bound: Location | None, why: str
) -> Diagnostic:
    """A statement assigns to a name that is bound already.

    Values never change, and neither does what a name is bound to. An `if` has a value: what differs between its
    branches is bound to that value. Where statements follow each other in one block, `let` binds the name anew. In a
    PrimFunc only elements of buffers are stored to: what accumulates is kept in one; `alloc` makes a buffer of rank 0.

    ```relax wrong
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let y = x;
      if c { y = add(x, x); }
      y
    }
    ```

    ```relax right
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let y = x;
      let y = if c { add(x, x) } else { y };
      y
    }
    ```

    ```relax wrong
    prim_func @sum(A: Buffer[(n,), float32], S: Buffer[(), float32]) {
      let s: float32 = 0.0;
      for i in 0..n {
        s = s + A[i];
      }
      S[()] = s;
    }
    ```

    ```relax right
    prim_func @sum(A: Buffer[(n,), float32], S: Buffer[(), float32]) {
      S[()] = 0.0;
      for i in 0..n {
        S[()] += A[i];
      }
    }
    ```
    """
    found = rule.at(place, f"`{name}` {why}", "assigned here")
    return found if bound is None else found.label(bound, f"`{name}` is bound here")
