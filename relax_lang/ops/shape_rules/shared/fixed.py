"""Rules whose result does not depend on the arguments."""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.core.inference import Inference

    Rule = Callable[[Inference], tree.StructInfo]


def unit(call: Inference) -> tree.StructInfo:
    """Infer the unit: the operator is called for its effect. [V.4]"""
    return call.tuple_of(())


def any_object(call: Inference) -> tree.StructInfo:
    """Infer an object of which nothing is known."""
    return tree.ObjectStructInfo(call.call.pos, call.call.end)


def declared(call: Inference) -> tree.StructInfo:
    """Infer what `->` declares, without it an object. [E.3]"""
    return call.call.struct_info or any_object(call)


def scalar(dtype: str) -> Rule:
    """Return the rule of an operator that gives a tensor of rank 0 of a dtype."""

    def rule(call: Inference) -> tree.StructInfo:
        return call.tensor_of((), dtype)

    return rule
