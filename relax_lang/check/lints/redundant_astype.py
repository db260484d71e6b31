"""redundant-astype: conversions of tensors to the dtype that they have already."""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, SAFE, UNSAFE, Edit, rule
from relax_lang.check.lints.core.registry import lint
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0811", "redundant-astype", OFF, "X.O1")
def report(
    rule: Rule, call: Location, operand: Location, dtype: str, edits: list[Edit], is_safe: bool
) -> Diagnostic:
    """A tensor is converted to the dtype that it has already.

    The result is a copy of the operand. The dtype is that of inference, so that an `astype` of a tensor whose dtype
    is not known is not reported. The fix is safe unless the module calls packed functions, writes into arguments in
    place or has other effects: then the copy may be needed, or a packed function may return another dtype than its
    call claims.

    This lint is off until it is selected: `relax check --extend-select lints`.

    ```relax wrong
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let y = astype(x, dtype=float32);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor[(n,), int32]) -> Tensor[(n,), float32] {
      let y = astype(x, dtype=float32);
      y
    }
    ```
    """
    found = rule.at(call, f"this value is converted to {dtype}, which it is already")
    found.label(operand, f"a tensor of {dtype}")
    return found.fix("leave out the conversion", *edits, applicability=SAFE if is_safe else UNSAFE)


@lint("redundant-astype")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return calls of `astype` whose operand is known to have the dtype that they convert to."""
    found: list[Diagnostic] = []
    for call in index.calls:
        wanted = _converted_to(call) if index.calls_operator(call, "astype") else None
        if wanted is None:
            continue
        operand = call.args[0]
        info = index.info_of(operand)
        if isinstance(info, tree.TensorStructInfo) and info.dtype is not None and info.dtype.name == wanted:
            before, after = _removed(call, operand)
            has_comment = any(index.has_comment(edit.pos, edit.end) for edit in (before, after))
            is_safe = not has_comment and not index.host_or_effects
            found.append(report(call, operand, wanted, [before, after], is_safe))
    return found


def _converted_to(call: tree.Call) -> str | None:
    """Return the dtype of a call `astype(x, dtype=…)`, None if it is not known."""
    if len(call.args) != 1:
        return None
    dtypes = [
        attr.value.name for attr in call.attrs if attr.key == "dtype" and isinstance(attr.value, tree.DType)
    ]
    return dtypes[0] if len(dtypes) == 1 else None


def _removed(call: tree.Call, operand: tree.Expr) -> tuple[Edit, Edit]:
    """Return the edits that leave only the operand; an operation keeps parentheses, as it may be an operand itself."""
    is_operation = isinstance(operand, tree.UnaryOp | tree.BinaryOp | tree.If)
    left, right = ("(", ")") if is_operation else ("", "")
    return Edit(call.pos, operand.pos, left), Edit(operand.end, call.end, right)
