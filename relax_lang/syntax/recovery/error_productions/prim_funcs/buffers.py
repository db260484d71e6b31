"""Error productions for buffers, axes and blocks of PrimFuncs: what other notations leave out or turn round. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table, tree
from relax_lang.syntax.builders.foreign_prim_funcs import elements_of
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    replace_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

VALUE = re.compile(r"=\s*+([^;{}\n]++);")
REMAP = re.compile(
    r"([^\W\d]\w*(?:\s*+,\s*+[^\W\d]\w*)*)\s*+=\s*+(?:(?:T\.)?axis\.)?remap\(\s*+\"([SR]+)\"\s*+,\s*+\[?([\w\s,]*+)\]?\s*+\)"
)
NAMES = re.compile(r"\w+")
SCALAR_BUFFER = re.compile(r"Buffer\[\s*\(\s*\)\s*,")


def no_index(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`S[] = x;`"""
    if kind != KIND["RSQB"] or lalr_table.symbol(run.states[-1]) != "LSQB" or not in_prim_func(run):
        return None
    if lalr_table.fits(run.states, [KIND["LPAR"], KIND["RPAR"], KIND["RSQB"]]) < 3 or not last_name(run, 2):
        return None
    name = last_name(run, 2)
    found = diag.syntax((pos - 1, end), f"the element of a buffer without dimensions is written `{name}[()]`")
    rank = _rank(run, name)
    if rank:
        return None
    title = f"write `{name}[()]`" if rank == 0 else f"write `{name}[()]`, if it has none"
    run.builder.report(found.replace((pos, pos), "()", title, applicability=SAFE if rank == 0 else UNSAFE))
    run.shift(KIND["LPAR"], "(", pos, pos)
    run.shift(KIND["RPAR"], ")", pos, pos)
    return pos


def _rank(run: Run, name: str) -> int | None:
    """Return how many dimensions a buffer has that was read already; None if it is not known."""
    buffer = elements_of.declared(run.builder, tree.PrimVar(name))
    return None if buffer is None else len(buffer.shape)


def scalar_allocation(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`alloc s: float32;`, `alloc s: float32 = 0.0;`"""
    symbols = [lalr_table.symbol(state) for state in run.states[-4:]]
    dtype = last_name(run)
    if dtype not in DTYPES or symbols[:1] != ["ALLOC"] or kind not in (KIND["SEMICOLON"], KIND["ASSIGN"]):
        return None
    name = last_name(run, 3)
    form = f"Buffer[(), {dtype}]"
    place = (run.starts[-1], run.last_end)
    value = VALUE.match(run.text, pos) if kind == KIND["ASSIGN"] else None
    edits = [Edit(*place, form)]
    rest = ""
    if value is not None:
        rest = f"; {name}[()] ="
        edits.append(Edit(place[1], pos + 1, rest))
    if not replace_tokens(run, len(run.states) - 1, f"{form}{rest}", *place):
        return None
    found = diag.syntax(place, "memory is allocated as a buffer, here without dimensions")
    run.builder.report(found.fix(f"write `alloc {name}: {form}{rest}`", *edits, applicability=SAFE))
    return end if value is not None else pos


def allocation_with_value(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`alloc T: Buffer[(n,), float32] = 0.0;`"""
    if kind != KIND["ASSIGN"] or lalr_table.symbol(run.states[-1]) != "RSQB" or not in_prim_func(run):
        return None
    depth = depth_of(run, "ALLOC", "tir_statements")
    value = VALUE.match(run.text, pos)
    if lalr_table.symbol(run.states[depth]) != "ALLOC" or value is None:
        return None
    name = str(run.values[depth + 1])
    found = diag.syntax(
        (pos, value.end() - 1), "an `alloc` has no value: its elements are stored to after it"
    )
    behind = run.last_end
    run.shift(KIND["SEMICOLON"], ";", pos, pos)
    if SCALAR_BUFFER.match(run.text, run.text.find("Buffer", run.starts[depth])) is None:
        run.builder.report(
            found.helped(f"store to its elements: `{name}[…] = {value[1].rstrip()};`, in a loop")
        )
        return value.end()
    form = f"; {name}[()] ="
    run.builder.report(
        found.replace((behind, end), form, f"write `{form[2:]} {value[1].rstrip()};`", applicability=SAFE)
    )
    for terminal, word in (("NAME", name), ("LSQB", "["), ("LPAR", "("), ("RPAR", ")"), ("RSQB", "]")):
        run.shift(KIND[terminal], word, pos, pos)
    return pos


def block_without_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block { … }`, `block (v = spatial(i)) { … }`"""
    if lalr_table.symbol(run.states[-1]) != "BLOCK" or kind not in (KIND["LBRACE"], KIND["LPAR"]):
        return None
    place = (run.starts[-1], run.last_end)
    found = diag.syntax(place, "a block has a name")
    run.builder.report(found.replace((place[1], place[1]), " b", "write `block b`", applicability=SAFE))
    run.shift(KIND["NAME"], "b", place[1], place[1])
    return pos


def remap_in_head(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block b (vi, vj = remap("SS", [i, j])) {`"""
    if kind not in (KIND["COMMA"], KIND["ASSIGN"], KIND["STRING"]) or not in_prim_func(run):
        return None
    depth = depth_of(run, "BLOCK", "tir_statements")
    depth += 3
    if depth >= len(run.states) or lalr_table.symbol(run.states[depth - 1]) != "LPAR":
        return None
    written = REMAP.match(run.text, run.starts[depth])
    if written is None:
        return None
    names, values = NAMES.findall(written[1]), NAMES.findall(written[3])
    if not len(names) == len(values) == len(written[2]):
        return None
    axes = [
        f"{name} = {'reduce' if one == 'R' else 'spatial'}({value})"
        for name, one, value in zip(names, written[2], values, strict=True)
    ]
    form = ", ".join(axes)
    if not replace_tokens(run, depth, form, *written.span()):
        return None
    found = diag.syntax(written.span(), "each axis of a block has a kind and a value")
    run.builder.report(found.replace(written.span(), form, f"write `{form}`", applicability=SAFE))
    return written.end()


def domain_first(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block b (v = spatial(n, i)) {`: the order of `T.axis.spatial`."""
    if kind != KIND["RPAR"] or lalr_table.feed(run.states, KIND["DOTDOT"]) is None or not in_prim_func(run):
        return None
    depth = depth_of(run, "COMMA")
    if lalr_table.symbol(run.states[depth - 2]) != "LPAR" or not _names_kind(run, depth - 3):
        return None
    start = run.starts[depth - 1]
    reported = run.builder.diagnostics
    if reported and reported[-1].pos >= start:  # how its operands were mended is a guess
        return None
    extent, value = (
        run.text[start : run.starts[depth]].rstrip(),
        run.text[run.starts[depth + 1] : run.last_end],
    )
    form = f"{value}, 0..{extent}"
    if not replace_tokens(run, depth - 1, form, start, pos):
        return None
    found = diag.syntax((start, pos), "the value of an axis comes first, then its domain")
    if extent == value:  # no axis is below its own value
        run.builder.report(found.helped(f"write `{value}`, or `{value}, 0..n` where its extent is `n`"))
    else:
        run.builder.report(found.replace((start, pos), form, f"write `{form}`", applicability=UNSAFE))
    return pos


def view_without_type(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let V = A[i, 0..4];`"""
    if kind != KIND["DOTDOT"] or not in_prim_func(run):
        return None
    depth = depth_of(run, "LET", "tir_statements")
    symbols = [lalr_table.symbol(state) for state in run.states[depth : depth + 5]]
    if symbols[:1] != ["LET"] or symbols[2:3] != ["ASSIGN"] or "LSQB" not in symbols:
        return None
    name = run.text[run.starts[depth + 1] : run.starts[depth + 2]].strip()
    place = (run.starts[depth + 1], run.starts[depth + 1] + len(name))
    found = diag.syntax(place, "a view has dimensions and a dtype")
    run.builder.report(
        found.helped(f"write `let {name}: Buffer[(…), …] = …`, with a dimension for each range")
    )
    run.builder.gaps.append((run.starts[depth], end))
    return SKIP


def _names_kind(run: Run, depth: int) -> bool:
    return depth > 0 and run.values[depth] in ("spatial", "reduce", "scan", "opaque")


def constant(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`const x = 1;`"""
    if kind != KIND["CONST"] or not in_prim_func(run) or lalr_table.feed(run.states, KIND["LET"]) is None:
        return None
    if upcoming[1:2] != [KIND["NAME"]] or upcoming[2:3] not in ([KIND["ASSIGN"]], [KIND["COLON"]]):
        return None
    found = diag.syntax((pos, end), "a variable is bound with `let`, not `const`")
    run.builder.report(found.replace((pos, end), "let", "write `let`", applicability=SAFE))
    run.shift(KIND["LET"], None, pos, end)
    return end


def incremented_element(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`B[i]++;`, where the value of a PrimFunc could be, so that the first `+` was read as an operator."""
    if kind == KIND["SEMICOLON"]:
        return _decremented_element(run, pos)
    is_second = run.text[pos - 1 : end] == "++" and run.last_end == pos and begins_statement(run, 2)
    if not is_second or lalr_table.symbol(run.states[-1]) != "PLUS" or upcoming[1:2] != [KIND["SEMICOLON"]]:
        return None
    drop_last(run)
    return end if _with_assignment(run, "+", pos - 1, end) else None


def _decremented_element(run: Run, pos: int) -> int | None:
    """`B[i]--;`, where the second `-` was read as a sign."""
    symbols = [lalr_table.symbol(state) for state in run.states[-2:]]
    if run.text[run.last_end - 2 : run.last_end] != "--" or symbols != ["MINUS", "MINUS"]:
        return None
    stop = run.last_end
    drop_last(run)
    drop_last(run)
    return pos if _with_assignment(run, "-", stop - 2, stop) else None


def _with_assignment(run: Run, sign: str, mark: int, stop: int) -> bool:
    """Read the element before `++` or `--`, which is at `mark`, as `B[i] += 1`; return whether it is one."""
    start = run.starts[-1]
    target = run.text[start : run.last_end]
    form = f"{target} {sign}= 1"
    if not target.endswith("]") or not replace_tokens(run, len(run.states) - 1, form, start, stop):
        return False
    found = diag.syntax((mark, stop), f"there is no `{sign * 2}`")
    run.builder.report(found.replace((start, stop), form, f"write `{form}`", applicability=SAFE))
    return True


ERROR_PRODUCTIONS = (
    no_index,
    scalar_allocation,
    allocation_with_value,
    block_without_name,
    remap_in_head,
    domain_first,
    view_without_type,
    constant,
    incremented_element,
)
