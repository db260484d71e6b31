"""The call of a value with a function type: arguments against parameters, and the result. [D.11.2.4-D.11.2.6]"""

from __future__ import annotations

from relax_lang.struct_info.compatibility import check_arguments
from relax_lang.struct_info.scope_erasure import erase_to_well_defined
from relax_lang.struct_info.substitution import bind_signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.struct_info.context import Context
    from relax_lang.struct_info.verdict import Verdict
    from relax_lang.syntax import tree

    Info = tree.StructInfo


class Application:
    """What a call comes to: `params` as the arguments bind them, a verdict for each argument, the result."""

    __slots__ = ("params", "result", "verdicts")

    def __init__(self, params: tuple[Info, ...], verdicts: list[Verdict], result: Info) -> None:
        self.params = params
        self.verdicts = verdicts
        self.result = result


def apply(callee: tree.FuncStructInfo, arguments: Sequence[Info], context: Context) -> Application:
    """Bind the shape variables of a signature, check the arguments, derive the result. [D.11.2.4-D.11.2.6]

    The caller has checked that there are as many arguments as parameters [D.11.2.3], and that the callee is
    no packed function [D.11.2.2].
    """
    signature = bind_signature(callee, arguments, context.shape_vars, context)
    verdicts = check_arguments(arguments, signature, context)
    result = erase_to_well_defined(signature.ret, context.extended(signature.open), context)
    return Application(signature.params, verdicts, result)
