"""Error productions in struct infos and attributes. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.foreign import foreign_infos
from relax_lang.syntax.builders.foreign_prim_funcs.foreign_buffers import NAMES
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.brackets import open_brackets
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    replace_tokens,
)
from relax_lang.syntax.vocabulary.foreign_words import dtype_of, info_form
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

_INFO = [KIND[name] for name in ("NAME", "LSQB", "NAME", "ASSIGN", "INT", "RSQB")]
"""`Tensor[ndim=2]`: what only fits where there is to be a struct info."""

ALTERNATIVES = re.compile(r"(?:\s*+\|\s*+[\w.]++(?:\[[^\[\]\n]*+\])?)+")
REST_OF_TUPLE = re.compile(r"\.\.\.\s*+\]")
TUPLES = ("Tuple", "tuple", "List", "list", "Sequence")
UNKNOWN_SIZE = re.compile(r"(\*|\.\.\.?|:)\s*[,)]")
ANGLES = re.compile(r"<[^<>;{}\n]*>")


def quoted_dimension(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tensor[("n", 4), float32]`."""
    name = run.text[pos + 1 : end - 1]
    if (
        kind != KIND["STRING"]
        or not name.isidentifier()
        or lalr_table.feed(run.states, KIND["TILDE"]) is None
        or (in_prim_func(run) and not _in_brackets(run))
    ):
        return None
    found = diag.syntax((pos, end), "shape variables are written without quotes")
    run.builder.report(found.replace((pos, end), name, f"write `{name}`", applicability=SAFE))
    run.shift(KIND["NAME"], name, pos, end)
    return end


def _in_brackets(run: Run) -> bool:
    """Return whether a `[` is open in the statement at hand."""
    closed = 0
    for state in reversed(run.states):
        symbol = lalr_table.symbol(state)
        if symbol in ("LBRACE", "tir_statements"):
            return False
        closed += symbol == "RSQB"
        if symbol == "LSQB":
            closed -= 1
            if closed < 0:
                return True
    return False


def angle_brackets(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tensor<float32>`."""
    if kind != KIND["LT"] or lalr_table.symbol(run.states[-1]) not in ("NAME", "struct_info"):
        return None
    name = run.text[run.starts[-1] : run.last_end]
    if not name.isidentifier() or lalr_table.feed(run.states, KIND["PLUS"]) is not None:
        return None
    stop = ANGLES.match(run.text, pos)
    place = (run.starts[-1], stop.end() if stop else end)
    known = "Buffer" if in_prim_func(run) else name if name in STRUCT_INFOS else "Tensor"
    found = diag.syntax(place, f"what is known of a `{known}` is written in brackets: `{known}[…]`")
    if info_form(name) and known == "Tensor":
        found.message = info_form(name)
        is_read = stop and replace_tokens(run, len(run.states) - 1, "Object", *place)
        run.builder.report(found)
        return place[1] if is_read else SKIP
    form = None
    if stop and known in ("Tensor", "Buffer"):
        form = _of_mlir(stop[0][1:-1], known) or bracketed(stop[0][1:-1], known)
    if form is not None and stop:
        if replace_tokens(run, len(run.states) - 1, form, place[0], stop.end()):
            run.builder.report(found.replace(place, form, f"write `{form}`"))
            return stop.end()
        found.replace(place, form, f"write `{form}`")
    run.builder.report(found)
    return stop.end() if stop else SKIP


def _of_mlir(inner: str, known: str) -> str | None:
    """Return `16x8xf32` or `?x?xf32` of MLIR as it is written in brackets; None if it is anything else."""
    *dims, last = inner.strip().split("x")
    dtype = dtype_of(last)
    if dims == ["*"] and dtype is not None and known == "Tensor":
        return f"Tensor[_, {dtype}]"
    if (
        dtype is None
        or not dims
        or len(dims) > len(NAMES)
        or not all(dim == "?" or dim.isdecimal() for dim in dims)
    ):
        return None
    named = [name if dim == "?" else dim for name, dim in zip(NAMES, dims, strict=False)]
    return f"{known}[({', '.join(named)}{',' if len(named) == 1 else ''}), {dtype}]"


def bracketed(inner: str, known: str = "Tensor") -> str | None:
    """Return `n, 4, float32` as it is written in a tensor's struct info; None if it is anything else."""
    words = [word.strip() for word in inner.split(",")]
    dtype = dtype_of(words[-1])
    if dtype is not None:
        words.pop()
    if words == ["_"]:
        words = []  # no dimension is known
    if (
        "_" in words
        or not all(word.isdigit() or word.isidentifier() for word in words)
        or any(dtype_of(word) for word in words)
    ):
        return None
    dims = f"({', '.join(words)}{',' if len(words) == 1 else ''})" if words else "_"
    if known == "Buffer" and (dims == "_" or not dtype):
        return None
    return f"{known}[{dims}, {dtype}]" if dtype else f"{known}[{dims}]"


def union(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x: Tensor | Shape`, `x: Tensor | None`."""
    others = ALTERNATIVES.match(run.text, pos)
    depth = _last_info(run) if others is not None else 0
    if others is None or not _wants_info(run.states[:depth]):
        return None
    place = run.starts[depth], others.end()
    if not replace_tokens(run, depth, "Object", *place):
        return None
    found = diag.syntax(place, info_form("Union"))
    run.builder.report(found.replace(place, "Object", "write `Object`"))
    return others.end()


def is_behind_info(run: Run) -> bool:
    """Return whether a struct info ends before the token at hand."""
    return _wants_info(run.states[: _last_info(run)])


def _last_info(run: Run) -> int:
    """Return where on the stacks the struct info begins that ends before the token at hand."""
    depth, opened = len(run.states) - 1, 0
    while depth > 1:
        symbol = lalr_table.symbol(run.states[depth])
        opened += (symbol in ("RSQB", "RPAR")) - (symbol in ("LSQB", "LPAR"))
        if opened == 0:
            return depth - 1 if symbol == "LSQB" else depth
        depth -= 1
    return 0


def open_tuple(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tuple[Tensor, ...]`, `(Tensor, ...)`: a tuple of any length."""
    if run.text[pos : pos + 3] != "...":
        return None
    found = diag.syntax((pos, pos + 3), "a tuple has as many fields as are written: `(A, B)`")
    found.helped("a value of which only the run knows more is an `Object`")
    rest = REST_OF_TUPLE.match(run.text, pos)
    for depth in range(len(run.states) - 1, 0, -1) if rest else ():
        if lalr_table.symbol(run.states[depth]) == "NAME" and run.values[depth] in TUPLES:
            if rest is None or not replace_tokens(run, depth, "Object", run.starts[depth], rest.end()):
                return None
            run.builder.report(found)
            return rest.end()
    if not _wants_info(run.states) or lalr_table.symbol(run.states[-1]) != "COMMA":
        return None
    run.builder.report(found)
    run.shift(KIND["NAME"], "Object", pos, pos + 3)
    run.last_end = pos + 3
    return pos + 3


def unknown_size(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tensor[(*, 4), float32]`, `Buffer[(..., 4), float32]`, `Tensor[(:, 4), float32]`."""
    mark = UNKNOWN_SIZE.match(run.text, pos)
    if mark is None or lalr_table.symbol(run.states[-1]) not in ("LPAR", "COMMA"):
        return None
    is_dimension = lalr_table.feed(run.states, KIND["TILDE"]) is not None
    if not is_dimension or (in_prim_func(run) and depth_of(run, "tir_statements")):
        return None
    if lalr_table.feed(run.states, KIND["NAME"]) is None:
        return None
    found = diag.syntax(mark.span(1), f"`{mark[1]}` is not a dimension")
    advice = "a size that is not known is a name, as in `(n, 4)`"
    run.builder.report(
        found.helped(advice if in_prim_func(run) else f"{advice}; with `ndim=2` only the rank is known")
    )
    run.shift(KIND["NAME"], "_", *mark.span(1))
    run.last_end = mark.end(1)
    return mark.end(1)


def foreign_info(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`R.Tuple(R.Tensor((n,), "float32"), R.Shape([n]))`, `[Tensor, Shape]`: what the grammar cannot read of such."""
    depth = _start_of_info(run, kind)
    if depth is None:
        return None
    start = run.starts[depth] if depth < len(run.states) else pos
    found = foreign_infos.read(run.text, start, run.stop, buffer=in_prim_func(run))
    if found is None or found.end <= pos or not replace_tokens(run, depth, found.form, start, found.end):
        return None
    place = start, found.end
    run.builder.report(diag.syntax(place, found.message).replace(place, found.form, f"write `{found.shown}`"))
    return found.end


def _start_of_info(run: Run, kind: int) -> int | None:
    """Return where on the stacks the outermost struct info of another language begins that is not complete yet."""
    states = run.states
    for depth in range(1, len(states)):
        if lalr_table.symbol(states[depth]) in ("NAME", "DOTTED"):
            name = str(run.values[depth])
            if foreign_infos.is_foreign(name) and _wants_info(states[:depth]):
                return depth
    return len(states) if kind == KIND["LSQB"] and _wants_info(states) else None


def _wants_info(states: list[int]) -> bool:
    return bool(states) and lalr_table.fits(states, _INFO) == len(_INFO)


def unclosed_info(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x: Tensor[(n,), float32, y: S`: the bracket is not closed before the next parameter."""
    if kind != KIND["COLON"] or not last_name(run) or last_name(run) in KEYS_OF_INFOS or len(run.states) < 3:
        return None
    brackets = open_brackets(run)
    if not brackets or brackets[-1][0] != "LSQB" or lalr_table.symbol(run.states[-2]) != "COMMA":
        return None
    depth = len(run.states) - 2
    if lalr_table.feed(run.states[:depth], KIND["RSQB"]) is None:
        return None
    comma, at = run.starts[depth], brackets[-1][1]
    drop_last(run)
    drop_last(run)
    stop = run.last_end
    found = diag.syntax((at, at + 1), "this `[` is never closed", "expected `]`")
    found.label((stop, stop + 1), "`]` is missing here")
    run.builder.report(found.fix("add `]`", Edit(stop, stop, "]"), applicability=SAFE))
    run.shift(KIND["RSQB"], "]", stop, stop)
    return comma


KEYS_OF_INFOS = ("ndim", "shape", "dtype", "vdevice")


def key_and_value(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`attrs { key = 1 }`, `f(x, axis: 1)`."""
    if kind == KIND["ASSIGN"]:
        name, mark, what = "COLON", ":", "the attributes of an item are written `key: value`"
    elif kind == KIND["COLON"]:
        name, mark, what = "ASSIGN", "=", "the attributes of a call are written `key=value`"
    else:
        return None
    after = lalr_table.feed(run.states, KIND[name])
    if after is None or run.text[end : end + 1] in ("=", ":"):
        return None
    if lalr_table.feed(after, KIND["NULL"]) is None:
        if name == "COLON" or lalr_table.fits(after, upcoming[1:3]) < 2 or begins_statement(run):
            return None
        what = "expected `=`, found `:`"
    found = diag.syntax((pos, end), what)
    run.builder.report(found.replace((pos, end), mark, f"write `{mark}`", applicability=SAFE))
    run.shift(KIND[name], mark, pos, end)
    return end
