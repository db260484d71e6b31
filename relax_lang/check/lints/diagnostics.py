"""Lints: diagnostics about programs that are right and could be tidier. RLX0801 to RLX0810."""

from __future__ import annotations

from relax_lang.base.diagnostic import HINT, OFF, SAFE, UNSAFE, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Edit, Location, Rule


@rule("RLX0801", "unused-binding", OFF, "X.O1")
def unused_binding(rule: Rule, name: Location, shown: str, removal: Edit, is_safe: bool) -> Diagnostic:
    """A variable is bound and never used.

    Its value has no effects, so nothing changes without it. What has effects, or may fail a check, is not
    reported, nor are names that begin with `_`. A use by a binding that is itself unused counts as a use: `--fix`
    removes the one, and then the other.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      y
    }
    ```
    """
    found = rule.at(name, f"`{shown}` is never used", "bound here")
    return found.fix("remove the binding", removal, applicability=SAFE if is_safe else UNSAFE)


@rule("RLX0802", "unused-parameter", OFF)
def unused_parameter(rule: Rule, name: Location, shown: str, function: str) -> Diagnostic:
    """A function does nothing with one of its parameters.

    A parameter whose shape gives a dimension its name is used where that name is. Names that begin with `_` are
    not reported. Callers rely on the parameters of a function, so that there is no edit for this.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor, y: Tensor) -> Tensor {
      x
    }
    ```

    ```relax right
    def @main(x: Tensor, _y: Tensor) -> Tensor {
      x
    }
    ```
    """
    found = rule.at(name, f"parameter `{shown}` of {function} is never used", "not used")
    return found.helped(f"leave it out, or call it `_{shown}` if callers must pass it")


@rule("RLX0803", "unused-shape-var", OFF, "S.13")
def unused_shape_var(rule: Rule, place: Location, name: str) -> Diagnostic:
    """A match_cast gives a dimension a name that nothing uses.

    The dimension is not checked, only the number of dimensions is; a name that is used, or one that begins with
    `_`, says that this is meant. Names in signatures are not reported: there they describe the parameter.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = match_cast(x, Tensor[(n, 4), float32]);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor[ndim=2, float32] {
      let y = match_cast(x, Tensor[(n, 4), float32]);
      reshape(y, shape(n * 4, 1))
    }
    ```
    """
    found = rule.at(place, f"shape variable `{name}` is never used", "bound here")
    return found.replace(place, f"_{name}", f"call it `_{name}` if only the number of dimensions matters")


@rule("RLX0804", "dead-function", HINT, "W.11")
def dead_function(rule: Rule, name: Location, shown: str, removal: Edit, user: str | None) -> Diagnostic:
    """A private function that nothing can reach.

    Only functions without `private` can be called from outside, and neither they nor what they use mention this
    one. Functions that only mention each other are all reported.

    ```relax wrong
    private def @twice(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```

    ```relax right
    private def @twice(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor) -> Tensor {
      @twice(x)
    }
    ```
    """
    return _dead(rule.at(name, f"{shown} is private and never used", "not used"), removal, user)


@rule("RLX0805", "dead-prim-func", HINT, "W.11")
def dead_prim_func(rule: Rule, name: Location, shown: str, removal: Edit, user: str | None) -> Diagnostic:
    """A private prim_func that nothing calls.

    A prim_func without `private` can be found under its name by `extern`; a private one is only reached by
    `call_tir` from its module.

    ```relax wrong
    private prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      x
    }
    ```

    ```relax right
    private prim_func @copy(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
      }
    }

    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      call_tir(@copy, (x,)) -> Tensor[(n,), float32]
    }
    ```
    """
    return _dead(rule.at(name, f"{shown} is private and never called", "not called"), removal, user)


def _dead(found: Diagnostic, removal: Edit, user: str | None) -> Diagnostic:
    if user is not None:
        found.note(f"only {user} mentions it, which is not used either")
    return found.fix("remove it", removal)


@rule("RLX0806", "large-constant", OFF, "CF.1")
def large_constant(rule: Rule, constant: Location, n_elements: int, limit: int) -> Diagnostic:
    """A constant with a thousand elements or more is written out in the program.

    Nobody reads them, every tool has to, and the text says only so many digits of each. Constants can stand in
    files beside the program: `const(file("weights.npz", "fc1"))`.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax right
    def @main(x: Tensor[(3,), float32]) -> Tensor[(3,), float32] {
      x + const([0.5, 1.5, 2.5], float32)
    }
    ```
    """
    found = rule.at(constant, f"this constant has {n_elements:,} elements")
    return found.note(f"up to {limit:,} are fine in a program").helped(
        'keep them in a file beside the program: `const(file("weights.npz", "name"))`'
    )


@rule("RLX0807", "unused-output", OFF, "S.8 X.O1")
def unused_output(
    rule: Rule, output: Location, name: str, binding: Location, removal: Edit | None
) -> Diagnostic:
    """A dataflow block hands out a variable that nothing uses behind the block.

    Passes must keep what a block hands out; a variable that stays inside can be fused, or left out.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = add(x, x);
        let z = add(y, y);
        output y, z;
      }
      z
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = add(x, x);
        let z = add(y, y);
        output z;
      }
      z
    }
    ```
    """
    found = rule.at(output, f"`{name}` is not used behind this dataflow block", "handed out here")
    found.label(binding, "bound here")
    if removal is None:
        return found.helped("do not hand it out")
    return found.fix("do not hand it out", removal, applicability=SAFE)


@rule("RLX0808", "empty-dataflow", OFF, "G.37")
def empty_dataflow(rule: Rule, block: Location, removal: Edit, is_safe: bool) -> Diagnostic:
    """A dataflow block without any bindings.

    It computes nothing and hands nothing out.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {}
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = add(x, x);
        output y;
      }
      y
    }
    ```
    """
    found = rule.at(block, "this dataflow block is empty")
    return found.fix("remove it", removal, applicability=SAFE if is_safe else UNSAFE)


@rule("RLX0809", "unchecked-extern-result", OFF, "ERR.13")
def unchecked_extern_result(rule: Rule, call: Location, claimed: str, edits: list[Edit]) -> Diagnostic:
    """Nobody checks that a packed function returns what its call says.

    The struct info behind `->` is a claim: the program goes on as if it held, and what does not fit fails much
    later, or gives wrong numbers. A match_cast checks it when the program runs.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = extern "my.f"(x) -> Tensor[(4,), float32];
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = match_cast(extern "my.f"(x), Tensor[(4,), float32]);
      y
    }
    ```
    """
    found = rule.at(call, "the result is not checked", f"taken to be `{claimed}`")
    if not edits:
        return found.helped("bind it with a match_cast, which checks it")
    return found.fix("check it with a match_cast", *edits)


@rule("RLX0810", "unused-value", OFF, "X.O1")
def unused_value(rule: Rule, statement: Location, removal: Edit, is_safe: bool) -> Diagnostic:
    """A statement computes a value without effects and drops it.

    Values do not change in place: `add(x, x);` leaves `x` as it is. `let _ = e;` says that a value is dropped on
    purpose.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      add(x, x);
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      y
    }
    ```
    """
    found = rule.at(statement, "this value is never used", "it has no effects")
    return found.fix("remove the statement", removal, applicability=SAFE if is_safe else UNSAFE)
