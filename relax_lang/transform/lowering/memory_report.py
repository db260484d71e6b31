"""MemoryReport: what the plan of memory takes, what lives at once, and which tensors share storages."""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.base.wording import counted
from relax_lang.format.printer import show
from relax_lang.transform.pass_manager.context import Instrument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.syntax import tree
    from relax_lang.transform.lowering.places import Life, Storage


class StorageUse(NamedTuple):
    """One storage: its name, its bytes, the most that live in it at once, their sum, and the tensors in it."""

    name: str
    planned: str
    peak: str
    total: str
    tensors: list[tuple[str, str, str]]
    """Names with the offset and the bytes of each, in the order in which they are made."""


class MemoryReport(Instrument):
    """Collects the plans that `StaticPlanBlockMemory` makes: for each function its storages, sizes in bytes.

    Sizes with shape variables are written with these: `n * 32`. Tensors that are not planned, such as the result of a
    function, are not among them.
    """

    def __init__(self) -> None:
        self.functions: dict[str, list[StorageUse]] = {}

    def planned(
        self, function: tree.Function, storages: Mapping[str, Storage], lives: Sequence[Life]
    ) -> None:
        """Take the plan of a body or a branch: storages by name, and the tensors that are placed."""
        assert function.name is not None
        rows = self.functions.setdefault(show(function.name), [])
        for name, storage in storages.items():
            inside = [life for life in lives if life.name in storage.offsets]
            peak = max(
                sum(one.units for one in inside if one.first <= life.first <= one.last) for life in inside
            )
            tensors = [
                (
                    life.name,
                    show(storage.octets(storage.offsets[life.name])),
                    show(storage.octets(life.units)),
                )
                for life in inside
            ]
            sizes = (storage.units, peak, sum(life.units for life in inside))
            most, at_once, total = [show(storage.octets(size)) for size in sizes]
            rows.append(StorageUse(name, most, at_once, total, tensors))

    def table(self) -> str:
        """Return a line for each storage, with a line for each tensor in it."""
        lines: list[str] = []
        for function, storages in self.functions.items():
            for one in storages:
                shared = counted(len(one.tensors), "tensor")
                lines.append(
                    f"{function}: `{one.name}`: {one.planned} bytes for {shared}; "
                    f"at most {one.peak} live at once, {one.total} in all"
                )
                lines += [f"  `{name}`: {size} bytes from {offset}" for name, offset, size in one.tensors]
        return "".join([f"{line}\n" for line in lines]) or "no memory is planned\n"
