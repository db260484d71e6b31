"""Whether a call that is emitted may have effects, as far as its callee alone says that. [P.4] [P.5]"""

from __future__ import annotations

from relax_lang.check.infer.purity import claims_pure
from relax_lang.format.lexemes import global_name
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.drivers.incremental import GrowingModule


def effect_of(value: tree.Expr, module: GrowingModule) -> str | None:
    """Return the words for what is impure about the right-hand side of a binding, or None."""
    if not isinstance(value, tree.Call) or claims_pure(value):
        return None
    callee = value.op
    if isinstance(callee, tree.Op):
        operator = lookup(callee.op_name)
        return None if operator is None or operator.pure else f"operator `{callee.op_name}`"
    if isinstance(callee, tree.ExternFunc):
        return f'packed function "{callee.global_symbol}"'
    if isinstance(callee, tree.GlobalVar):
        item = module.items.get(callee.name_hint)
        if isinstance(item, tree.Function) and not module.is_pure(item):
            return f"function {global_name(callee.name_hint)}"
    return None
