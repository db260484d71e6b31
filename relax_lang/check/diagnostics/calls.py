"""Diagnostics of calls: recursion, unused results, written inputs: RLX0308, RLX0309, RLX0545, RLX0604."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, WARNING, rule
from relax_lang.format.lexemes import global_name, local_name, operator_name
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0308", "recursive-fn-needs-return-annotation", ERROR, "W.7 T.K10.4 S.2 ERR.12")
def recursive_fn_needs_return_annotation(rule: Rule, name: Location, shown: str, cycle: str) -> Diagnostic:
    """A function that calls itself, directly or through others, does not declare what it returns.

    What a function returns follows from its body, and here the body needs to know it first. Every function of
    the cycle declares it in its signature; a local function may also have the type on the variable it is bound to.

    ```relax wrong
    def @count(i: Tensor[(), int32]) {
      if i == 0 { i } else { @count(i - 1) }
    }
    ```

    ```relax right
    def @count(i: Tensor[(), int32]) -> Tensor[(), int32] {
      if i == 0 { i } else { @count(i - 1) }
    }
    ```
    """
    found = rule.at(name, f"`{shown}` is recursive ({cycle}) and needs `-> S`", "does not declare its result")
    return found.helped("write what it returns, `-> Object` if nothing is known")


@rule("RLX0309", "type-args-ignored", WARNING, "G.31")
def type_args_ignored(rule: Rule, result: Location, callee: tree.Expr, why: str) -> Diagnostic:
    """The result of a call is declared with `-> S` where that has no effect.

    Packed functions and operators that call functions return what the caller declares. What other calls return
    follows from the callee; to check it, bind it with `match_cast`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      add(x, x) -> Tensor[ndim=2]
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = match_cast(add(x, x), Tensor[ndim=2]);
      y
    }
    ```
    """
    shown = "the function"
    if isinstance(callee, tree.GlobalVar):
        shown = f"`{global_name(callee.name_hint)}`"
    elif isinstance(callee, tree.Op):
        shown = f"`{operator_name(callee.op_name)}`"
    elif isinstance(callee, tree.Var):
        shown = f"`{local_name(callee.name_hint)}`"
    found = rule.at(result, "the result info has no effect here", f"what {shown} returns {why}")
    return found.helped("remove `-> …`, or check the result with `match_cast`")


@rule("RLX0545", "recursion-in-dataflow", ERROR, "W.6.1 W.6.2")
def recursion_in_dataflow(rule: Rule, call: Location, cycle: str) -> Diagnostic:
    """A dataflow block calls the function that contains it, directly or through others.

    A dataflow block is a graph of pure operations without control flow; a recursive call is control flow.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = @main(x);
        output y;
      }
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = @main(x);
      y
    }
    ```
    """
    found = rule.at(call, f"recursive call in a dataflow block: {cycle}")
    return found.helped("make the call outside the block")


@rule("RLX0604", "primfunc-writes-input", ERROR, "O.5")
def primfunc_writes_input(
    rule: Rule, call: Location, function: tree.GlobalVar, store: tree.BufferStore
) -> Diagnostic:
    """A PrimFunc that `call_tir` calls stores to one of its inputs.

    `call_tir` is pure: it makes new tensors for the results and leaves its arguments unchanged. Use
    `call_tir_inplace` to change an argument in place.

    ```relax wrong
    prim_func @clear(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
        X[i] = 0.0;
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor {
      call_tir(@clear, (x,)) -> Tensor[(n,), float32]
    }
    ```

    ```relax right
    prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor {
      call_tir(@copy, (x,)) -> Tensor[(n,), float32]
    }
    ```
    """
    buffer = local_name(store.buffer.name)
    found = rule.at(call, f"{global_name(function.name_hint)} writes its input `{buffer}`")
    found.label(store, f"`{buffer}` is stored to here")
    return found.helped("store to a result, or to a buffer of its own (`alloc`)")
