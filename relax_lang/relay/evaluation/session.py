"""A program of which the direct interpreter runs the functions, behind the interface that all runs have. [R.37]"""

from __future__ import annotations

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.relay.evaluation.interpreter import Interpreter
from relax_lang.runtime.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.relay.checking import Analysed


class RelaySession(Session):
    """Binds arguments as the translated program does, and runs the program as it was written."""

    __slots__ = ("_interpreter",)

    def __init__(self, program: Analysed, module: Any, **more: Any) -> None:
        super().__init__(module, program.source, engine="interpreter", **more)
        self._interpreter = Interpreter(program)

    def call(self, entry: str, arguments: Sequence[object] = ()) -> object:
        """Run a function and return its value. Raises RunFailure if the program fails."""
        self.entry(entry)
        with deep_recursion():
            return self._interpreter.call(entry.removeprefix("@"), arguments)
