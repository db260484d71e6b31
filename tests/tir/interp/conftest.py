"""Both ways to run a PrimFunc."""

from __future__ import annotations

import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import checked, interpret


@pytest.fixture(params=["interpreter", "compiled"])
def run(request):
    """Run a text on arguments; each test that takes this runs on both engines. [TIR.21]"""

    def run_text(text: str, *args, **kwargs) -> None:
        func = checked(text)
        if request.param == "interpreter":
            interpret(func, *args, **kwargs)
        else:
            compile_prim_func(func).run(*args, **kwargs)

    return run_text
