"""PrimFuncs in the form for calls like one that came again and again: on small arrays of certain shapes. [TIR.21]

What sizes decide is decided here: conditions, loops of few steps, arrays of indices, how few elements there are. A call
is compared with the one that the form was made for, and goes to another form where it is not like that.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.codegen.calls.constant_folding import ConstantFolding, known_sizes
from relax_lang.tir.codegen.calls.dot_products import with_small_products
from relax_lang.tir.codegen.calls.few_elements import on_few_elements
from relax_lang.tir.codegen.calls.forms import TINY, size_class
from relax_lang.tir.codegen.calls.repeated_calls import (
    AGAIN,
    IGNORING,
    arrays_of,
    lines_of,
    memory_tests,
    signature_of,
    tables_function,
    whole_blocks,
)
from relax_lang.tir.codegen.calls.size_values import SizeValues
from relax_lang.tir.codegen.calls.small_arrays import (
    with_results_named,
    with_sums_of_few_rows,
    with_ufuncs,
    without_restoring,
)
from relax_lang.tir.codegen.printer.module import module_with
from relax_lang.tir.codegen.printer.statements import Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.tir.array_ir.nodes import Scalar
    from relax_lang.tir.codegen.printer.module import Generated, Module

    Shape = tuple[int, ...]

OTHERS, MAKE, DTYPES = "_others", "_make", "_dtype_"
"""The names of what runs other calls, of the function that returns what sizes decide by its name, and of the dtypes of
the arrays, with the position of each; the loader of the module adds the first, the last, and what the second returns.
"""
_ARRAY = "_array"


class Example(NamedTuple):
    """A call: the shapes of its arrays by their names, and its scalars that are not floats, by theirs."""

    shapes: dict[str, Shape]
    numbers: dict[str, int]


def example_of(code: Generated, values: Sequence[Any]) -> Example:
    """Return what is certain in calls like one."""
    shapes: dict[str, Shape] = {}
    numbers: dict[str, int] = {}
    for (name, param), value in zip(code.params, values, strict=True):
        if isinstance(param, tree.Buffer):
            shapes[name] = value.shape
        elif isinstance(value, int):
            numbers[name] = value
    return Example(shapes, numbers)


def certain_calls(code: Generated, example: Example) -> Module | None:
    """Return the module of calls like one that passed; None where sizes do not decide what the entry defines.

    `again` is as in `repeated_calls`; `OTHERS` runs calls that differ.
    """
    entry, body = code.parts
    plain = {name: value for name, value in example.numbers.items() if not isinstance(value, bool)}
    sizes = known_sizes(entry, example.shapes, plain)
    if sizes is None:
        return None
    whole, wanted = whole_blocks(body)
    numbers = {**sizes, **plain}
    if _are_so(wanted, numbers):
        body = whole
    folding = ConstantFolding(numbers, code.fresh)
    body = without_restoring(folding.folded([with_ufuncs(one) for one in body]), code.written)
    if size_class([*example.shapes.values()]) == TINY:
        body = [with_sums_of_few_rows(statement) for statement in body]
    body = [with_small_products(statement) for statement in body]
    decided = SizeValues((), code.fresh)
    body = on_few_elements(decided.taken_from(with_results_named(body)), decided.definitions)
    printer = Printer(code.fresh, by_position=True)
    make = [IGNORING, *tables_function(MAKE, printer, decided.definitions)]
    again = [
        f"def {AGAIN}({signature_of(code)}):",
        f"    if not ({_is_like(code, example)}):",
        f"        return {OTHERS}({_given(code)})",
        *memory_tests(code, printer),
        *lines_of(printer, body),
        "    return True",
    ]
    first = [f"{_ARRAY} = np.ndarray"]
    return module_with(printer.helpers, ["\n".join(part) for part in (first, make, again)])


def _are_so(wanted: Sequence[tuple[str, Scalar]], numbers: dict[str, int]) -> bool:
    """Return whether names are the sizes that they have to be."""
    folding = ConstantFolding(numbers)
    return all(folding.part(Polynomial.name(name)) == folding.part(size) for name, size in wanted)


def _is_like(code: Generated, example: Example) -> str:
    """Return the test that a call is like the example, as far as its memory does not matter."""
    arrays = arrays_of(code)
    tests = [f"{' is '.join([*[f'type({name})' for name in arrays], _ARRAY])}"] if arrays else []
    tests += [f"{name}.shape == {example.shapes[name]!r}" for name in arrays]
    tests += [f"{name}.dtype is {DTYPES}{at}" for at, name in enumerate(arrays)]
    for name, param in code.params:
        if isinstance(param, tree.Buffer):
            continue
        if dtypes.is_float(param.dtype.name):
            tests.append(f"type({name}) is float")
        elif param.dtype.name == dtypes.BOOL:
            tests.append(f"{name} is {example.numbers[name]!r}")
        else:
            tests += [f"type({name}) is int", f"{name} == {example.numbers[name]!r}"]
    return " and ".join(tests)


def _given(code: Generated) -> str:
    options = [*(["empty"] if code.allocates else []), *(["call_extern"] if code.externs else [])]
    return ", ".join([*[name for name, _ in code.params], *[f"{one}={one}" for one in options]])
