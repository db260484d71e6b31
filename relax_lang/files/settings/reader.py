"""Settings files: read and checked key by key, with the place of whatever is wrong.

Only loaded where there is a `relax.toml` or `pyproject.toml`.
"""

from __future__ import annotations

import os
import re

from relax_lang.base.diagnostic import ERROR, HINT, OFF, WARNING
from relax_lang.base.names import nearest
from relax_lang.files import diagnostics as diag
from relax_lang.files.programs import read
from relax_lang.files.settings.data import LINE_LENGTHS, Config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.base.source import SourceFile, Span

SEVERITIES = (ERROR, WARNING, HINT, OFF)

_AT_LINE = re.compile(r"\(at line (\d+), column (\d+)\)")
_HEADER = re.compile(r"\s*+\[\[?\s*+([^\]#\s]++(?:\s++[^\]#\s]++)*)\s*+\]\]?\s*+(?:#.*)?\Z")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_KEY_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def read_config(path: str, extended_by: tuple[str, ...] = ()) -> Config | None:
    """Return the settings in a file, or None for a `pyproject.toml` without settings of Relax.

    `extended_by` are the files that are being read because each extends the next, and the last one this one.
    """
    shown = os.path.relpath(path)
    source, problem = read(shown if not shown.startswith(os.pardir) else path)
    config = Config(os.path.dirname(path), source)
    is_own = os.path.basename(path) != "pyproject.toml"
    if problem is not None:
        # A project file that cannot be read is reported by other tools, unless it is our own.
        config.diagnostics.append(problem)
        return config if is_own else None
    import tomllib

    try:
        data = tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        config.diagnostics.append(diag.bad_config(_place_of_error(source, error), _reason(error)))
        return config
    tables: tuple[str, ...] = ("tool", "relax")
    settings = _within(data, tables)
    if settings is None:
        if not is_own:
            return None
        settings, tables = data, ()
    _Reader(config, source, tables, (*extended_by, os.path.realpath(path))).read(settings)
    return config


def _table(value: Any) -> dict[str, Any] | None:
    """Return a table of TOML, or None for any other value."""
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]


def _within(data: Any, tables: tuple[str, ...]) -> Any:
    for name in tables:
        table = _table(data)
        if table is None or name not in table:
            return None
        data = table[name]
    return data


def _reason(error: Exception) -> str:
    words = _AT_LINE.sub("", str(error)).replace("(at end of document)", "at the end of the file").strip()
    return f"this is not TOML: {words[:1].lower()}{words[1:]}"


def _place_of_error(source: SourceFile, error: Exception) -> Span:
    at = _AT_LINE.search(str(error))
    if at is None:
        return len(source.text), len(source.text)
    line = min(int(at[1]), len(source.line_starts))
    pos = min(source.line_starts[line - 1] + int(at[2]) - 1, len(source.text))
    return pos, min(pos + 1, len(source.text))


class _Reader:
    """Checks the settings of one file and puts them into a `Config`."""

    def __init__(
        self, config: Config, source: SourceFile, tables: tuple[str, ...], chain: tuple[str, ...]
    ) -> None:
        self.config = config
        self.tables = tables
        self.chain = chain
        self.places = SettingSpans(source)

    def read(self, settings: Any) -> None:
        """Take over everything that is right, and report the rest."""
        table = _table(settings)
        if table is None:
            self.wrong((), "`tool.relax` is a table")
            return
        # These settings win over those that they extend, wherever `extend` is in the file.
        for key, value in sorted(table.items(), key=lambda item: item[0] != "extend"):
            take = _KEYS.get(key)
            if take is not None:
                take(self, value)
                continue
            like = nearest(key, _KEYS)
            known = ", ".join([f"`{name}`" for name in _KEYS])
            self.wrong(
                (key,),
                f"there is no setting `{key}`",
                f"did you mean `{like}`?" if like else f"there are {known}",
            )

    def wrong(self, key: tuple[str, ...], message: str, help: str = "", value: str = "") -> None:  # noqa: A002
        """Report a key, or a value of it."""
        self.config.diagnostics.append(diag.bad_config(self.place(key, value), message, help))

    def place(self, key: tuple[str, ...], value: str = "") -> Span:
        """Return the place of a key, or of a value of it."""
        return self.places.of((*self.tables, *key), value)

    def words(self, key: str, value: Any) -> list[str]:
        """Return the strings of a list."""
        if isinstance(value, list) and all(isinstance(one, str) for one in value):  # pyright: ignore[reportUnknownVariableType]
            return value  # pyright: ignore[reportUnknownVariableType]
        self.wrong((key,), f"`{key}` is a list of strings")
        return []

    def codes(self, key: str, value: Any) -> list[str]:
        """Return the words of a list that name diagnostics."""
        words = [word.strip() for word in self.words(key, value)]
        return [word for word in words if self.names_rule((key,), word)]

    def names_rule(self, key: tuple[str, ...], word: str) -> bool:
        """Return whether a word names diagnostics; if not, report it."""
        from relax_lang.check.selection import known_words, unknown

        if not unknown([word]):
            return True
        like = nearest(word, known_words())
        self.wrong(key, f"there is no diagnostic `{word}`", f"did you mean `{like}`?" if like else "", word)
        return False


def _take_extend(reader: _Reader, value: Any) -> None:
    """Begin with the settings of another file, but for what belongs to its folder."""
    if not isinstance(value, str) or not value:
        reader.wrong(("extend",), "`extend` is the path of another file with settings")
        return
    path = os.path.join(reader.config.folder, value)
    if os.path.realpath(path) in reader.chain:
        reader.wrong(("extend",), f"`{value}` extends itself", value=value)
        return
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for
        reader.wrong(("extend",), f"`{value}` is not a file", value=value)
        return
    base = read_config(path, reader.chain)
    if base is None:
        reader.wrong(("extend",), f"`{value}` has no settings", value=value)
    elif base.diagnostics:
        reader.wrong(("extend",), f"`{value}` cannot be used: {base.diagnostics[0].message}", value=value)
    else:
        config = reader.config
        config.select, config.extend_select, config.ignore = base.select, base.extend_select, base.ignore
        config.strict, config.severity, config.line_length = base.strict, base.severity, base.line_length
        config.strict_shapes = base.strict_shapes


def _take_select(reader: _Reader, value: Any) -> None:
    reader.config.select = reader.codes("select", value)


def _take_extend_select(reader: _Reader, value: Any) -> None:
    reader.config.extend_select = reader.codes("extend-select", value)


def _take_ignore(reader: _Reader, value: Any) -> None:
    reader.config.ignore = reader.codes("ignore", value)


def _take_strict(reader: _Reader, value: Any) -> None:
    if isinstance(value, bool):
        reader.config.strict = value
    else:
        reader.wrong(("strict",), "`strict` is true or false")


def _take_strict_shapes(reader: _Reader, value: Any) -> None:
    if isinstance(value, bool):
        reader.config.strict_shapes = value
    else:
        reader.wrong(("strict-shapes",), "`strict-shapes` is true or false")


def _take_severity(reader: _Reader, value: Any) -> None:
    table = _table(value)
    if table is None:
        reader.wrong(("severity",), "`severity` is a table of diagnostics and their severities")
        return
    severity: dict[str, str] = {}
    for word, given in table.items():
        key = "severity", word
        if not reader.names_rule(key, word):
            continue
        if given in SEVERITIES:
            severity[word] = given
            continue
        like = nearest(given, SEVERITIES) if isinstance(given, str) else None
        allowed = "a severity is `error`, `warning`, `hint` or `off`"
        reader.wrong(
            key, allowed, f"did you mean `{like}`?" if like else "", given if isinstance(given, str) else ""
        )
    reader.config.severity = {**reader.config.severity, **severity}


def _take_exclude(reader: _Reader, value: Any) -> None:
    reader.config.exclude = [word for word in reader.words("exclude", value) if word]


def _take_include(reader: _Reader, value: Any) -> None:
    reader.config.include = [word for word in reader.words("include", value) if word]


def _take_line_length(reader: _Reader, value: Any) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and value in LINE_LENGTHS:
        reader.config.line_length = value
    else:
        limits = f"{LINE_LENGTHS[0]} to {LINE_LENGTHS[-1]}"
        reader.wrong(("line-length",), f"`line-length` is a number of columns from {limits}")


def _take_plugins(reader: _Reader, value: Any) -> None:
    for word in reader.words("plugins", value):
        place = reader.place(("plugins",), word)
        reader.config.plugins.append((word, place))


def _take_packed(reader: _Reader, value: Any) -> None:
    for word in reader.words("packed", value):
        reader.config.packed.append((word, reader.place(("packed",), word)))


_KEYS: dict[str, Callable[[_Reader, Any], None]] = {
    "extend": _take_extend,
    "select": _take_select,
    "extend-select": _take_extend_select,
    "ignore": _take_ignore,
    "strict": _take_strict,
    "strict-shapes": _take_strict_shapes,
    "severity": _take_severity,
    "exclude": _take_exclude,
    "include": _take_include,
    "line-length": _take_line_length,
    "plugins": _take_plugins,
    "packed": _take_packed,
}


class SettingSpans:
    """The places of keys in a TOML file, which the reader of the standard library does not give."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.keys: dict[tuple[str, ...], tuple[Span, int]] = {}
        """Of each table and key: its place, and where its value ends at the latest."""
        table: tuple[str, ...] = ()
        last: tuple[str, ...] | None = None
        for number, start in enumerate(source.line_starts, 1):
            line = source.line(number)
            header, key = _HEADER.match(line), _KEY.match(line)
            if header is None and key is None:
                continue
            if last is not None:
                self.keys[last] = self.keys[last][0], start
            found, names = (header, header[1]) if header else (key, key[1] if key else "")
            assert found is not None
            path = _parts(names)
            if header:
                table = path
            last = path if header else (*table, *path)
            place = start + found.start(1), start + found.end(1)
            # A table in several pieces is shown where it begins.
            self.keys[last] = self.keys.get(last, (place, 0))[0], len(source.text)

    def of(self, path: tuple[str, ...], value: str = "") -> Span:
        """Return the place of a key, or of one string of its value; of what encloses it, if it is not found."""
        inner = [value] if value else []
        while path and path not in self.keys:
            inner.append(path[-1])  # written inside braces
            path = path[:-1]
        if not path:
            return 0, 0
        (pos, end), limit = self.keys[path]
        within = self.source.text[end:limit]
        for word in inner:
            found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", within)
            if found is not None:
                return end + found.start(), end + found.end()
        return pos, end


def _parts(names: str) -> tuple[str, ...]:
    return tuple([part.strip("\"'") for part in _KEY_PART.findall(names)])
