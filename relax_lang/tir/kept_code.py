"""The code of compiled PrimFuncs in a form that outlives a process. [TIR.21]

What is kept is the byte code of the generated function: it calls the functions of the runtime library, which are there
already. The cache that keeps it decides whose it is; see `files.cache`.
"""

from __future__ import annotations

import marshal
from hashlib import sha256
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from relax_lang.tir import runtime_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tir.codegen.printer.module import Generated
    from relax_lang.tir.loops.steps import Operations

    Entry = tuple[bool, bool, bool, str, bytes, Operations | None, bool, bool]


class KeptCode(NamedTuple):
    """Whether there is code for a PrimFunc; whether it allocates; whether some of it runs one element after the
    other; the name of its function; its byte code; how many operations that runs; whether its loops run operations on
    single elements; whether they run over wavefronts.
    """

    vectorized: bool
    allocates: bool
    stays_sequential: bool
    name: str
    code: bytes
    operations: Operations | None = None
    by_elements: bool = False
    in_waves: bool = False

    @staticmethod
    def entry(
        code: Generated | None,
        stays_sequential: bool,
        operations: Operations | None,
        by_elements: bool = False,
        in_waves: bool = False,
    ) -> Entry | None:
        """Return what to keep; None if packed functions are called, since these calls belong to the program."""
        if code is None:
            return False, False, True, "", b"", None, False, False
        if code.externs:
            return None
        text = "\n".join(code.lines(code.name))
        file = f"<relax prim_func {sha256(text.encode()).hexdigest()[:16]}>"
        made = compile(text, file, "exec")  # annotations stay text, as they do in this module
        counted = operations if stays_sequential or in_waves else None
        data = marshal.dumps(made)
        return True, code.allocates, stays_sequential, code.name, data, counted, by_elements, in_waves

    def load(self) -> tuple[Callable[..., None], type[Exception]]:
        """Return the function, and what it raises where the scalar interpreter has to take over."""
        code = marshal.loads(self.code)
        assert isinstance(code, CodeType)
        namespace = names_of_library(self.code)
        exec(code, namespace)
        return namespace[self.name], namespace["NotVectorized"]


def names_of_library(data: bytes) -> dict[str, Any]:
    """Return what names mean in byte code that was kept: the runtime library, and the packages that it mentions."""
    namespace: dict[str, Any] = {"__name__": "relax_prim_func", "np": np, **runtime_library.FUNCTIONS}
    if b"ml_dtypes" in data:
        import ml_dtypes

        namespace["ml_dtypes"] = ml_dtypes
    return namespace
