"""PrimFuncs in the form for calls like one that fitted before: on small arrays of the same dtypes and shapes. [TIR.21]

What the entry of a function tests depends on dtypes, shapes and numbers alone, but for the memory of the arrays. So a
combination of these that passed once is known to pass; what is left to do at a call is to look it up, and to see that
arrays that are stored to can be, and share no memory with others: arrays that own their memory and are not the same
object do not. What sizes decide is found beside the combination.
"""

from __future__ import annotations

from relax_lang.syntax import dtypes, tree
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref, names_in
from relax_lang.tir.codegen.calls.blocks import in_one_block
from relax_lang.tir.codegen.calls.size_values import SizeValues
from relax_lang.tir.codegen.calls.small_arrays import with_results_named, with_ufuncs, without_restoring
from relax_lang.tir.codegen.passes.effects import ARE_APART, definitions, pairs_apart
from relax_lang.tir.codegen.passes.float_flags import may_raise_flags
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.codegen.passes.values.dead_code import remove_unused
from relax_lang.tir.codegen.printer.module import module_with
from relax_lang.tir.codegen.printer.statements import Printer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.printer.module import Generated, Module

AGAIN, REMEMBER, KNOWN, KEEP, RAISES_FLAGS = "_again", "_remember", "_known", "_keep", "_raises_flags"
"""The names of the functions of such a module, of the combinations that passed with what sizes decide in them, and of
the function that adds one, which its loader adds; and whether NumPy may warn. No name of a program begins like them.
"""
IGNORING = '@np.errstate(all="ignore")'
_FLAGS, _FOUND = "_flags", "_found"


def repeated_calls(code: Generated) -> Module | None:
    """Return the module of calls like earlier ones; None if numbers that are not integers decide whether calls pass.

    `again` runs a call that is like one that was remembered and returns true, or does nothing. `remember` is given the
    arguments of a call that passed. `RAISES_FLAGS` is whether `again` may do what NumPy warns about.
    """
    floats = {
        name
        for name, param in code.params
        if isinstance(param, tree.ScalarParam) and dtypes.is_float(param.dtype.name)
    }
    entry, body = code.parts
    sizes: list[Statement] = [one for one in entry if not isinstance(one, ir.Require)]
    tests = [one for statement in entry if isinstance(statement, ir.Require) for one in statement.conditions]
    if any(not floats.isdisjoint(names_in(one)) for one in [*sizes, *tests]):
        return None
    whole, wanted = whole_blocks(body)
    if {name for name, _ in wanted} <= {*definitions(sizes)}:
        body = whole
    else:
        wanted = []
    printer = Printer(code.fresh)
    names = [name for name, _ in code.params]
    given = signature_of(code)
    numbers = {name for name, param in code.params if isinstance(param, tree.ScalarParam)} - floats
    decided = SizeValues({*definitions(sizes), *numbers}, code.fresh)
    body = decided.taken_from(without_restoring([with_ufuncs(statement) for statement in body], code.written))
    body = with_results_named(body)
    used = names_in(ir.Restoring((), body))
    kept = [name for name in dict.fromkeys(definitions([*sizes, *decided.definitions])) if name in used]
    same = [ir.ScalarOp("==", (Ref(name), size)) for name, size in wanted]
    found = [*sizes, *([ir.Require(tuple(same))] if same else []), *decided.definitions]
    values = "".join([f"{name}, " for name in kept])
    remember = [
        IGNORING,
        f"def {REMEMBER}({', '.join(names)}):",
        *lines_of(printer, found, kept),
        f"    {KEEP}({_combination(code)}, ({values}))",
    ]
    again = [
        f"def {AGAIN}({given}):",
        f"    if {kinds_differ(code)}:",
        "        return False",
        f"    {_FOUND} = {KNOWN}.get({_combination(code)})",
        f"    if {_FOUND} is None:",
        "        return False",
        *memory_tests(code, printer),
        *([f"    {values}= {_FOUND}"] if kept else []),
        *lines_of(printer, body),
        "    return True",
    ]
    flags = [f"{RAISES_FLAGS} = {may_raise_flags(code.func, body)}"]
    return module_with(printer.helpers, ["\n".join(part) for part in (flags, remember, again)])


def signature_of(code: Generated) -> str:
    """Return the parameters of a function that runs a call."""
    options = [*(["empty=np.empty"] if code.allocates else []), *(["call_extern"] if code.externs else [])]
    return ", ".join([*[name for name, _ in code.params], *(["*", *options] if options else [])])


def whole_blocks(body: list[Statement]) -> tuple[list[Statement], list[tuple[str, ir.Scalar]]]:
    """Return statements in which blocks of rows are the whole, and sizes that names must have for that."""
    match body:
        case [ir.Restoring(arrays, inner)]:
            made, wanted = in_one_block(inner)
            return [ir.Restoring(arrays, made)], wanted
        case _:
            return in_one_block(body)


def lines_of(printer: Printer, body: list[Statement], wanted: Sequence[str] = ()) -> list[str]:
    """Return the lines of statements, without what nothing uses; some names are used after them."""
    used = ir.Evaluate(ir.Tuple(tuple([Ref(name) for name in wanted])))
    kept = [*[mapped(statement, lambda part: part) for statement in body], used]  # with lists of their own
    remove_unused(kept)
    kept.pop()
    start = len(printer.lines)
    printer.body(kept)
    return printer.lines[start:]


def tables_function(name: str, printer: Printer, tables: Sequence[ir.Define]) -> list[str]:
    """Return the lines of a function that returns what sizes decide, by its names."""
    names = definitions(tables)
    returned = ", ".join([f"{one!r}: {one}" for one in names])
    return [f"def {name}():", *lines_of(printer, [*tables], names), f"    return {{{returned}}}"]


def arrays_of(code: Generated) -> list[str]:
    """Return the names of the parameters that are arrays."""
    return [name for name, param in code.params if isinstance(param, tree.Buffer)]


def kinds_differ(code: Generated) -> str:
    """Return the test that some argument is not of the class that its parameter wants."""
    tests = [f"type({name}) is not np.ndarray" for name in arrays_of(code)]
    for name, param in code.params:
        if not isinstance(param, tree.Buffer):
            kind = "float" if dtypes.is_float(param.dtype.name) else "int"
            tests.append(f"type({name}) is not {'bool' if param.dtype.name == dtypes.BOOL else kind}")
    return " or ".join(tests)


def _combination(code: Generated) -> str:
    """Return what decides whether a call passes."""
    parts: list[str] = []
    for name, param in code.params:
        if isinstance(param, tree.Buffer):
            parts += [f"{name}.shape", f"{name}.dtype"]
        elif not dtypes.is_float(param.dtype.name):
            parts.append(name)
    return f"({''.join([f'{part}, ' for part in parts])})"


def memory_tests(code: Generated, printer: Printer) -> list[str]:
    """Return the lines that find arrays that cannot be stored to, or share memory."""
    written, writable = code.written, code.writable
    if not writable:
        return []
    arrays = arrays_of(code)
    pairs = pairs_apart(written, arrays)
    flags = {name: f"{_FLAGS}_{at}" for at, name in enumerate(writable)}
    lines = [f"    {flag} = {name}.flags" for name, flag in flags.items()]
    lines += [f"    if not ({' and '.join([f'{flag}.writeable' for flag in flags.values()])}):"]
    lines += ["        return False"]
    if pairs:
        owners = [f"{flags.get(name, f'{name}.flags')}.owndata" for name in arrays]
        apart = " and ".join([*owners, *[f"{one} is not {other}" for one, other in pairs]])
        shared = " or ".join([f"np.may_share_memory({one}, {other})" for one, other in pairs])
        lines += [f"    if not ({apart}) and ({shared}):", "        return False"]
    elif pairs is None:
        groups = written, [name for name in arrays if name not in written]
        tuples = ", ".join([f"({''.join([f'{name}, ' for name in group])})" for group in groups])
        printer.helpers.add(ARE_APART)
        lines += [f"    if not {ARE_APART}({tuples}):", "        return False"]
    return lines
