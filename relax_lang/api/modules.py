"""Programs that are modules: trees that were made in Python, and typed programs, which passes take and return."""

from __future__ import annotations

from relax_lang.api.programs import RelaxError, check, check_sound, constant_checker, is_loaded
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.syntax.tree import IRModule
from relax_lang.typed import IllTyped, Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.api.programs import AnyProgram


def typed(program: AnyProgram) -> Typed:
    """Return a program in normal form with all that is known of it, for passes; raises RelaxError if it has errors.

    A tree keeps its nodes where they are in normal form already.

    >>> typed("def @main(x: Tensor[(n,), float32]) { x + x }")
    <typed program: @main>
    """
    if is_loaded(program):
        program = program.__relax_program__()
    if isinstance(program, Typed):
        return program
    if isinstance(program, IRModule):
        source = SourceFile("", "<module>")
        try:
            with deep_recursion():
                return Typed.of_tree(program, source, constant_checker(source))
        except IllTyped as refused:
            # Places in a text say more than none: what is printed has the same errors, as far as it can be printed.
            found = check(program)
            raise RelaxError(found.source, found.diagnostics or refused.diagnostics) from None
    checked = check_sound(program)
    return Typed.of_checked(checked, constant_checker(checked.source))
