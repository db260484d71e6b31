"""Diagnostics about what may appear where: dataflow blocks, calls into TIR, function types."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, SAFE, WARNING, Diagnostic, Edit, Rule, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Location


@rule("RLX0213", "duplicate-output", WARNING, "S.8")
def duplicate_output(
    rule: Rule, name: str, second: Location, first: Location, rest: Edit | None
) -> Diagnostic:
    """`output` lists a variable twice.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let gv = add(x, x);
        output gv, gv;
      }
      gv
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let gv = add(x, x);
        output gv;
      }
      gv
    }
    ```
    """
    found = rule.at(second, f"`{name}` is listed twice", "the second time").label(first, "the first time")
    return (
        found.helped("list it once") if rest is None else found.fix("list it once", rest, applicability=SAFE)
    )


@rule("RLX0214", "output-undefined", ERROR, "S.8")
def output_undefined(
    rule: Rule, name: str, use: Location, near: str | None, outside: Location | None
) -> Diagnostic:
    """`output` lists a name that its dataflow block does not bind.

    Only what is bound in the block leaves it; what was bound before is visible afterwards anyway.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let gv = add(x, x);
        output gw;
      }
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let gv = add(x, x);
        output gv;
      }
      gv
    }
    ```
    """
    message = f"`{name}` is not bound in this dataflow block" + (f" (nearest: `{near}`)" if near else "")
    found = rule.at(use, message, "not bound in the block")
    if outside is not None:
        return found.label(outside, "bound here, outside; it needs no `output`")
    return found.replace(use, near, f"write `{near}`") if near else found


@rule("RLX0541", "if-in-dataflow", ERROR, "W.6.3 N.15")
def if_in_dataflow(rule: Rule, place: Location, block: Location) -> Diagnostic:
    """An `if` is written in a dataflow block.

    A dataflow block is a graph of values without control flow. An `if` comes before or after it, or in a
    function that is defined in it.

    ```relax wrong
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      dataflow {
        let gv = if c { x } else { add(x, x) };
        output gv;
      }
      gv
    }
    ```

    ```relax right
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let y = if c { x } else { add(x, x) };
      dataflow {
        let gv = add(y, y);
        output gv;
      }
      gv
    }
    ```
    """
    found = rule.at(place, "a dataflow block cannot contain `if`", "control flow")
    return found.label(block, "the dataflow block").helped("choose before the block, or end the block first")


@rule("RLX0542", "bindings-in-dataflow", ERROR, "N.12")
def bindings_in_dataflow(rule: Rule, place: Location, block: Location) -> Diagnostic:
    """A `bindings { }` block is written inside a dataflow block.

    The statements of a block expression become statements of the dataflow block around it; an ordinary block
    cannot.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let gv = { bindings { let z = x; } add(z, z) };
        output gv;
      }
      gv
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let gv = { let z = x; add(z, z) };
        output gv;
      }
      gv
    }
    ```
    """
    found = rule.at(place, "a dataflow block cannot contain an ordinary block", "an ordinary block")
    return found.label(block, "the dataflow block").helped("write its statements without `bindings { }`")


@rule("RLX0341", "unknown-derive-func", ERROR, "G.20 G.21")
def unknown_derive_func(
    rule: Rule, place: Location, name: str, near: str | None, edit: Edit | None
) -> Diagnostic:
    """A `PackedFunc` names a derive function that is not registered.

    A derive function says what is known of the result of a call of a packed function. `default` takes the
    struct info that the call gives with `->`, `empty` always says `Object`.

    ```relax wrong
    def @main(f: PackedFunc[derive="defualt"], x: Tensor) -> Object {
      f(x)
    }
    ```

    ```relax right
    def @main(f: PackedFunc[derive="default"], x: Tensor) -> Object {
      f(x)
    }
    ```
    """
    message = f'no derive function "{name}" is registered' + (f' (nearest: "{near}")' if near else "")
    found = rule.at(place, message, "not registered")
    return found.fix(f'write "{near}"', edit) if edit is not None else found


@rule("RLX0641", "not-a-primfunc", ERROR, "O.1")
def not_a_primfunc(rule: Rule, place: Location, shown: str, definition: Location | None) -> Diagnostic:
    """The first argument of `call_tir` is not a prim_func of the file.

    `call_tir` allocates the results and hands them to a prim_func, which fills them. A Relax function is
    called directly, and a packed function with `call_dps_packed`.

    ```relax wrong
    def @double(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor[(2,), float32]) -> Tensor {
      call_tir(@double, (x,)) -> Tensor[(2,), float32]
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] + X[i];
      }
    }

    def @main(x: Tensor[(2,), float32]) -> Tensor {
      call_tir(@double, (x,)) -> Tensor[(2,), float32]
    }
    ```
    """
    found = rule.at(place, f"`{shown}` is not a prim_func of this module", "a prim_func is needed")
    if definition is not None:
        found.label(definition, "defined here as a Relax function")
    return found


@rule("RLX0642", "primfunc-call", ERROR, "V.12 ERR.46")
def primfunc_call(
    rule: Rule, place: Location, name: str, definition: Location, suggestion: str
) -> Diagnostic:
    """A prim_func is called directly, but not with all of its parameters.

    A prim_func writes its results into buffers that the caller provides; `call_tir` allocates them, from the
    struct info after `->`, and passes them after the arguments. Called by its name, a prim_func takes all its
    parameters in order, those that it writes among them, and returns nothing.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] + X[i];
      }
    }

    def @main(x: Tensor[(2,), float32]) -> Object {
      @double(x)
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] + X[i];
      }
    }

    def @main(x: Tensor[(2,), float32]) -> Tensor {
      call_tir(@double, (x,)) -> Tensor[(2,), float32]
    }
    ```
    """
    found = rule.at(
        place, f"{name} is a prim_func and returns nothing; call it with call_tir", "called directly"
    )
    found.label(definition, "a prim_func")
    return found.helped(f"write `{suggestion}`")
