"""After a syntax error in Relay: say what was expected, mend the stacks, and find where to read on.

Tried in this order: syntax of other languages, one missing mark, one mark too many; else the rest of the binding or
definition is skipped. Only loaded when there is an error.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.relay.diagnostics import texts as diag
from relax_lang.relay.syntax.error_productions import explain
from relax_lang.relay.syntax.expectations import expectation
from relax_lang.syntax.lalr_table import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.syntax.run import RelayRun

CLOSER_OF = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
ITEM_WORDS = ("def", "type", "data", "extern", "import")
LISTS = ("bindings", "items", "clauses")
"""Symbols at which reading can start anew."""
INSERTIONS = ("SEMICOLON", "COMMA", "COLON", "EQUAL", "LPAR", "LBRACE")
_TYPOGRAPHIC = {"–": "-", "—": "-", "−": "-", "×": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->"}
_QUOTIENT = re.compile(r"[ \t]*+//[ \t]*+[%(\w]++[ \t]*+[;)}]*+[ \t]*+(?:\n|\Z)")
"""A comment that is likely to be meant as a quotient."""
_NO_QUOTIENT = "`//` begins a comment; a quotient of integers that is rounded down is `floor_divide(a, b)`"
_FIELD = re.compile(r"\.\s*([A-Za-z_]\w*)(\([^()\n;{}]*\))?(?:\s*\[[^\[\]\n;{}]*\])?")


def at_token(run: RelayRun, pos: int, end: int, kind: int) -> int:
    """Deal with a token that does not fit; return the offset to read on from."""
    text = run.text
    if text.startswith("/*", pos):
        place = (pos, pos + 2)
        run.builder.report(diag.syntax(place, "this comment is never closed").helped("comments end in `*/`"))
        run.builder.gaps.append((pos, len(text)))
        return _close_all(run)
    at = _foreign_form(run, pos, end, kind)
    known = explain(text, pos, end) if at is None else None
    if known is not None:
        run.builder.report(known)
        return skip(run, pos, end)
    if at is None:
        at = _missing(run, pos)
    if at is None:
        at = _stray(run, pos, end)
    if at is not None:
        return at
    run.builder.report(diag.syntax((pos, end), expectation(run, f"`{text[pos:end][:40]}`")))
    return skip(run, pos, end)


def _close_all(run: RelayRun) -> int:
    run.builder.diagnostics[-1].data["closes"] = True
    return len(run.text)


def _foreign_form(run: RelayRun, pos: int, end: int, kind: int) -> int | None:
    """Report a form of another language that one token stands for."""
    table, word = run.table, run.text[pos:end]
    before = table.symbol(run.states[-1])
    for written, meant, message in _WRITTEN:
        if word == written and _fits(run, (meant,)):
            if word == ";" and open_brackets(run)[-1][0] != "LBRACE":
                continue  # a bracket is not closed
            run.shift(table.kind[meant], table.spelling[table.kind[meant]], pos, end)
            _once(run, message, Edit(pos, end, table.spelling[table.kind[meant]]))
            return end
    if before == "NAME" and run.values[-1] in ("return", "var", "const", "mut"):
        wrong = str(run.values[-1])
        at = run.starts[-1]
        del run.states[-1], run.values[-1], run.starts[-1]
        found = diag.syntax((at, at + len(wrong)), f"there is no `{wrong}` in Relay")
        if wrong == "return":
            found.replace((at, pos), "", "leave it out: the last expression is the value")
        run.builder.report(found)
        return pos
    return None


_ARROW = "a pattern and its value are joined by `=>`"
_COMMA = "clauses and constructors are separated by `,`"
_WRITTEN = (
    # What is written, the token that is meant, the message.
    ("->", "__ANON_1", _ARROW),
    (":", "__ANON_1", _ARROW),
    ("=", "__ANON_1", _ARROW),
    (";", "COMMA", _COMMA),
)


def _once(run: RelayRun, message: str, edit: Edit) -> None:
    """Report a form of another language, in each pair of brackets once: the edit repairs it everywhere."""
    brackets = open_brackets(run)
    key = message, brackets[-1][1] if brackets else -1
    if key in run.foreign_forms:
        run.foreign_forms[key].extend(edit)
        return
    found = run.foreign_forms[key] = diag.syntax((edit.pos, edit.end), message)
    run.builder.report(found.fix(f"write `{edit.text or ','}`", edit, applicability=SAFE))


def _fits(run: RelayRun, names: tuple[str, ...]) -> bool:
    """Return whether tokens would be read next."""
    states: list[int] | None = run.states
    for name in names:
        states = run.table.feed(states, run.table.kind[name]) if states is not None else None
    return states is not None


def open_brackets(run: RelayRun) -> list[tuple[str, int]]:
    """Return the brackets on the stack that are open, outermost first, with their offsets."""
    found: list[tuple[str, int]] = []
    for state, start in zip(run.states, run.starts, strict=True):
        name = run.table.symbol(state)
        if name in CLOSER_OF:
            found.append((name, start))
        elif name in CLOSER_OF.values() and found:
            found.pop()
    return found


def _peek(run: RelayRun, pos: int, count: int) -> list[int]:
    """Return the kinds of the next tokens; END behind the last one."""
    kinds: list[int] = []
    table = run.table
    for match in table.tokens(run.text, pos, run.stop):
        group = match.lastindex or 0
        kind = table.group_kinds[group]
        if kind == -1:
            kind = table.literals.get(match[group], table.kind["NAME"])
        if kind >= 0:
            kinds.append(kind)
            if len(kinds) == count:
                return kinds
        elif kind == -3:
            return kinds
    return [*kinds, END]


def _missing(run: RelayRun, pos: int) -> int | None:
    """Find the one mark without which the text does not go on, and put it in."""
    upcoming = _peek(run, pos, 8)
    if not upcoming:
        return None
    table = run.table
    brackets = open_brackets(run)
    closers = [CLOSER_OF[name] for name, _ in reversed(brackets[-3:])]
    closing = [table.kind[name] for name in CLOSER_OF.values()]
    tries = [[name] for name in INSERTIONS if name != "LPAR" or upcoming[0] not in closing]
    for count in range(1, len(closers) + 1):
        tries += [closers[:count], [*closers[:count], "SEMICOLON"]]
    best: tuple[int, list[str]] | None = None
    for names in tries:
        states: list[int] | None = run.states
        for name in names:
            states = table.feed(states, table.kind[name]) if states is not None else None
        if states is None:
            continue
        progress = table.fits(states, upcoming) - len(names) + 1
        if best is None or progress > best[0]:
            best = (progress, names)
    if best is None or best[0] < min(3, len(upcoming) - (upcoming[-1] == END)):
        return None
    _put_in(run, pos, best[1], brackets)
    return pos


def _put_in(run: RelayRun, pos: int, names: list[str], brackets: list[tuple[str, int]]) -> None:
    table = run.table
    shown = "".join(table.spelling[table.kind[name]] for name in names)
    place = (run.last_end, run.last_end + 1) if run.last_end < pos else (run.last_end - 1, run.last_end)
    first = names[0]
    what = {
        "SEMICOLON": "expected `;` after this binding",
        "COMMA": "expected `,` between two elements",
        "EQUAL": "expected `=` and a value",
    }.get(first, f"expected `{shown}`")
    found = diag.syntax(place, what, f"`{shown}` is missing here")
    at_line_end = "\n" in run.text[run.last_end : pos]
    is_only_place = at_line_end or first == "EQUAL"
    if first in CLOSER_OF.values():
        name, at = brackets[-1]
        mark = table.spelling[table.kind[name]]
        found = diag.syntax((at, at + 1), f"this `{mark}` is never closed", f"expected `{shown}`")
        found.label(place, f"`{shown}` is missing here")
        is_only_place = False
    if _QUOTIENT.match(run.text, run.last_end):
        found.helped(_NO_QUOTIENT)
    title = f"add `{shown}`" if is_only_place else f"add `{shown}`, if nothing else is missing"
    edit = Edit(run.last_end, run.last_end, f" {shown}" if first == "EQUAL" else shown)
    run.builder.report(found.fix(title, edit, applicability=SAFE if is_only_place else UNSAFE))
    for name in names:
        kind = table.kind[name]
        run.shift(kind, table.spelling[kind], run.last_end, run.last_end)


def _stray(run: RelayRun, pos: int, end: int) -> int | None:
    """Leave out one mark that is too much, if the text goes on without it."""
    mark = run.text[pos:end]
    upcoming = _peek(run, pos, 6)
    if mark not in (";", ",", ")", "]", "}", ":", "=", "."):
        return None
    if len(upcoming) < 2 or run.table.fits(run.states, upcoming[1:]) < min(3, len(upcoming) - 1):
        return None
    found = diag.syntax(
        (pos, end), f"this `{mark}` closes nothing" if mark in ")]}" else f"unexpected `{mark}`"
    )
    is_empty = mark == ";" and run.text[run.last_end - 1 : run.last_end] in (";", "{", "}")
    run.builder.report(
        found.replace((pos, end), "", f"remove `{mark}`", applicability=SAFE if is_empty else UNSAFE)
    )
    return end


def skip(run: RelayRun, pos: int, end: int) -> int:
    """Drop the binding or definition at hand; return where the next one begins (-1: nowhere)."""
    table = run.table
    depth = len(run.states) - 1
    while depth > 0 and table.symbol(run.states[depth]) not in LISTS:
        depth -= 1
    if depth == 0:
        if run.start != "module":
            run.builder.gaps.append((0, len(run.text)))
            return -1
        begin_items(run)
        depth = 1
    dropped = [table.symbol(state) for state in run.states[depth + 1 :]]
    begin = run.starts[depth + 1] if dropped else pos
    level = sum(name in CLOSER_OF for name in dropped) - sum(name in CLOSER_OF.values() for name in dropped)
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    within = table.symbol(run.states[depth])
    at, new_item = _resume_at(run, pos, level, within)
    run.builder.gaps.append((begin, at))
    if new_item and within != "items":
        _close_function(run, at)
        return at
    if at <= pos and not dropped and table.feed(run.states, (_peek(run, at, 1) or [END])[0]) is None:
        at = end  # always get on
    if within == "bindings" and run.text[at : at + 1] == "}" and at < run.stop:
        # The value was lost: what is reported already needs a place in the tree.
        run.shift(table.kind["LPAR"], "(", at, at)
        run.shift(table.kind["RPAR"], ")", at, at)
    run.last_end = max(run.last_end, min(at, pos))
    return at


def _resume_at(run: RelayRun, pos: int, level: int, within: str) -> tuple[int, bool]:
    """Return where to read on, and whether a new definition begins there."""
    text, items = run.text, within == "items"
    for match in run.table.tokens(text, pos, run.stop):
        group = match.lastindex or 0
        start, word = match.start(group), match[group]
        if run.table.group_kinds[group] < -1:
            continue
        is_new = word in ITEM_WORDS or word.startswith(("#[metadata]", "METADATA:"))
        begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        if is_new and begins_line and (start > pos or not items):
            return start, True
        if word in ("(", "[", "{"):
            level += 1
        elif word in (")", "]", "}"):
            if level <= 0 and word == "}" and not items:
                return start, False
            level = max(0, level - 1)
            if level == 0 and items and word == "}":
                return match.end(), False
        elif level <= 0 and ((word == ";" and within == "bindings") or (word == "," and within == "clauses")):
            return match.end(), False
        elif level <= 0 and within == "bindings" and word == "let" and begins_line and start > pos:
            return start, False
    return len(text), False


def _close_function(run: RelayRun, at: int) -> None:
    """Close what is open of a definition, as the next one begins at an offset."""
    table = run.table
    while open_brackets(run):
        name, opener = open_brackets(run)[-1]
        closer = table.kind[CLOSER_OF[name]]
        if not run.shift(closer, table.spelling[closer], at, at):
            run.shift(table.kind["LPAR"], "(", at, at)
            run.shift(table.kind["RPAR"], ")", at, at)
            if not run.shift(closer, table.spelling[closer], at, at):
                skip_item(run)
                return
        _ = opener


def begin_items(run: RelayRun) -> None:
    """Start the list of definitions: nothing sensible has been read yet."""
    table = run.table
    del run.states[1:], run.values[1:], run.starts[1:]
    run.values.append(None)
    run.starts.append(0)
    del run.values[1:], run.starts[1:]
    run.states.append(table.goto[run.states[0] * table.n_nonterminals + table.nonterminal["items"]])
    run.values.append([])
    run.starts.append(0)


def skip_item(run: RelayRun) -> int:
    """Drop the definition at hand; return where the next one begins (-1 in a fragment)."""
    table = run.table
    if run.start != "module":
        run.builder.gaps.append((0, len(run.text)))
        return -1
    depths = [i for i, state in enumerate(run.states) if table.symbol(state) == "items"]
    if not depths:
        begin_items(run)
        depths = [1]
    depth = depths[0]
    begin = run.starts[depth + 1] if len(run.starts) > depth + 1 else run.last_end
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    found = re.compile(r"^(?:def|type|data|extern|import)\b", re.MULTILINE).search(run.text, run.last_end + 1)
    at = found.start() if found is not None else len(run.text)
    run.builder.gaps.append((begin, at))
    return at


def at_bad_text(run: RelayRun, pos: int) -> int:
    """Deal with text that begins no token: report it once, and say where to read on."""
    text = run.text
    mark = text[pos]
    if mark == '"':
        stop = text.find("\n", pos)
        stop = len(text) if stop < 0 else stop
        run.builder.report(diag.syntax((pos, stop), "this string is never closed on its line"))
        run.builder.diagnostics[-1].data["closes"] = True
        run.shift(run.table.kind["STRING"], '""', pos, stop)
        return stop
    if mark in _TYPOGRAPHIC:
        instead = _TYPOGRAPHIC[mark]
        found = diag.syntax((pos, pos + 1), f"`{mark}` is written `{instead}`")
        run.builder.report(found.replace((pos, pos + 1), instead, f"write `{instead}`", applicability=SAFE))
        kinds = run.table.literals
        if instead in kinds:
            run.shift(kinds[instead], instead, pos, pos + 1)
        return pos + 1
    field = _FIELD.match(text, pos)
    if field is not None:  # `%x.shape`
        what = "methods" if field[2] else "fields by name"
        found = diag.syntax(field.span(), f"values have no {what}: `.{field[1]}`")
        run.builder.report(found.helped("`.0` is the first field of a tuple; operators are called: `f(%x)`"))
        return field.end()
    if mark == "|" and open_brackets(run)[-1:] and open_brackets(run)[-1][0] == "LBRACE":
        is_first = not _fits(run, ("COMMA",))
        if not is_first:
            run.shift(run.table.kind["COMMA"], ",", pos, pos + 1)
        _once(run, _COMMA, Edit(pos, pos + 1, "" if is_first else ","))
        return pos + 1
    if mark == "@" and _fits(run, ("STAR",)):
        found = diag.syntax(
            (pos, pos + 1), "there is no operator `@`: a product of matrices is `nn.matmul(a, b)`"
        )
        run.builder.report(found)
        return skip(run, pos, pos + 1)
    if mark == "@":
        run.builder.report(diag.syntax((pos, pos + 1), "`@` begins the name of a function: `@main`"))
        return pos + 1
    if mark in "'`“”‘’":
        closing = {"“": "”", "‘": "’"}.get(mark, mark)
        stop = text.find(closing, pos + 1)
        if 0 <= stop < pos + 200 and "\n" not in text[pos:stop]:
            content = text[pos + 1 : stop]
            found = diag.syntax((pos, stop + 1), 'strings are written in `"`')
            run.builder.report(
                found.replace((pos, stop + 1), f'"{content}"', f'write `"{content}"`', applicability=SAFE)
            )
            if not run.shift(run.table.kind["STRING"], f'"{content}"', pos, stop + 1):
                return skip(run, pos, stop + 1)
            return stop + 1
    shown = mark if mark.isprintable() else f"U+{ord(mark):04X}"
    run.builder.report(diag.syntax((pos, pos + 1), f"`{shown}` is not a character of a program"))
    return pos + 1


def at_end(run: RelayRun) -> None:
    """The text ends too early: report what is open, and close it."""
    reported = bool(run.builder.diagnostics) and "closes" in run.builder.diagnostics[-1].data
    brackets = open_brackets(run)
    if brackets and not reported:
        name, at = brackets[-1]
        mark = run.table.spelling[run.table.kind[name]]
        found = diag.syntax((at, at + 1), f"this `{mark}` is never closed")
        run.builder.report(found.label((len(run.text), len(run.text)), "the text ends here"))
        if _QUOTIENT.match(run.text, run.last_end):
            found.helped(_NO_QUOTIENT)
    elif not reported:
        run.builder.report(diag.syntax((run.last_end, run.last_end), expectation(run, "the end of the text")))
    run.builder.gaps.append((run.last_end, len(run.text)))
    muted = len(run.builder.diagnostics)
    _close_function(run, len(run.text))
    if run.table.feed(run.states, END) is None and run.start == "module":
        skip_item(run)
    del run.builder.diagnostics[muted:]
