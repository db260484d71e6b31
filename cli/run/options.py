"""The options of `relax run`, and the exception for command lines that cannot be carried out."""

from __future__ import annotations

from ..options import COUNT, FLAG, OUTPUT_FORMATS, SHARE, WORD, WORDS, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic


_DECIMAL = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_BINARY = {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}
_UNITS = {"": 1, **_DECIMAL, **{unit[0]: size for unit, size in _DECIMAL.items()}, **_BINARY}


class RunOptions(Shown):
    """The options of `relax run`."""

    entry = "main"
    args: list[str] = []
    arg: list[str] = []
    npz = ""
    random: int | None = None
    dim: list[str] = []
    out = ""
    packed: list[str] = []
    engine = "compiled"
    sequential = "auto"
    threads: int | None = None
    print = "summary"
    json = False
    trace = False
    nan = False
    save_all = ""
    compare = ""
    tolerance: float | None = None
    profile = False
    profile_out = ""
    max_memory = ""
    strict_effects = False
    no_cache = False
    unit = ""
    define: list[str] = []
    output_format = "text"
    stdin_filename = ""

    TABLE = {
        "--entry": ("entry", WORD, ()),
        "--args": ("args", WORDS, ()),
        "--arg": ("arg", WORDS, ()),
        "--npz": ("npz", WORD, ()),
        "--random": ("random", COUNT, ()),
        "--dim": ("dim", WORDS, ()),
        "--out": ("out", WORD, ()),
        "--packed": ("packed", WORDS, ()),
        "--engine": ("engine", WORD, ("compiled", "interpreter", "relay")),
        "--sequential": ("sequential", WORD, ("auto", "numpy", "numba")),
        "--threads": ("threads", COUNT, ()),
        "--print": ("print", WORD, ("full", "summary", "none")),
        "--json": ("json", FLAG, ()),
        "--trace": ("trace", FLAG, ()),
        "--nan": ("nan", FLAG, ()),
        "--save-all": ("save_all", WORD, ()),
        "--compare": ("compare", WORD, ()),
        "--tolerance": ("tolerance", SHARE, ()),
        "--profile": ("profile", FLAG, ()),
        "--profile-out": ("profile_out", WORD, ()),
        "--max-memory": ("max_memory", WORD, ()),
        "--strict-effects": ("strict_effects", FLAG, ()),
        "--no-cache": ("no_cache", FLAG, ()),
        "--unit": ("unit", WORD, ()),
        "--define": ("define", WORDS, ()),
        "--output-format": ("output_format", WORD, OUTPUT_FORMATS),
        "--stdin-filename": ("stdin_filename", WORD, ()),
        "--meta": ("meta", WORD, ()),
        "--allow-path": ("allow_path", WORDS, ()),
        "--trust": ("trust", FLAG, ()),
        **Shown.TABLE,
    }


class Refused(Exception):  # noqa: N818 - the command line is refused; nothing went wrong here
    """A command line that cannot be carried out, with the reasons."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(diagnostics)
        self.diagnostics = list(diagnostics)


def memory_limit(options: RunOptions) -> int | None:
    """Return what `--max-memory` allows, in bytes; None if it is not given."""
    from relax_lang.check.diagnostics.toolchain import usage

    word = options.max_memory.replace(" ", "")
    if not word:
        return None
    number = word.rstrip("bBgGiIkKmMtT")
    unit = _UNITS.get(word[len(number) :].upper())
    try:
        size = float(number) * unit if unit is not None else -1.0
    except ValueError:
        size = -1.0
    if not 0 < size < 1 << 62:
        raise Refused(usage(f"`--max-memory` takes a size such as 4GiB or 500MB, not `{options.max_memory}`"))
    return int(size)
