"""Which register has the value of which variable, while the code of one function is generated."""

from __future__ import annotations

from relax_lang.vm.instructions import REGISTER, Operand, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Registers:
    """The registers of a function: those that are free are used again, the one that was freed last first."""

    __slots__ = ("_at", "_free", "_holders", "_stale", "count")

    def __init__(self) -> None:
        self.count = 0
        self._free: list[int] = []
        self._at: dict[str, Operand] = {}
        self._holders: dict[int, set[str]] = {}
        self._stale: dict[Operand, None] = {}
        """Registers that had a value for a moment, and have it still."""

    def new(self) -> Operand:
        """Return a register that nothing uses."""
        if self._free:
            made = register(self._free.pop())
            self._stale.pop(made, None)
            return made
        self.count += 1
        return register(self.count - 1)

    def bind(self, name: str, operand: Operand) -> None:
        """Make a variable mean a register or a constant."""
        self._at[name] = operand
        if operand.kind == REGISTER:
            self._holders.setdefault(operand.value, set()).add(name)

    def of(self, name: str) -> Operand:
        """Return what a variable means."""
        return self._at[name]

    @property
    def names(self) -> Iterable[str]:
        """The variables in scope."""
        return self._at

    def forget(self, names: Iterable[str]) -> list[Operand]:
        """Drop variables; return the registers that nothing needs from now on, those of the moment as well."""
        freed = list(self._stale)
        self._stale.clear()
        for name in sorted(names):
            operand = self._at.pop(name, None)
            if operand is None or operand.kind != REGISTER:
                continue
            holders = self._holders[operand.value]
            holders.discard(name)
            if not holders:
                del self._holders[operand.value]
                freed.append(operand)
                self._free.append(operand.value)
        return freed

    def release(self, operands: Iterable[Operand]) -> None:
        """Free the registers among operands that no variable means."""
        for one in operands:
            if one.kind == REGISTER and one not in self._stale and one.value not in self._holders:
                self._stale[one] = None
                self._free.append(one.value)

    def add_free(self, registers: Iterable[int]) -> None:
        """Say that nothing uses these registers any more."""
        self._free += registers

    def names_since(self, before: Iterable[str]) -> set[str]:
        """Return the variables that came into scope."""
        return set(self._at) - set(before)

    def snapshot(self) -> tuple[dict[str, Operand], list[int], dict[Operand, None]]:
        """Return what a branch begins with."""
        return dict(self._at), list(self._free), dict(self._stale)

    def restore(self, kept: tuple[dict[str, Operand], list[int], dict[Operand, None]]) -> None:
        """Begin another branch, with what a snapshot has."""
        at, free, self._stale = kept
        self._at = dict(at)
        self._holders = {}
        for name, operand in at.items():
            if operand.kind == REGISTER:
                self._holders.setdefault(operand.value, set()).add(name)
        self._free = free
