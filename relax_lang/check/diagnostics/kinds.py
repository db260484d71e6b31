"""Diagnostics of values of the wrong kind and of calls into TIR: RLX0301 to RLX0305, RLX0601 to RLX0603.

Inference reports them before anything runs. The runtime checks the same again, since the struct info of a value can be
vague (`Object`, results of packed functions) and a tree built in Python may be unchecked; it uses the same messages.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX0301", "condition-not-bool", ERROR, "T.K8 ERR.41 X.7")
def condition_not_bool(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """A condition is not a scalar bool.

    The condition of an `if` is a tensor of rank 0 and dtype bool; numbers and tensors with several elements
    are not conditions.

    ```relax wrong
    def @main() -> Tensor[(), int32] {
      if 1 { 2 } else { 3 }
    }
    ```

    ```relax right
    def @main() -> Tensor[(), int32] {
      if 1 == 1 { 2 } else { 3 }
    }
    ```
    """
    return rule.at(place, message, "the condition")


@rule("RLX0302", "not-callable", ERROR, "T.K7.3 D.11.2.1 V.5")
def not_callable(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """Something is called that is not a function.

    Functions of the module, local functions and packed functions can be called. A line that begins with `(`
    after a forgotten `;` reads as a call of the line before.

    ```relax wrong
    def @main() -> Tensor[(), int32] {
      let f = 3;
      f(4)
    }
    ```

    ```relax right
    def @main() -> Tensor[(), int32] {
      let f = fn(a: Tensor[(), int32]) -> Tensor[(), int32] { a };
      f(4)
    }
    ```
    """
    return rule.at(place, message, "called here")


@rule("RLX0303", "not-a-tuple", ERROR, "T.K9 V.10")
def not_a_tuple(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """Something is indexed that is not a tuple.

    `t[0]` is a field of a tuple. Use `take` or `strided_slice` to get elements of a tensor.

    ```relax wrong
    def @main() -> Object {
      let x = const([1, 2], int32);
      x[0]
    }
    ```

    ```relax right
    def @main() -> Object {
      let x = (const([1, 2], int32), 3);
      x[0]
    }
    ```
    """
    return rule.at(place, message, "indexed here")


@rule("RLX0304", "tuple-index", ERROR, "T.K9 D.9 V.3")
def tuple_index(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """The tuple has no field with this index.

    Fields count from 0: the last field of a pair is `t[1]`. Which field is taken is written as a number, as it decides
    the type of the result.

    ```relax wrong
    def @main() -> Object {
      let t = (1, 2);
      t[2]
    }
    ```

    ```relax right
    def @main() -> Object {
      let t = (1, 2);
      t[1]
    }
    ```
    """
    return rule.at(place, message, "the index")


@rule("RLX0305", "shape-var-not-a-shape", ERROR, "W.13.d")
def shape_var_not_a_shape(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """A variable that is used as the shape of a tensor does not hold a shape.

    In `Tensor[s, float32]` the variable `s` holds a shape, as `shape_of` and `shape(…)` give it.

    ```relax wrong
    prim_func @fill(Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) { Y[i, j] = 1.0; }
    }

    def @main() -> Tensor {
      let s = const([2, 3], int64);
      call_tir(@fill, ()) -> Tensor[s, float32]
    }
    ```

    ```relax right
    prim_func @fill(Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) { Y[i, j] = 1.0; }
    }

    def @main() -> Tensor {
      let s = shape(2, 3);
      call_tir(@fill, ()) -> Tensor[s, float32]
    }
    ```
    """
    return rule.at(place, message, "this is not a shape")


@rule("RLX0601", "call-tir-arguments", ERROR, "O.3 O.6")
def call_tir_arguments(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """Arguments of a `call_tir` do not fit the buffers of its prim_func.

    A prim_func gets the tensors of the tuple, then the results, then the scalars of the optional
    `shape(…)`, in the order of its parameters. Each tensor has its buffer's rank and dtype, and a
    dimension name is one number in all buffers; the arguments bind the names first.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }

    def @main() -> Tensor[(2,), float32] {
      call_tir(@double, (const([1, 2], int32),)) -> Tensor[(2,), float32]
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }

    def @main() -> Tensor[(2,), float32] {
      call_tir(@double, (const([1.0, 2.0], float32),)) -> Tensor[(2,), float32]
    }
    ```
    """
    return rule.at(place, message, "does not fit")


@rule("RLX0602", "call-tir-output-mismatch", ERROR, "O.6")
def call_tir_output_mismatch(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """Results that a `call_tir` declares are not what its prim_func writes.

    `-> Tensor[(…), dtype]` declares what is allocated for the result; its buffer must have the same dimensions
    and dtype.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }

    def @main() -> Tensor[(3,), float32] {
      call_tir(@double, (const([1.0, 2.0], float32),)) -> Tensor[(3,), float32]
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }

    def @main() -> Tensor[(2,), float32] {
      call_tir(@double, (const([1.0, 2.0], float32),)) -> Tensor[(2,), float32]
    }
    ```
    """
    return rule.at(place, message, "declared here")


@rule("RLX0603", "call-tir-output-incomplete", ERROR, "O.2 O.8")
def call_tir_output_incomplete(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """It is not declared what a `call_tir` or `call_dps_packed` allocates for its result.

    The caller allocates the results, so their dimensions and dtypes have to be written out: a tensor info
    with both, or a tuple of those.

    ```relax wrong
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }

    def @main() -> Tensor[ndim=1, float32] {
      call_tir(@double, (const([1.0, 2.0], float32),)) -> Tensor[ndim=1, float32]
    }
    ```

    ```relax right
    prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }

    def @main() -> Tensor[ndim=1, float32] {
      call_tir(@double, (const([1.0, 2.0], float32),)) -> Tensor[(2,), float32]
    }
    ```
    """
    return rule.at(place, message, "dimensions and dtype are needed")
