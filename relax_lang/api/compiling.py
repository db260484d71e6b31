"""The Python code that programs run as."""

from __future__ import annotations

from relax_lang.api.programs import check_sound
from relax_lang.base.python.recursion import deep_recursion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.api.programs import AnyProgram
    from relax_lang.tir.compile import Compiled


def compile(program: AnyProgram) -> dict[str, Compiled]:  # noqa: A001 - the verb everybody expects
    """Return the NumPy code of every PrimFunc by name; raises RelaxError if the program has errors.

    >>> text = "prim_func @f(X: Buffer[(2,), int32]) { for i in 0..2 { X[i] = 0; } }"
    >>> "def " in compile(text)["f"].source
    True
    """
    from relax_lang.syntax.tree import PrimFunc
    from relax_lang.tir.compile import compile_prim_func

    checked = check_sound(program)
    with deep_recursion():
        return {
            item.name.name_hint: compile_prim_func(item)
            for item in checked.tree.items
            if isinstance(item, PrimFunc)
        }


def numpy_module(program: AnyProgram) -> str:
    """Return one Python module with the NumPy code of all PrimFuncs, that needs NumPy only; raises RelaxError if the
    program has errors.

    >>> text = "prim_func @double(X: Buffer[(n,), int32]) { for i in 0..n { X[i] = X[i] * 2; } }"
    >>> "def double(X: np.ndarray) -> None:" in numpy_module(text)
    True
    """
    from relax_lang.tir.compile import module_of

    return module_of(compile(program).values())


def dump_passes(program: AnyProgram, passes: Collection[str]) -> dict[str, list[tuple[str, list[str]]]]:
    """Return what passes of the compilation make of every PrimFunc: by its name, names of passes with lines of text.

    Raises RelaxError if the program has errors.

    >>> text = "prim_func @f(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = X[i] * 2.0 + 1.0; } }"
    >>> for line in dump_passes(text, ["destination-passing"])["f"][0][1]:
    ...     print(line)
    # loop over i: elementwise over i
    into X = X * 2.0
    into X = X + 1.0
    """
    from relax_lang.syntax.tree import PrimFunc
    from relax_lang.tir.vectorize import dump_passes as dumped

    checked = check_sound(program)
    with deep_recursion():
        return {
            item.name.name_hint: dumped(item, passes)
            for item in checked.tree.items
            if isinstance(item, PrimFunc)
        }


def compile_functions(program: AnyProgram) -> str:
    """Return the Python code that a program's functions run as; raises RelaxError if the program has errors.

    >>> print(compile_functions("def @main(x: Tensor[(n,), float32]) { exp(x) }"), end="")
    # Functions of a Relax program, as they run
    # check_arguments_of_main: what the annotations of @main say
    <BLANKLINE>
    <BLANKLINE>
    def main(x):
        n = check_arguments_of_main(x)
        gv = np.exp(x)
        del x
        return gv
    """
    from relax_lang.runtime.compiler.program import compile_module

    checked = check_sound(program)
    with deep_recursion():
        return compile_module(checked.normal, checked.source.text, checked.inferred.proved).text
