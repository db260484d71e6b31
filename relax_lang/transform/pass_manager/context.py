"""What passes run in: options for them by name, those that are disabled, and instruments that watch."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Self

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextvars import Token
    from typing import Protocol

    from relax_lang.base.node import Node
    from relax_lang.syntax import tree
    from relax_lang.transform.lowering.places import Life, Storage
    from relax_lang.transform.pass_manager.errors import PassError
    from relax_lang.typed import Typed

    class AnyPass(Protocol):
        """What instruments know of a pass; its `repr` is how `relax opt --passes` takes it."""

        @property
        def name(self) -> str:
            """The name, without options."""
            ...

        @property
        def gives(self) -> Sequence[str]:
            """The forms that a program has afterwards."""
            ...


class Instrument:
    """Is notified of every pass; each method does nothing unless it is overridden."""

    def should_run(self, typed: Typed, one: AnyPass) -> bool:
        """Return whether a pass is to run."""
        return True

    def before(self, typed: Typed, one: AnyPass) -> None:
        """A pass begins."""

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """A pass made `result` of `typed`; may raise PassError."""

    def failed(self, one: AnyPass, error: PassError) -> None:
        """A pass failed."""

    def remarked(self, typed: Typed, one: AnyPass, node: Node, message: str) -> None:
        """A pass gives the reason why it leaves a node of the program that it was given as it is."""

    def planned(
        self, function: tree.Function, storages: Mapping[str, Storage], lives: Sequence[Life]
    ) -> None:
        """Memory of a function is planned: its storages by name, and the tensors that are placed in them."""


class PassContext:
    """The surroundings of passes. An argument of a pass, or current for all that run inside of `with`.

    `options` has options by the name of the pass; what a pass is given itself goes first. Passes in `disabled` return
    their program as it is.
    """

    __slots__ = ("_tokens", "disabled", "instruments", "options")

    def __init__(
        self,
        options: Mapping[str, Mapping[str, object]] | None = None,
        instruments: Sequence[Instrument] = (),
        disabled: Collection[str] = (),
    ) -> None:
        self.options = options or {}
        self.instruments = instruments
        self.disabled = frozenset(disabled)
        self._tokens: list[Token[PassContext | None]] = []

    @staticmethod
    def current() -> PassContext:
        """Return the context that is entered, or one without anything."""
        return _CURRENT.get() or PassContext()

    def __enter__(self) -> Self:
        """Make it current."""
        self._tokens.append(_CURRENT.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        """Make the one before current again."""
        _CURRENT.reset(self._tokens.pop())

    def options_of(self, name: str) -> Mapping[str, object]:
        """Return the options that this context has for a pass."""
        return self.options.get(name, {})

    # What instruments are notified of; see `Instrument`.

    def should_run(self, typed: Typed, one: AnyPass) -> bool:
        """Ask every instrument whether a pass is to run."""
        return all(each.should_run(typed, one) for each in self.instruments)

    def before(self, typed: Typed, one: AnyPass) -> None:
        """A pass begins."""
        for each in self.instruments:
            each.before(typed, one)

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """A pass made `result` of `typed`."""
        for each in self.instruments:
            each.after(typed, one, result)

    def failed(self, one: AnyPass, error: PassError) -> None:
        """A pass failed."""
        for each in self.instruments:
            each.failed(one, error)

    def remarked(self, typed: Typed, one: AnyPass, node: Node, message: str) -> None:
        """A pass gives the reason why it leaves a node as it is."""
        for each in self.instruments:
            each.remarked(typed, one, node, message)

    def planned(
        self, function: tree.Function, storages: Mapping[str, Storage], lives: Sequence[Life]
    ) -> None:
        """Memory of a function is planned."""
        for each in self.instruments:
            each.planned(function, storages, lives)


_CURRENT: ContextVar[PassContext | None] = ContextVar("pass context", default=None)
