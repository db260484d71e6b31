"""Fixes of programs as fixes of Python files: only edits that have a form in TVMScript are offered.

A fix is made of edits of Relax text. A name, a number or a dtype is spelled the same in both; a struct info is read
and written in the other notation; `match_cast(…)` and `astype(…)` around a value are functions of TVM's dialect.
All else is left out.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import Edit, Fix

_WORD = re.compile(r"-?[\w.]+\Z")
_INFO_START = re.compile(r"Tensor|Shape|Object|fn\(|\(")
_CALLS = ("match_cast(", "astype(")
_DTYPE = re.compile(r", dtype=(?P<dtype>\w+)\)\Z")
_CAST_CLOSE = re.compile(r", (?P<info>.*)\)\Z", re.DOTALL)
_ANNOTATION = re.compile(r"(?P<mark>: |-> | -> )(?P<info>.*)\Z", re.DOTALL)


def as_python(fix: Fix, text: str) -> Fix | None:
    """Return a fix of Relax text as one of Python text, or None if there is no such form."""
    edits: list[Edit] = []
    for edit in fix.edits:
        made = _edit(edit, text)
        if made is None:
            return None
        edits.append(made)
    title = fix.title
    for before, after in zip(fix.edits, edits, strict=True):
        if before.text and before.text != after.text:
            title = title.replace(before.text, after.text)
    return Fix(title, edits, fix.applicability)


def _edit(edit: Edit, text: str) -> Edit | None:
    old = text[edit.pos : edit.end]
    if _WORD.match(edit.text) and _WORD.match(old):
        return edit
    if edit.text == "" and (old.startswith(": ") or old.strip() == ""):
        return edit  # the annotation of a variable
    if edit.text in _CALLS:
        return Edit(edit.pos, edit.end, f"R.{edit.text}")
    converted = _DTYPE.match(edit.text)
    if converted is not None:
        return Edit(edit.pos, edit.end, f', "{converted["dtype"]}")')
    for pattern in (_CAST_CLOSE, _ANNOTATION):
        found = pattern.match(edit.text)
        if found is not None:
            info = _info(found["info"])
            return None if info is None else Edit(edit.pos, edit.end, edit.text.replace(found["info"], info))
    if _INFO_START.match(edit.text):
        info = _info(edit.text)
        return None if info is None or not old.startswith("R.") else Edit(edit.pos, edit.end, info)
    return None


def _info(text: str) -> str | None:
    """Return a struct info in TVM's notation."""
    from relax_lang.syntax.parser import parse
    from relax_lang.tvmscript.writer.struct_infos import info_text

    parsed = parse(text, "struct_info")
    return None if parsed.diagnostics else info_text(parsed.tree)
