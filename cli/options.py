"""The options of `check` and `fmt`, and what options of `run` are made of.

They are declared here for the quick way in, and once more in `commands` for Typer.
A test holds the two against each other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OUTPUT_FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
COLORS = ("auto", "always", "never")

FLAG = "flag"  # given or not
WORD = "word"  # takes a word
WORDS = "words"  # takes a word and may be repeated
COUNT = "count"  # takes a whole number from 0 on
SHARE = "share"  # takes a number from 0 on
Kind = str
Value = bool | str | int | float | list[str]


class Shown:
    """How to show things: options of every command."""

    color = "auto"
    ascii = False
    quiet = False
    verbose = False
    trust = False
    """Whether Python files that settings name may run although their folder is not trusted."""
    meta = ""
    """A file with objects of the metadata, for programs in Relay."""
    allow_path: list[str] = []
    """Folders that constants may be read from, for the commands that check programs. [CF.3]"""

    TABLE: Mapping[str, tuple[str, Kind, tuple[str, ...]]] = {
        "--color": ("color", WORD, COLORS),
        "--ascii": ("ascii", FLAG, ()),
        "--quiet": ("quiet", FLAG, ()),
        "-q": ("quiet", FLAG, ()),
        "--verbose": ("verbose", FLAG, ()),
        "-v": ("verbose", FLAG, ()),
    }
    """What is written, the attribute it sets, its kind, and the words it takes (none listed: any)."""

    def __init__(self, given: Mapping[str, Value | None]) -> None:
        for name, value in given.items():
            if value is not None:
                setattr(self, name, value)


class CheckOptions(Shown):
    """The options of `relax check`."""

    output_format = ""
    """Empty: the value of RELAX_OUTPUT_FORMAT, else github in its Actions, else text."""
    output_file = ""
    select: list[str] = []
    extend_select: list[str] = []
    ignore: list[str] = []
    strict = False
    strict_shapes = False
    edition = ""
    stdin_filename = ""
    fix = False
    unsafe_fixes = False
    diff = False
    watch = False
    statistics = False
    exit_zero = False
    jobs = ""
    no_cache = False
    force_exclude = False

    TABLE = {
        "--force-exclude": ("force_exclude", FLAG, ()),
        "--output-format": ("output_format", WORD, OUTPUT_FORMATS),
        "--output-file": ("output_file", WORD, ()),
        "-o": ("output_file", WORD, ()),
        "--select": ("select", WORDS, ()),
        "--extend-select": ("extend_select", WORDS, ()),
        "--ignore": ("ignore", WORDS, ()),
        "--strict": ("strict", FLAG, ()),
        "--strict-shapes": ("strict_shapes", FLAG, ()),
        "--edition": ("edition", WORD, ("2022",)),
        "--stdin-filename": ("stdin_filename", WORD, ()),
        "--fix": ("fix", FLAG, ()),
        "--unsafe-fixes": ("unsafe_fixes", FLAG, ()),
        "--diff": ("diff", FLAG, ()),
        "--watch": ("watch", FLAG, ()),
        "--statistics": ("statistics", FLAG, ()),
        "--exit-zero": ("exit_zero", FLAG, ()),
        "--jobs": ("jobs", WORD, ()),
        "-j": ("jobs", WORD, ()),
        "--no-cache": ("no_cache", FLAG, ()),
        "--meta": ("meta", WORD, ()),
        "--allow-path": ("allow_path", WORDS, ()),
        "--trust": ("trust", FLAG, ()),
        **Shown.TABLE,
    }


class FmtOptions(Shown):
    """The options of `relax fmt`."""

    check = False
    diff = False
    line_length = ""
    force_exclude = False
    stdin_filename = ""
    anf = False
    graph = False
    strip_types = False

    TABLE = {
        "--force-exclude": ("force_exclude", FLAG, ()),
        "--anf": ("anf", FLAG, ()),
        "--graph": ("graph", FLAG, ()),
        "--strip-types": ("strip_types", FLAG, ()),
        "--check": ("check", FLAG, ()),
        "--diff": ("diff", FLAG, ()),
        "--line-length": ("line_length", WORD, ()),
        "--stdin-filename": ("stdin_filename", WORD, ()),
        **Shown.TABLE,
    }
