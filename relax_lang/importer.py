"""Relax programs as Python modules: after `import relax_lang.importer`, `import my_model` finds `my_model.rlx`.

    import relax_lang.importer
    import my_model              # my_model.rlx, in any folder of sys.path

    my_model.main(x)

The functions of the program are functions of the module; `my_model.relax` is what `relax_lang.load` returns. A program
with errors raises ImportError. Python modules of the same name come first.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec

from relax_lang.api import RelaxError
from relax_lang.files.programs import SUFFIX
from relax_lang.modules.loaded import Function, Module, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class Finder:
    """Finds programs on the paths where Python looks for modules."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module that is a program, or None if there is none of that name."""
        del target
        name = fullname.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            file = os.path.join(folder or os.curdir, name + SUFFIX)
            if os.path.isfile(file):
                return ModuleSpec(fullname, ProgramLoader(file), origin=file)
        return None


class ProgramLoader(Loader):
    """Loads one program into a Python module."""

    def __init__(self, path: str) -> None:
        self.path = path

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Let Python make the module."""
        del spec

    def exec_module(self, module: ModuleType) -> None:
        """Load the program, and make its functions those of the module. Raises ImportError."""
        try:
            loaded = load(self.path)
        except RelaxError as error:
            raise ImportError(str(error), name=module.__name__, path=self.path) from error
        module.__file__ = self.path
        module.__doc__ = f"The Relax program {self.path}."
        before = module.__dict__.get("relax")
        for name in before if isinstance(before, Module) else ():  # it is loaded again
            if isinstance(module.__dict__.get(name), Function):
                del module.__dict__[name]
        module.__dict__["relax"] = loaded
        for name in loaded:
            if name != "relax" and not name.startswith("__"):  # these are Python's
                module.__dict__[name] = loaded[name]


def install() -> None:
    """Make programs importable; importing this module does that."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)


install()
