"""What is wrong with a call of an operator, as diagnostics: the number of arguments, and the attributes."""

from __future__ import annotations

from relax_lang.ops.core.attributes import attribute_values, check_call, has_words, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.ops.core.signature import Signature
    from relax_lang.syntax import tree


def diagnose_call(operator: Signature, call: tree.Call) -> list[Diagnostic]:
    """Return what `check_call` finds in a call, at its place in the text. [OP.2] [OP.4]"""
    found = check_call(operator, len(call.args), attribute_values(call.attrs))
    if not found and not has_words(call):
        return []
    from relax_lang.ops.core.diagnostics import calls as diag  # only where there is something to report
    from relax_lang.ops.core.diagnostics import named_operands

    by_name = named_operands.by_position(operator, call)
    if by_name is not None:
        about_operands, operands = by_name
        keys = {None, *[attr.key for attr in operands]}
        others = [problem for problem in found if problem.attribute not in keys]
        return [about_operands, *diag.of_call(others, call, operator.signature)]
    covered = {attr.key for attr, _ in words_of(call)} & {spec.name for spec in operator.attrs}
    others = [problem for problem in found if problem.attribute not in covered]
    named_operands.settle_nothing(operator, call, others)
    if others and others[0].slug == "arity":
        from relax_lang.ops.core.diagnostics import argument_counts

        # What is missing is said with the number of arguments.
        names = {problem.attribute: problem.nearest for problem in others[1:] if problem.nearest is not None}
        about_names = [problem for problem in others[1:] if problem.attribute not in (None, *names)]
        return [
            argument_counts.diagnose(operator, call, others[0], names),
            *diag.of_call(about_names, call, operator.signature),
        ]
    return [
        *named_operands.no_literals(operator, call),
        *diag.of_call(others, call, operator.signature),
    ]
