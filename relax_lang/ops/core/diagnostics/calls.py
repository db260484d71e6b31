"""Diagnostics about calls of operators, except for those that need to know what the arguments are.

The ones at the end are reported while a program runs.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, SAFE, Edit, rule
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.ops.core.attributes import Problem


def of_call(problems: Iterable[Problem], call: tree.Call, signature: str) -> list[Diagnostic]:
    """Put the problems of a call at their places: the attribute if one is about it, else the call."""
    places: dict[str | None, tree.Attr] = {attr.key: attr for attr in call.attrs}
    return [_at(places.get(problem.attribute, call), problem, signature) for problem in problems]


def _at(place: tree.Attr | tree.Call, problem: Problem, signature: str) -> Diagnostic:
    made = (arity if problem.slug == "arity" else op_attribute)(place, problem.message)
    made.note(signature)
    if problem.help:
        made.helped(problem.help)
    if problem.nearest is not None:
        end = place.pos + len(problem.attribute or "")
        edits = [Edit(place.pos, end, problem.nearest)]
        form = problem.nearest
        if problem.value is not None and isinstance(place, tree.Attr):
            edits.append(Edit(place.value.pos, place.value.end, problem.value))
            form += f"={problem.value}"
        made.fix(f"write `{form}`", *edits)
    elif problem.value is not None and isinstance(place, tree.Attr):
        made.replace(place.value, problem.value, f"write `{problem.value}`", applicability=SAFE)
    return made


@rule("RLX0330", "arity", ERROR, "OP.2 G.5 T.K7.3 D.11.2.3 TIR.7")
def arity(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A call gives more or fewer arguments than the callee takes.

    An operator has a fixed number of positional arguments; some may be left out, from the last one on.
    Everything else is an attribute and is given by its name. `relax ops NAME` shows the signature.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) {
      matmul(x)
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32], w: Tensor[(3, 4), float32]) {
      matmul(x, w)
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0331", "op-attribute", ERROR, "OP.4")
def op_attribute(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An attribute of an operator is unknown, missing, or has a value the operator does not take.

    Attributes configure an operator: the axis it reduces, the strides of a window, the dtype it makes.
    They are known when the program is read, so a wrong one is an error before anything runs.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) {
      sum(x, axes=1)
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32]) {
      sum(x, axis=1)
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0332", "op-argument", ERROR, "OP.3 V.4 O.9 X15.7")
def op_argument(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An argument of an operator is of the wrong kind: a shape where a tensor is needed, or of a wrong rank.

    An operator takes tensors, shapes, tuples or scalars, each where its signature has it; nothing is
    converted silently. `shape_of`, `tensor_to_shape` and `shape_to_tensor` convert between tensors and
    shapes.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) {
      add(x, shape(2, 3))
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32]) {
      reshape(x, shape(3, 2))
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0333", "op-axis", ERROR, "OP.5")
def op_axis(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An operator is given an axis that its tensor does not have, or the same axis twice.

    A tensor of rank r has the axes 0 to r - 1; -1 is the last one, -r the first. A tensor of rank 0 has none.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) {
      sum(x, axis=2)
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32]) {
      sum(x, axis=1)
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0334", "op-dtype-mismatch", ERROR, "OP.7")
def op_dtype_mismatch(rule: Rule, place: Location, message: str) -> Diagnostic:
    """The dtypes of an operator's arguments differ, or it does not take this dtype.

    No dtype is converted silently: `add` of float32 and int32 is an error, as is `exp` of an integer. A
    number in the text has a dtype of its own, int32 or, with a fraction, float32. `astype` converts.

    ```relax wrong
    def @main(x: Tensor[(2, 3), float32]) {
      x + 1
    }
    ```

    ```relax right
    def @main(x: Tensor[(2, 3), float32]) {
      x + 1.0
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0922", "op-runtime-shape", ERROR, "OP.9")
def op_runtime_shape(rule: Rule, place: Location, message: str) -> Diagnostic:
    """While a program ran, an operator got shapes that do not fit.

    What is known of the shapes beforehand left it open; the values decided it. A `match_cast`
    where the data enters, or the same shape variable at both places, finds such a mistake earlier.

    ```relax wrong
    def @main() {
      let x = match_cast(zeros(shape(2), dtype=float32), Tensor[ndim=1, float32]);
      let y = match_cast(zeros(shape(3), dtype=float32), Tensor[ndim=1, float32]);
      add(x, y)
    }
    ```

    ```relax right
    def @main() {
      let x = match_cast(zeros(shape(2), dtype=float32), Tensor[ndim=1, float32]);
      let y = match_cast(zeros(shape(2), dtype=float32), Tensor[ndim=1, float32]);
      add(x, y)
    }
    ```
    """
    return rule.at(place, message)


@rule("RLX0923", "op-runtime-value", ERROR, "OP.9")
def op_runtime_value(rule: Rule, place: Location, message: str) -> Diagnostic:
    """While a program ran, an operator met values that it cannot work with.

    Examples are an integer division by zero, an index outside of its axis, the maximum of nothing, a negative
    size. Operators never read outside of their arguments and never make up a value.

    ```relax wrong
    def @main() {
      take(const([1, 2, 3]), const([3]), axis=0)
    }
    ```

    ```relax right
    def @main() {
      take(const([1, 2, 3]), const([2]), axis=0)
    }
    ```
    """
    return rule.at(place, message)
