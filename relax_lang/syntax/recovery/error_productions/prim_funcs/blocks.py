"""Error productions in PrimFuncs: blocks, axes and indices as other notations write them. [Y.7] [TIR.3] [TIR.9]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.error_productions.prim_funcs import (
    buffers,
    loops,
    prim_statements,
    script_statements,
)
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    STATEMENTS,
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    kind_of,
    last_name,
    outside_brackets,
    replace_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

BLOCK_NAME = re.compile(r'\(\s*"([^"\n]*)"\s*\)|"([^"\n]*)"')
IDENTIFIER = re.compile(r"[^\W\d]\w*")
AXIS_KINDS = ("spatial", "reduce", "scan", "opaque")
LOOP_KINDS = ("parallel", "vectorized", "unrolled")
SUM = re.compile(r"\s*[\w.]+(?:\s*[-+*]\s*[\w.]+)*\s*(?=\{)")
OTHER_STORE = re.compile(r"(?:/|//|%|\||&|\^|<<|>>)=(?!=)\s*|\+\+(?=\s*;)|--(?=\s*;)")
CALLEE = re.compile(r"[{};]\s*(@[\w.]+)\s*\Z")
STATEMENT = re.compile(r"[^\W\d][\w.]*(?:\([^;{}\n]*\))?[ \t]*;?")
FOREIGN_STATEMENTS = {
    "pass": "an empty body is `{ }`; there is no `pass`",
    "T.evaluate": "an expression is not a statement here",
}
ALLOCATION = re.compile(
    r"(?:let\s+)?([^\W\d]\w*)\s*=\s*(?:T\.)?(?:alloc|alloc_buffer|alloc_shared|alloc_local|decl_buffer)\(\s*[(\[]([^()\[\]\n]*)[)\]]"
    r"(?:\s*+,\s*+(?:dtype\s*+=\s*+)?[\"']?([a-z]\w*+)[\"']?)?[^()\n]*+\)[ \t]*+;?"
)
THREAD_LOOP = re.compile(
    r"for\s+([^\W\d]\w*)\s+in\s+T\.thread_binding\(([^()=\n]*?),\s*(?:thread\s*=\s*)?[\"']([\w.]+)[\"']\)"
)
REMAP = re.compile(
    r"([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s*=\s*(?:T\.)?axis\.remap\(\s*\"([A-Z]+)\"\s*,\s*\[([\w\s,]*)\]\s*\)[ \t]*;?"
)
NAMES = re.compile(r"\w+")
NUMBER_CALL = re.compile(r"\b(nan|inf)\s*\(\s*\)")


def block_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block("sum") {`, `block "sum" {`."""
    match = BLOCK_NAME.match(run.text, pos)
    if lalr_table.symbol(run.states[-1]) != "BLOCK" or match is None:
        return None
    place = (pos, match.end())
    text = match[1] or match[2] or "_"
    name = text if IDENTIFIER.fullmatch(text) else f"`{text}`"
    found = diag.syntax(place, "the name of a block is not a string")
    before = "" if run.text[pos - 1].isspace() else " "
    run.builder.report(found.replace(place, before + name, f"write `block {name}`", applicability=SAFE))
    run.shift(KIND["NAME"], text, *place)
    return place[1]


def chained_indices(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`A[i][j]`."""
    if kind != KIND["LSQB"] or lalr_table.symbol(run.states[-1]) != "RSQB":
        return None
    key = run.states[-3] * lalr_table.N_NONTERMINALS + lalr_table.NONTERMINAL["prim_list"]
    is_list = lalr_table.symbol(run.states[-2]) == "indices" and isinstance(run.values[-2], list)
    if not is_list or key not in lalr_table.GOTO:
        return None
    place = (run.last_end - 1, end)
    found = diag.syntax(place, "all indices of a buffer are written in one pair of brackets")
    run.builder.report(found.replace(place, ", ", "write `[i, j]`", applicability=SAFE))
    drop_last(run)
    run.states[-1] = lalr_table.GOTO[key]
    run.shift(KIND["COMMA"], ",", *place)
    return end


def axis_without_kind(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block b (v = i)`, `block b (v)`: an axis without its kind."""
    text = run.text
    names = [lalr_table.symbol(state) for state in run.states[-4:]]
    if names[-1:] == ["ASSIGN"] and _in_axes(run, 3):
        start = pos
        if kind == KIND["DOTTED"] and text[pos:end].rpartition(".")[2] in AXIS_KINDS:
            return _prefixed_axis(run, pos, end)
    elif names[-2:] == ["ASSIGN", "NAME"] and _in_axes(run, 4) and kind != KIND["LPAR"]:
        start = run.starts[-1]
    elif last_name(run) and kind in (KIND["COMMA"], KIND["RPAR"]) and _in_axes(run, 2):
        return _bare_axis(run, pos)
    else:
        return None
    stop = outside_brackets(text, start, ",)]};{\n")
    if stop is None:
        return None
    value = text[start:stop].rstrip()
    stop = start + len(value)
    if start < pos:
        drop_last(run)
    if not value or not _shift_axis(run, value, start, stop):
        return None
    found = diag.syntax((start, stop), "an axis has a kind: `spatial`, `reduce`, `scan` or `opaque`")
    edits = Edit(start, start, "spatial("), Edit(stop, stop, ")")
    run.builder.report(found.fix(f"write `spatial({value})`, if every value is computed by itself", *edits))
    return stop


def _prefixed_axis(run: Run, pos: int, end: int) -> int | None:
    """`v = T.axis.spatial(i)`, and with the extent before the value, as TVMScript has it."""
    text, kind = run.text, run.text[pos:end].rpartition(".")[2]
    comma, stop = outside_brackets(text, end + 1, ",)"), outside_brackets(text, end + 1, ")")
    if comma is None or stop is None or not text.startswith("(", end):
        return None
    extent, value = text[end + 1 : comma].strip(), text[comma + 1 : stop].strip()
    if comma == stop or ".." in value:
        found = diag.syntax((pos, end), f"the kind of an axis has no prefix: `{kind}`")
        run.builder.report(found.replace((pos, end), kind, f"write `{kind}`", applicability=SAFE))
        run.shift(KIND["NAME"], kind, pos, end)
        return end
    begin = text.index(value, comma + 1)
    if not value or not _shift_axis(run, value, begin, begin + len(value)):
        return None
    found = diag.syntax((pos, stop + 1), "an axis has its kind without a prefix, its value, then its range")
    extent = f"({extent})" if ".." in extent or "," in extent else f"0..{extent}"
    form = f"{kind}({value}, {extent})"
    run.builder.report(found.replace((pos, stop + 1), form, f"write `{form}`"))
    return stop + 1


def _in_axes(run: Run, back: int) -> bool:
    """Return whether the topmost tokens but `back` - 1 end where an axis of a block begins."""
    below = [lalr_table.symbol(state) for state in run.states[: 1 - back]]
    if below[-1:] == ["COMMA"]:
        return below[-2:-1] == ["axis_list"]
    return below[-1:] == ["LPAR"] and below[-3:-2] == ["BLOCK"]


def _bare_axis(run: Run, pos: int) -> int | None:
    name, at = last_name(run), run.starts[-1]
    place = (at, run.last_end)
    run.shift(KIND["ASSIGN"], "=", *place)
    if not _shift_axis(run, name, *place):
        return None
    found = diag.syntax(place, "an axis has a kind and a value")
    run.builder.report(found.helped(f"write `{name} = spatial(i)`, with the variable of the loop for `i`"))
    return pos


def _shift_axis(run: Run, value: str, start: int, stop: int) -> bool:
    """Shift `spatial(value)`; nothing is shifted if the value is not an expression."""
    tokens: list[tuple[int, str, int, int]] = []
    for match in lalr_table.tokens(run.text, start, stop):
        group = match.lastindex or 0
        tokens.append((kind_of(match), match[group], match.start(group), match.end()))
    kinds = [KIND["NAME"], KIND["LPAR"], *[kind for kind, *_ in tokens], KIND["RPAR"]]
    if min(kinds) < 0 or lalr_table.fits(run.states, kinds) < len(kinds):
        return False
    run.shift(KIND["NAME"], "spatial", start, start)
    run.shift(KIND["LPAR"], "(", start, start)
    for kind, word, pos, end in tokens:
        run.shift(kind, word, pos, end)
    run.shift(KIND["RPAR"], ")", stop, stop)
    return True


def other_range(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`0..=n`, `0..<n`."""
    mark = run.text[pos : pos + 1]
    if lalr_table.symbol(run.states[-1]) != "DOTDOT" or run.last_end != pos or mark not in ("=", "<"):
        return None
    found = diag.syntax((pos - 2, pos + 1), "a range does not contain its end: `0..n`")
    stop = _range_end(run.text, pos + 1)
    if mark == "<":
        found.replace((pos, pos + 1), "", "write `..`", applicability=SAFE)
    elif stop > pos + 1:
        found.fix("add 1 to the end", Edit(pos, pos + 1, ""), Edit(stop, stop, " + 1"), applicability=SAFE)
    run.builder.report(found)
    return pos + 1


def _range_end(text: str, start: int) -> int:
    """Return where the end of a range that is only a sum stops; `start` if it is anything else."""
    match = SUM.match(text, start)
    return len(match[0].rstrip()) + start if match else start


def kind_behind_in(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`for i in parallel 0..n {`."""
    word = last_name(run)
    if word not in LOOP_KINDS or len(run.states) < 4 or lalr_table.symbol(run.states[-2]) != "IN":
        return None
    at = run.starts[-3]
    place = drop_last(run)
    found = diag.syntax(place, f"`{word}` comes before the variable of the loop")
    edits = Edit(at, at, f"{word} "), Edit(place[0], pos, "")
    run.builder.report(
        found.fix(f"write `for {word} {run.text[at : place[0]].rstrip()}`", *edits, applicability=SAFE)
    )
    return pos


def other_store(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`B[i] /= 2.0;`, `B[i]++;`."""
    text = run.text
    written = OTHER_STORE.match(text, pos)
    if written is None or lalr_table.feed(run.states, KIND["PLUS_ASSIGN"]) is None:
        return None
    depth = depth_of(run, "tir_statements")
    target = text[run.starts[depth + 1] : run.last_end] if depth else ""
    if not target.endswith("]"):
        return None
    place = (pos, written.end())
    word = written[0].rstrip()
    if word in ("++", "--"):
        form = f" {word[0]}= 1"
        found = diag.syntax((pos, pos + 2), f"there is no `{word}`")
        run.builder.report(found.replace((pos, pos + 2), form, f"write `{target}{form}`", applicability=SAFE))
        run.shift(KIND["PLUS_ASSIGN"], "+=", *place)
        run.shift(KIND["INT"], "1", *place)
        return place[1]
    value_end = text.find(";", pos)
    found = diag.syntax(
        (pos, pos + len(word)), f"there is no `{word}`; a store combines by `+=`, `-=` or `*=`"
    )
    if value_end > 0 and "\n" not in text[pos:value_end]:
        value = text[place[1] : value_end].strip()
        inside = value if value.replace(".", "").replace("_", "").isalnum() else f"({value})"
        form = f"= {target} {word[:-1]} {inside}"
        found.replace((pos, value_end), form, f"write `{target} {form}`", applicability=SAFE)
    run.builder.report(found)
    run.shift(KIND["ASSIGN"], "=", *place)
    return place[1]


def _at_statement(run: Run) -> bool:
    return in_prim_func(run) and lalr_table.feed(run.states, KIND["FOR"]) is not None


def foreign_statement(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`pass`, `break;`, `T.evaluate(0);`, `@k2(A, B);`."""
    text = run.text
    callee = (
        CALLEE.search(text, max(0, pos - 200), pos) if kind == KIND["LPAR"] and in_prim_func(run) else None
    )
    if callee is not None:
        run.builder.mute(callee.start(1), pos)  # a name of the module in the place of a number
        found = diag.syntax((callee.start(1), callee.end(1)), "a prim_func calls no other")
        run.builder.report(found.helped("let a function call both: `call_tir(@f, …)`"))
        return SKIP
    word = last_name(run) or text[pos:end]
    at = run.starts[-1] if last_name(run) else pos
    begins = begins_statement(run) if last_name(run) else _at_statement(run)
    message = FOREIGN_STATEMENTS.get(word.partition("(")[0])
    if not begins or message is None or not in_prim_func(run):
        return None
    statement = STATEMENT.match(text, at)
    assert statement
    if last_name(run):
        drop_last(run)
    found = diag.syntax((at, at + len(word)), message)
    if word in ("pass", "T.evaluate"):
        found.replace((at, statement.end()), "", "remove it", applicability=SAFE)
    run.builder.report(found)
    run.builder.gaps.append((at, statement.end()))
    return statement.end()


def whole_statement(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`T = T.alloc_buffer((n,), "float32")`, `for i in T.thread_binding(n, thread="threadIdx.x")`."""
    depth = depth_of(run, "tir_statements", "FOR")
    in_head = lalr_table.symbol(run.states[depth]) == "FOR"
    at = depth if in_head else depth + 1
    if depth == 0 or at >= len(run.starts) or not in_prim_func(run):
        return None
    start = run.starts[at]
    match = (THREAD_LOOP if in_head else ALLOCATION).match(run.text, start)
    if match is None or match.end() <= pos:
        return None
    if in_head:
        bounds = match[2] if ".." in match[2] else match[2].replace(",", "..").replace(".. ", "..")
        bounds = bounds if ".." in bounds else f"0..{bounds}"
        form, sure = f'for thread("{match[3]}") {match[1]} in {bounds}', SAFE
        message = "a loop over a thread axis has the name of the axis before its variable"
    else:
        dims = match[2].strip().rstrip(",")
        dtype = match[3] if match[3] in DTYPES else "float32"
        form = f"alloc {match[1]}: Buffer[({dims}{'' if ',' in dims else ','}), {dtype}];"
        message, sure = "memory is allocated by `alloc`", SAFE if dtype == match[3] else UNSAFE
    if not replace_tokens(run, at, form, start, match.end()):
        return None
    found = diag.syntax((start, match.end()), message)
    run.builder.report(found.replace((start, match.end()), form, f"write `{form}`", applicability=sure))
    return match.end()


def remapped_axes(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`vi, vj = T.axis.remap("SS", [i, j]);`"""
    if kind != KIND["COMMA"] or not last_name(run) or not begins_statement(run) or not in_prim_func(run):
        return None
    start = run.starts[-1]
    match = REMAP.match(run.text, start)
    if match is None:
        return None
    drop_last(run)
    names, values = NAMES.findall(match[1]), NAMES.findall(match[3])
    found = diag.syntax((start, match.end(1)), "the axes of a block are in its head, before the brace")
    axes = [
        f"{name} = {'reduce' if kind == 'R' else 'spatial'}({value})"
        for name, kind, value in zip(names, match[2], values, strict=False)
    ]
    run.builder.report(found.helped(f"write `block b ({', '.join(axes)}) {{ … }}`"))
    run.builder.gaps.append((start, match.end()))
    return match.end()


def slice_of_buffer(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Y[i, :] = X[i, :];`, `sum(X[0:4])`: one report for the statement."""
    if kind != KIND["COLON"] or not in_prim_func(run):
        return None
    closed = 0
    for state in reversed(run.states):
        name = lalr_table.symbol(state)
        if name in STATEMENTS or name == "LBRACE" or (name == "LPAR" and not closed):
            return None
        if name == "LSQB" and not closed:
            break
        closed += (name in ("RSQB", "RPAR")) - (name in ("LSQB", "LPAR"))
    else:
        return None  # in the head of the function
    if _in_view(run):
        found = diag.syntax((pos, end), "a range is written `low..high`")
        run.builder.report(found.helped("the region of a view has an index or a range for each dimension"))
        return SKIP
    found = diag.syntax((pos, end), "a prim_func has no slices: it computes element by element")
    run.builder.report(found.helped("loop over the axis: `for k in 0..n { … }`, with `k` for the slice"))
    return SKIP


def _in_view(run: Run) -> bool:
    """Return whether the statement at hand declares a view."""
    depth = depth_of(run, *STATEMENTS)
    symbols = [lalr_table.symbol(state) for state in run.states[depth + 1 :]]
    return symbols[:1] == ["LET"] and "RSQB" in symbols


def call_of_a_number(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`nan()`."""
    match = NUMBER_CALL.match(run.text, run.last_end - 3) if kind == KIND["LPAR"] else None
    if match is None:
        return None
    found = diag.syntax((run.last_end - 3, match.end()), f"`{match[1]}` is a number, not a function")
    run.builder.report(found.replace((run.last_end, match.end()), "", "remove `()`", applicability=SAFE))
    return match.end()


ERROR_PRODUCTIONS = (
    block_name,
    *buffers.ERROR_PRODUCTIONS,
    chained_indices,
    axis_without_kind,
    other_range,
    kind_behind_in,
    other_store,
    whole_statement,
    *loops.ERROR_PRODUCTIONS,
    *script_statements.ERROR_PRODUCTIONS,
    remapped_axes,
    slice_of_buffer,
    foreign_statement,
    *prim_statements.ERROR_PRODUCTIONS,
    call_of_a_number,
)
