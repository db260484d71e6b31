"""What a call returns, given as TVMScript does: `call_packed("f", x, sinfo_args=(R.Tensor((4,)),))`. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

import re

from relax_lang.syntax.builders.foreign import foreign_infos

KEY = re.compile(
    r",\s*+(?:(?:sinfo_args|out_sinfo|ty_args|out_ty)\s*+=\s*+|(?=\[?(?:R|relax)\.(?:Tensor|Tuple|Object|Shape|Prim)\b))"
)
CLOSED = re.compile(r"\s*+,?\s*+[)\]]\s*+,?\s*+\)\Z")
OPEN = re.compile(r"\s*+,?\s*+\)\Z")


def named_result(text: str, pos: int, end: int) -> tuple[int, str] | None:
    """Return where the last argument of a call begins, its comma included, and the result that it is; or None."""
    key = KEY.search(text, pos, end)
    if key is None:
        return None
    at = key.end()
    if text[at : at + 1] in ("(", "["):  # a list of one
        inner = foreign_infos.form_of(text, at + 1, end)
        if inner is not None and CLOSED.match(text[inner[1] : end]):
            return key.start(), inner[0]
    whole = foreign_infos.form_of(text, at, end)
    if whole is None or OPEN.match(text[whole[1] : end]) is None:
        return None
    return key.start(), whole[0]
