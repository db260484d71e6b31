"""Passes one after the other."""

from __future__ import annotations

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.relax_error import RelaxError
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.context import PassContext
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassFailed
from relax_lang.transform.pass_manager.instruments import Verify
from relax_lang.transform.pass_manager.passes import Pass, PassKind
from relax_lang.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Sequential:
    """Passes that run one after the other: a pass itself. A kind stands for its pass with default options."""

    __slots__ = ("name", "passes")

    def __init__(self, passes: Iterable[Pass | PassKind | Sequential], name: str = "Sequential") -> None:
        self.name = name
        self.passes: list[Pass] = list(_flat(passes))

    def __repr__(self) -> str:
        """Show the passes as `relax opt --passes` takes them."""
        return ", ".join([repr(one) for one in self.passes])

    def __call__(self, program: Typed | tree.IRModule, context: PassContext | None = None) -> Typed:
        """Return the program after all passes. Raises PassError."""
        typed = program if isinstance(program, Typed) else Typed.of_tree(program)
        context = context or PassContext.current()
        now = typed
        with (
            no_collection()
        ):  # one after all passes, instead of one after each that walks what all of them made
            for at, one in enumerate(self.passes):
                try:
                    now = one(now, context)
                except (PassBrokeProgram, PassFailed, RelaxError):
                    self.find_culprit(typed, context, at)
                    raise
        return now

    def find_culprit(self, typed: Typed, context: PassContext, count: int | None = None) -> None:
        """Raise PassBrokeProgram for the first of so many passes that makes something which is not a program.

        The program is only checked where something asks for it: a later pass may be the one that stumbled over it.
        """
        checking = PassContext(context.options, [Verify()], context.disabled)
        for one in self.passes[:count]:
            typed = one(typed, checking)


def _flat(passes: Iterable[Pass | PassKind | Sequential]) -> Iterator[Pass]:
    for one in passes:
        if isinstance(one, Sequential):
            yield from one.passes
        else:
            yield one() if isinstance(one, PassKind) else one
