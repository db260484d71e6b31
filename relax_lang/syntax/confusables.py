"""Text that does not say what it seems to: controls that reorder a line, and letters that look like other letters.

Only imported for texts that are not plain ASCII. Unicode's own table of confusable characters is not part of Python;
the letters here are those of Greek, Cyrillic and Armenian that common fonts draw as Latin ones. What NFKC makes equal
(full-width and mathematical letters) is found without a table. [Y.11]
"""

from __future__ import annotations

import re
from unicodedata import name, normalize

from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span

REORDERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""The bidirectional controls of Unicode (property Bidi_Control)."""
INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2064\u3164\ufe00-\ufe0f\uffa0]"
)
"""Characters in names that have no picture."""

_LATIN = "aceiopsxyhjdqgwvoABE3KMHOPCTXIJSYABEZHIKMNOPTYXoOnuUhgl"
_ALIKE = (
    "\u0430\u0441\u0435\u0456\u043e\u0440\u0455\u0445\u0443\u04bb\u0458\u0501\u051b\u0261\u051d\u03bd"
    "\u03bf\u0410\u0412\u0415\u0417\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u04ae\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0585"
    "\u0555\u0578\u057d\u054d\u0570\u0581\u04cf"
)
LOOKS_LIKE = str.maketrans(_ALIKE, _LATIN)
_NAMES = {lalr_table.KIND[kind] for kind in ("GLOBAL", "DOTTED", "QUOTED_NAME")}


def confusable_text(text: str) -> list[Diagnostic]:
    """Warn of bidirectional controls anywhere, and of names that look like others or mix letters that look alike."""
    found = [
        diag.confusable_text(
            match.span(), f"{_described(match[0])} changes the order in which this line is shown"
        )
        for match in REORDERING.finditer(text)
    ]
    first: dict[str, tuple[str, Span]] = {}
    reported: set[str] = set()
    for match in lalr_table.tokens(text):
        group = match.lastindex or 0
        word = match[group]
        if lalr_table.GROUP_KINDS[group] not in (-1, *_NAMES) or not (word[0].isalpha() or word[0] in "_@`"):
            continue
        seen, place = first.setdefault(_picture(word), (word, match.span(group)))
        if seen != word and word not in reported:
            reported.add(word)
            which = seen if word.isascii() else word
            message = f"`{word}` is not `{seen}`, which looks the same: {_letters(which)}"
            found.append(diag.confusable_text(match.span(group), message).label(place, "the other name"))
        elif not word.isascii() and place == match.span(group) and _mixes(word):
            found.append(
                diag.confusable_text(place, f"`{word}` mixes letters that look alike: {_letters(word)}")
            )
    return found


def _picture(word: str) -> str:
    """Return what names that look the same have in common."""
    return word if word.isascii() else INVISIBLE.sub("", normalize("NFKC", word).translate(LOOKS_LIKE))


def _mixes(word: str) -> bool:
    """Return whether a name has Latin letters and others that look like Latin ones, or characters that are not seen."""
    has_latin = any(letter.isascii() and letter.isalpha() for letter in word)
    return INVISIBLE.search(word) is not None or (
        has_latin and any(ord(letter) in LOOKS_LIKE for letter in word)
    )


def _letters(word: str) -> str:
    """Name the letters of a word that are not what they seem, the first three."""
    odd = [
        one
        for one in dict.fromkeys(word)
        if not one.isascii() and (_picture(one) != one or not _picture(one))
    ]
    return ", ".join([_described(one) for one in odd[:3]])


def _described(letter: str) -> str:
    return f"U+{ord(letter):04X} {name(letter, 'without a name').lower()}"
