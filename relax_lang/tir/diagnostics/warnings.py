"""What is suspicious in a PrimFunc though every rule is kept: one function per diagnostic, codes RLX07xx. [TIR.*]

Nothing here keeps a program from running; what is provably wrong is in `errors`.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, OFF, UNSAFE, WARNING, Edit, Rule, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.base.node import Node
    from relax_lang.syntax import tree


@rule("RLX0714", "tir-never-in-bounds", WARNING, "TIR.8")
def never_in_bounds(
    rule: Rule, index: Node, text: str, value: str, position: int, buffer: tuple[str, str, Node]
) -> Diagnostic:
    """An index is outside of its buffer whenever it is reached.

    A condition decides whether this code runs, and nothing is known of the condition. But if it ever holds,
    the program fails there, so the condition or the index is not what was meant.

    ```relax wrong
    prim_func @last(X: Buffer[(n,), float32], Y: Buffer[(), float32], more: Buffer[(), bool]) {
      Y[()] = 0.0;
      if more[()] {
        Y[()] = X[n];
      }
    }
    ```

    ```relax right
    prim_func @last(X: Buffer[(n,), float32], Y: Buffer[(), float32], more: Buffer[(), bool]) {
      Y[()] = 0.0;
      if more[()] && n > 0 {
        Y[()] = X[n - 1];
      }
    }
    ```
    """
    name, extent, declared = buffer
    is_value = "" if value == text else f" is {value} and so"
    message = f"index `{text}`{is_value} is outside dimension {position} of `{name}`, which has {extent}, if reached"
    return rule.at(index, message, "never in bounds").label(declared, f"dimension {position} has {extent}")


@rule("RLX0715", "tir-uninitialized-read", WARNING, "TIR.18 O.2")
def uninitialized_read(
    rule: Rule, access: Node, element: str, when: str, declared: Node, why: str, call: Node | None = None
) -> Diagnostic:
    """A buffer, or an element of it, is read before anything was stored to it.

    The contents of an `alloc`, and of the results that `call_tir` makes, are undefined: what is read is
    whatever was in memory. Store a first value.

    ```relax wrong
    prim_func @total(X: Buffer[(n,), float32], Y: Buffer[(), float32]) {
      alloc sum: Buffer[(), float32];
      for i in 0..n {
        sum[()] += X[i];
      }
      Y[()] = sum[()];
    }
    ```

    ```relax right
    prim_func @total(X: Buffer[(n,), float32], Y: Buffer[(), float32]) {
      alloc sum: Buffer[(), float32];
      sum[()] = 0.0;
      for i in 0..n {
        sum[()] += X[i];
      }
      Y[()] = sum[()];
    }
    ```
    """
    message = f"`{element}` is read before anything was stored to it"
    found = rule.at(access, message, f"nothing is there yet{when}").label(declared, why)
    found.helped(f"store a first value to `{element}` before")
    return found if call is None else found.label(call, "made by this call")


@rule("RLX0716", "tir-reduce-without-init", WARNING, "TIR.10 TIR.18")
def reduce_without_init(
    rule: Rule, block: tree.Block, access: Node, buffer: str, start: str, axis: Node
) -> Diagnostic:
    """A block combines values into a buffer that was not initialized.

    The steps of a `reduce` axis update what the buffer holds. Without `init`, and without a store before, the
    first one updates whatever was in memory. If the caller passes a value to go on from, store it elsewhere
    first, or ignore this.

    ```relax wrong
    prim_func @row_sum(X: Buffer[(n, m), float32], Y: Buffer[(n,), float32]) {
      for i, j in grid(n, m) {
        block row_sum (vi = spatial(i), vj = reduce(j)) {
          Y[vi] += X[vi, vj];
        }
      }
    }
    ```

    ```relax right
    prim_func @row_sum(X: Buffer[(n, m), float32], Y: Buffer[(n,), float32]) {
      for i, j in grid(n, m) {
        block row_sum (vi = spatial(i), vj = reduce(j)) {
          init { Y[vi] = 0.0; }
          Y[vi] += X[vi, vj];
        }
      }
    }
    ```
    """
    message = f"block `{block.name}` combines values into `{buffer}`, which nothing initializes"
    found = rule.at(access, message, "reads what is not there yet").label(axis, "the steps that are combined")
    if not start or block.init is not None:
        return found.helped("add an `init { }` to the block")
    first = block.body[0]
    return found.fix(
        "add an `init`", Edit(first.pos, first.pos, f"init {{ {start}; }} "), applicability=UNSAFE
    )


@rule("RLX0717", "tir-unused-buffer", OFF, "TIR.20")
def unused_buffer(rule: Rule, buffer: tree.Buffer) -> Diagnostic:
    """A buffer parameter is neither read nor written, and no size is taken from it.

    Off by default: operators that only look at the shape of an input (`zeros_like`) are made like this.

    ```relax wrong
    prim_func @scale(X: Buffer[(n,), float32], W: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * 2.0;
      }
    }
    ```

    ```relax right
    prim_func @scale(X: Buffer[(n,), float32], W: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i] * W[i];
      }
    }
    ```
    """
    found = rule.at(buffer, f"buffer `{buffer.name}` is never used", "neither read nor written")
    found.data["buffer"] = buffer.name
    return found


@rule("RLX0718", "tir-dead-alloc", HINT, "TIR.18")
def dead_alloc(rule: Rule, statement: tree.Allocate, store: Node | None) -> Diagnostic:
    """An allocated buffer is never read: what is stored to it has no effect.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      alloc T: Buffer[(n,), float32];
      for i in 0..n {
        T[i] = X[i] * 2.0;
        Y[i] = X[i] + X[i];
      }
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      alloc T: Buffer[(n,), float32];
      for i in 0..n {
        T[i] = X[i] * 2.0;
        Y[i] = T[i];
      }
    }
    ```
    """
    name = statement.buffer.name
    if store is not None:
        return rule.at(statement, f"`{name}` is never read", "allocated here").label(store, "only written")
    found = rule.at(statement, f"`{name}` is never used", "allocated here")
    return found.replace(statement, "", "remove it", applicability=UNSAFE)


@rule("RLX0719", "tir-race", WARNING, "TIR.15")
def race(
    rule: Rule,
    store: Node,
    other: tuple[Node, str],
    loop: tree.For,
    var: tree.PrimVar,
    what: str,
    example: str,
) -> Diagnostic:
    """Two iterations of a `parallel` loop meet in one element, and one of them at least writes it.

    Here loops run in order, so the result is defined; wherever iterations run at the same time it is not.
    Only what is proved is reported. Make every iteration write elements of its own, or leave `parallel` out.

    ```relax wrong
    prim_func @total(X: Buffer[(n,), float32], Y: Buffer[(), float32]) {
      Y[()] = 0.0;
      for parallel i in 0..n {
        Y[()] += X[i];
      }
    }
    ```

    ```relax right
    prim_func @total(X: Buffer[(n,), float32], Y: Buffer[(), float32]) {
      Y[()] = 0.0;
      for i in 0..n {
        Y[()] += X[i];
      }
    }
    ```
    """
    found = rule.at(store, f"two iterations of the parallel loop over `{var.name}` {what}", "written here")
    second, done = other
    if second is not store:
        found.label(second, f"{done} here by another iteration")
    found.label(var, "the iterations run in parallel").note(example)
    if loop.pos < 0 or len(loop.loop_vars) > 1:
        return found.helped("run the loop in order")
    edit = Edit(loop.pos, var.pos, "for ")
    return found.fix("run the loop in order", edit, applicability=UNSAFE)


@rule("RLX0720", "tir-axis-use", WARNING, "TIR.9 TIR.10")
def axis_use(rule: Rule, axis: tree.IterVar, message: str, label: str, store: Node, kind: str) -> Diagnostic:
    """An axis is used as if it were of another kind.

    `spatial` axes number the results: each step has elements of its own. `reduce` axes number what is combined
    into one result, so no store goes through them. `init` starts over for each step of the `spatial` axes; an
    axis that should be `reduce` then loses all but the last step.

    ```relax wrong
    prim_func @row_sum(X: Buffer[(n, 4), float32], Y: Buffer[(n,), float32]) {
      for i, j in grid(n, 4) {
        block row_sum (vi = spatial(i), vj = spatial(j)) {
          init { Y[vi] = 0.0; }
          Y[vi] += X[vi, vj];
        }
      }
    }
    ```

    ```relax right
    prim_func @row_sum(X: Buffer[(n, 4), float32], Y: Buffer[(n,), float32]) {
      for i, j in grid(n, 4) {
        block row_sum (vi = spatial(i), vj = reduce(j)) {
          init { Y[vi] = 0.0; }
          Y[vi] += X[vi, vj];
        }
      }
    }
    ```
    """
    found = rule.at(axis, message, f"this is {axis.kind}").label(store, label)
    edit = Edit(axis.var.end, axis.value.pos, f" = {kind}(")
    return found.fix(f"write `{kind}`", edit, applicability=UNSAFE)


@rule("RLX0721", "tir-axis-not-covered", WARNING, "TIR.9")
def axis_not_covered(rule: Rule, axis: tree.IterVar, loops: str, domain: str, loop: Node) -> Diagnostic:
    """The loops around a block do not reach the whole range that an axis declares.

    ```relax wrong
    prim_func @copy(X: Buffer[(8,), float32], Y: Buffer[(8,), float32]) {
      for i in 0..4 {
        block copy (v = spatial(i, 0..8)) {
          Y[v] = X[v];
        }
      }
    }
    ```

    ```relax right
    prim_func @copy(X: Buffer[(8,), float32], Y: Buffer[(8,), float32]) {
      for i in 0..8 {
        block copy (v = spatial(i, 0..8)) {
          Y[v] = X[v];
        }
      }
    }
    ```
    """
    message = f"axis `{axis.var.name}` runs over {loops} only, its domain is {domain}"
    return rule.at(axis, message, f"the domain is {domain}").label(loop, f"this loop runs over {loops}")


@rule("RLX0722", "tir-output-not-written", ERROR, "O.4 TIR.20")
def output_not_written(
    rule: Rule, callee: Location, function: str, buffer: str, declared: Node
) -> Diagnostic:
    """`call_tir` makes a result to which its prim_func never stores.

    The results are the trailing buffers of the prim_func; what is never stored to is whatever was in memory.

    ```relax wrong
    prim_func @checked(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        assert X[i] > 0.0, "not positive";
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@checked, (x,)) -> Tensor[(n,), float32]
    }
    ```

    ```relax right
    prim_func @checked(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        assert X[i] > 0.0, "not positive";
        Y[i] = X[i];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@checked, (x,)) -> Tensor[(n,), float32]
    }
    ```
    """
    found = rule.at(
        callee, f"`{function}` never writes `{buffer}`, a result of this call", "called for its results"
    )
    return found.label(declared, "never stored to").helped(f"store to its elements: `{buffer}[…] = …;`")


@rule("RLX0723", "tir-output-partly-written", WARNING, "O.4 TIR.20")
def output_partly_written(
    rule: Rule, callee: Location, function: str, element: str, declared: Node, store: Node
) -> Diagnostic:
    """`call_tir` makes a result of which its prim_func provably leaves elements out.

    ```relax wrong
    prim_func @shift(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n - 1 {
        Y[i] = X[i + 1];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@shift, (x,)) -> Tensor[(n,), float32]
    }
    ```

    ```relax right
    prim_func @shift(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = if_then_else(i + 1 < n, X[i + 1], 0.0);
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@shift, (x,)) -> Tensor[(n,), float32]
    }
    ```
    """
    message = f"`{function}` never writes `{element}`, an element of a result of this call"
    found = rule.at(callee, message, "called for its results")
    return found.label(declared, "made by the call, contents undefined").label(store, "no store reaches it")


@rule("RLX0725", "tir-no-effect", WARNING, "O.4 TIR.20")
def no_effect(rule: Rule, func: tree.PrimFunc, name: str) -> Diagnostic:
    """A prim_func has statements, and none of them stores to a buffer that its caller sees.

    A prim_func without a result computes by storing to its buffers. This one stores to none of its parameters, checks
    nothing and calls no packed function, so that calling it changes nothing.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        let y = X[i] * 2.0;
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
    found = rule.at(
        func.name, f"`{name}` stores to none of its buffers, so it has no effect", "nothing is stored"
    )
    return found.helped("store to an element of a buffer: `B[…] = …;`")
