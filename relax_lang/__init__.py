"""The standalone toolchain for Relax, the graph-level IR of Apache TVM.

`relax_lang.api` is the public surface. Importing this package imports nothing else: the few names that are
reachable from here are fetched when they are first used.
"""

from __future__ import annotations

import os
import sys

from relax_lang._version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from relax_lang.api import RelaxError, to_onnx
    from relax_lang.builder.infos import Callable, Object, Shape, Tensor, Tuple
    from relax_lang.builder.operators import op
    from relax_lang.modules.block_builder import BlockBuilder
    from relax_lang.modules.loaded import load, loads
    from relax_lang.modules.models import from_onnx
    from relax_lang.modules.tvm import from_tvm, from_tvmscript, to_tvm, to_tvmscript
    from relax_lang.modules.virtual_machine import VirtualMachine, build
    from relax_lang.ops.plugins.register import register_op
    from relax_lang.runtime.calling.packed import register_packed_func
    from relax_lang.te.expr import dim
    from relax_lang.values import ShapeValue

__all__ = [
    "BlockBuilder",
    "Callable",
    "Object",
    "RelaxError",
    "Shape",
    "ShapeValue",
    "Tensor",
    "Tuple",
    "VirtualMachine",
    "__version__",
    "build",
    "dim",
    "from_onnx",
    "from_tvm",
    "from_tvmscript",
    "load",
    "loads",
    "op",
    "register_op",
    "register_packed_func",
    "to_onnx",
    "to_tvm",
    "to_tvmscript",
]
__version__ = VERSION

_ELSEWHERE = {
    "BlockBuilder": "relax_lang.modules.block_builder",
    "Callable": "relax_lang.builder.infos",
    "Object": "relax_lang.builder.infos",
    "Shape": "relax_lang.builder.infos",
    "Tensor": "relax_lang.builder.infos",
    "Tuple": "relax_lang.builder.infos",
    "VirtualMachine": "relax_lang.modules.virtual_machine",
    "build": "relax_lang.modules.virtual_machine",
    "dim": "relax_lang.te.expr",
    "op": "relax_lang.builder.operators",
    "RelaxError": "relax_lang.api",
    "from_onnx": "relax_lang.modules.models",
    "to_onnx": "relax_lang.api",
    "from_tvm": "relax_lang.modules.tvm",
    "from_tvmscript": "relax_lang.modules.tvm",
    "to_tvm": "relax_lang.modules.tvm",
    "to_tvmscript": "relax_lang.modules.tvm",
    "ShapeValue": "relax_lang.values",
    "load": "relax_lang.modules.loaded",
    "loads": "relax_lang.modules.loaded",
    "register_op": "relax_lang.ops.plugins.register",
    "register_packed_func": "relax_lang.runtime.calling.packed",
}

_PACKAGES = ("api", "relay", "te", "topi")


def __getattr__(name: str) -> object:
    """Fetch a public name from the module that defines it."""
    if (
        name not in _PACKAGES and name not in _ELSEWHERE
    ):  # `from relax_lang import …` asks before it loads a module
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if name in _PACKAGES:
        return importlib.import_module(f"relax_lang.{name}")
    return getattr(importlib.import_module(_ELSEWHERE[name]), name)


def __dir__() -> list[str]:
    """List the public names, whether they were fetched yet or not, and nothing else."""
    return sorted({*__all__, *_PACKAGES})


class _Checkout:
    """Finds `relax_lang.cli`, `relax_lang.grammar` and `relax_lang.std` in a bare checkout.

    They are folders of their own at the top of the repository; an installed package has them inside.
    """

    ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    NAMES = ("relax_lang.cli", "relax_lang.grammar", "relax_lang.std")

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find one of the folders beside this package."""
        if fullname not in cls.NAMES:
            return None
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(fullname, [cls.ROOT], target)


if not os.path.isdir(os.path.join(os.path.dirname(__file__), "cli")):
    # Before the finder of an editable install, which may belong to another checkout.
    sys.meta_path.insert(0, _Checkout)
