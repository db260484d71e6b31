"""The virtual machine for users of Python: executables and their functions, to be called with arrays.

>>> import numpy as np
>>> machine = VirtualMachine(build("def @main(x: Tensor[(n,), float32]) { x * 2.0 }"))
>>> machine["main"](np.array([1, 2], np.float32))
array([2., 4.], dtype=float32)
"""

from __future__ import annotations

import os

from relax_lang.api.executables import build, read_executable, start_executable
from relax_lang.api.running import run_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from relax_lang.vm.executable import Executable

__all__ = ["VirtualMachine", "build"]


class VirtualMachine:
    """An executable that runs: a mapping from the names of its functions to the functions.

    `executable` is what `build` returned, or the path of an `.rlxe` file. `packed` are packed functions for this
    machine alone. With the mode `generated` functions become Python when they are first called. Functions take NumPy
    arrays and numbers as `relax_lang.api.run` does, and raise RelaxError.
    """

    def __init__(
        self,
        executable: Executable | str | os.PathLike[str],
        *,
        packed: Mapping[str, Callable[..., object]] | None = None,
        mode: str = "loop",
    ) -> None:
        if isinstance(executable, str | os.PathLike):
            executable = read_executable(os.fspath(executable), keep_code=True)
        self.executable = executable
        self._session = start_executable(executable, packed=packed, keep_code=executable.from_file, mode=mode)

    def __getitem__(self, name: str) -> Callable[..., object]:
        """Return a function. Raises KeyError if there is none of that name."""
        if name not in self._session.entries():
            known = ", ".join(self)
            raise KeyError(f"the executable has no function {name!r}; there are: {known or 'none'}")
        return lambda *arguments, **named: run_session(self._session, name, arguments, named)

    def __iter__(self):
        return iter(self._session.entries())

    def __len__(self) -> int:
        return len(self._session.entries())

    def __repr__(self) -> str:
        """Name the functions."""
        return f"<virtual machine: {', '.join(['@' + name for name in self])}>"
