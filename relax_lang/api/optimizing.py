"""Passes on programs: `optimize` for those who only want the result."""

from __future__ import annotations

from relax_lang.api.modules import typed
from relax_lang.api.programs import RelaxError
from relax_lang.base.python.recursion import deep_recursion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.api.programs import AnyProgram
    from relax_lang.transform.pass_manager.context import Instrument
    from relax_lang.transform.pass_manager.passes import Pass, PassKind
    from relax_lang.transform.pass_manager.sequence import Sequential
    from relax_lang.typed import Typed

    OnePass = str | Pass | PassKind | Sequential


def optimize(
    program: AnyProgram,
    passes: OnePass | Sequence[OnePass] = "",
    *,
    pipeline: str = "optimize",
    instruments: Sequence[Instrument] = (),
    verify: str = "end",
) -> Typed:
    """Return a program after passes: those that `passes` names, as `relax opt --passes` takes them, or a pipeline.

    In place of names there may be passes of `relax_lang.transform`, or of one's own; several are in a list.
    `instruments` are told of every pass. `verify` says when the text of the program is checked: after `each` pass, at
    the `end`, or `off`. Raises RelaxError if the program has errors, a pass does not exist or refuses, or one makes
    something that is not a program; TypeError if something else than a pass is given.

    >>> text = "def @main(x: Tensor[(n,), float32]) { let y = x; exp(y) }"
    >>> print(optimize(text, "CanonicalizeBindings"), end="")
    def @main(x: Tensor[(n,), float32]) {
      let gv = exp(x);
      gv
    }
    """
    from relax_lang.transform import catalogue
    from relax_lang.transform.pass_manager.context import PassContext
    from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError
    from relax_lang.transform.pass_manager.instruments import Verify
    from relax_lang.transform.pass_manager.instruments import verify as verify_result

    before = typed(program)
    try:
        sequence = _sequence(passes) if passes != "" else catalogue.pipeline(pipeline)
        watching = [*instruments, Verify()] if verify == "each" else list(instruments)
        with deep_recursion():
            context = PassContext(instruments=watching)
            after = sequence(before, context)
            if verify == "end" and after is not before and sequence.passes:
                try:
                    verify_result(before, sequence.passes[-1], after)
                except PassBrokeProgram:
                    sequence.find_culprit(before, context)
                    raise
            return after
    except PassError as error:
        raise RelaxError(before.source, [error.diagnostic]) from error


def _sequence(passes: OnePass | Sequence[OnePass]) -> Sequential:
    """Return one pass or several as a sequence. Raises PassError for a name that none has, TypeError."""
    from relax_lang.transform import catalogue
    from relax_lang.transform.pass_manager.passes import Pass, PassKind
    from relax_lang.transform.pass_manager.sequence import Sequential

    found: list[Pass | PassKind | Sequential] = []
    for one in passes if isinstance(passes, list | tuple) else [passes]:
        if isinstance(one, str):
            found.append(catalogue.parse_passes(one))
        elif isinstance(one, Pass | PassKind | Sequential):
            found.append(one)
        else:
            raise TypeError(f"a pass is a name or a pass of `relax_lang.transform`, not {type(one).__name__}")
    return Sequential(found)
