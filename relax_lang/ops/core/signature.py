"""The small language of operator signatures, and its meaning.

Parameters: `"x: tensor(float), shape: shape, k: prim?, *rest: any"`. A kind, an optional restriction of
tensors in parentheses (rank and class of dtype: `tensor(1-d int)`), `?` for one that may be left out.

| kind      | what is written there                              | what a kernel gets                     |
|-----------|----------------------------------------------------|----------------------------------------|
| `tensor`  | a tensor                                           | `numpy.ndarray`                        |
| `tensors` | a tuple of tensors                                 | Python `tuple` of arrays               |
| `shape`   | a shape                                            | Python `tuple` of `int`                |
| `prim`    | a number or a dimension expression                 | `int`, `float` or `bool`               |
| `prims`   | a tuple of such                                    | Python `tuple` of them                 |
| `tuple`   | a tuple of anything                                | Python `tuple`                         |
| `callee`  | what is to be called: `@f`, `extern "f"`, a closure | whatever the runtime made of it       |
| `any`     | anything                                           | the value                              |

Attributes: `'axis: int|list[int]|none = none, mode: "fast"|"clip" = "fast", depth: int>0'`. One without a
default is required. Types are `int`, `int>0`, `int>=0`, `float`, `bool`, `str`, `dtype`, `none`,
`list[…]` of one of these, `dtype(class)`, and strings in quotes, which are the only values allowed.

This module never looks at a program; it reads the declarations.
"""

from __future__ import annotations

from relax_lang.syntax.vocabulary.words import escape

KINDS = ("tensor", "tensors", "shape", "prim", "prims", "tuple", "callee", "any")
"""Every kind of parameter."""

WORDS = {
    "tensor": "a tensor",
    "tensors": "a tuple of tensors",
    "shape": "a shape",
    "prim": "a scalar",
    "prims": "a tuple of scalars",
    "tuple": "a tuple",
    "callee": "a function",
}
"""What messages call each kind of parameter; `any` is never wrong."""


class DTypeName(str):
    """A dtype as the value of an attribute: `float32` written without quotes."""

    __slots__ = ()


class Param:
    """A positional parameter: its name, kind, and what it may be; see the head of this module. [OP.2] [OP.3]

    `ndim` (None: any rank) and `dtypes` (a class of `core.dtypes`, "" for any) restrict tensors.
    """

    __slots__ = ("dtypes", "kind", "name", "ndim", "optional", "variadic")

    def __init__(
        self, name: str, kind: str, optional: bool, variadic: bool, ndim: int | None, dtypes: str
    ) -> None:
        self.name = name
        self.kind = kind
        self.optional = optional
        self.variadic = variadic
        self.ndim = ndim
        self.dtypes = dtypes

    def __repr__(self) -> str:
        """Show the declaration."""
        ndim = [] if self.ndim is None else [f"{self.ndim}-d"]
        limits = " ".join(ndim + ([self.dtypes] if self.dtypes else []))
        shown = f"{'*' if self.variadic else ''}{self.name}: {self.kind}"
        return f"{shown}{f'({limits})' if limits else ''}{'?' if self.optional else ''}"


class AttrSpec:
    """An attribute: its name, its type as declared, its default unless it is required. [OP.4]"""

    __slots__ = ("default", "name", "required", "type")

    def __init__(self, name: str, type_: str, default: object, required: bool) -> None:
        self.name = name
        self.type = type_
        self.default = default
        self.required = required

    def __repr__(self) -> str:
        """Show the declaration, with the words of the language (`null`, not `none`)."""
        shown = f"{self.name}: {self.type.replace('none', 'null')}"
        return shown if self.required else f"{shown} = {show_value(self.default)}"


class Signature:
    """The name, parameters and attributes of an operator; the texts that declare them are read when first
    needed.
    """

    __slots__ = ("_attrs", "_attrs_text", "_params", "_params_text", "name")

    def __init__(self, name: str, params: str, attrs: str) -> None:
        self.name = name
        self._params_text = params
        self._attrs_text = attrs
        self._params: tuple[Param, ...] | None = None
        self._attrs: tuple[AttrSpec, ...] | None = None

    @property
    def params(self) -> tuple[Param, ...]:
        """The positional parameters. [OP.2]"""
        if self._params is None:
            self._params = parse_params(self._params_text)
        return self._params

    @property
    def attrs(self) -> tuple[AttrSpec, ...]:
        """The attributes. [OP.4]"""
        if self._attrs is None:
            self._attrs = parse_attrs(self._attrs_text)
        return self._attrs

    @property
    def signature(self) -> str:
        """All of it on one line: `sum(x: tensor, axis: int|list[int]|null = null, …)`."""
        shown = [repr(param) for param in self.params] + [repr(spec) for spec in self.attrs]
        return f"{self.name}({', '.join(shown)})"


def parse_params(text: str) -> tuple[Param, ...]:
    """Read a list of parameters."""
    params: list[Param] = []
    for part in split_top(text, ","):
        name, _, kind = part.partition(":")
        name, kind = name.strip(), kind.strip()
        optional, variadic = kind.endswith("?"), name.startswith("*")
        kind, _, limits = kind.rstrip("?").partition("(")
        ndim, dtypes = None, ""
        for word in limits.rstrip(")").split():
            if word.endswith("-d"):
                ndim = int(word[:-2])
            else:
                dtypes = word
        if kind not in KINDS:
            raise ValueError(f"unknown kind of parameter: {part}")
        params.append(Param(name.lstrip("*"), kind, optional, variadic, ndim, dtypes))
    return tuple(params)


def parse_attrs(text: str) -> tuple[AttrSpec, ...]:
    """Read a list of attributes."""
    specs: list[AttrSpec] = []
    for part in split_top(text, ","):
        name, _, rest = part.partition(":")
        pieces = split_top(rest, "=")
        type_ = pieces[0].strip()
        default = parse_value(pieces[1].strip()) if len(pieces) > 1 else None
        specs.append(AttrSpec(name.strip(), type_, default, len(pieces) == 1))
    return tuple(specs)


def split_top(text: str, separator: str) -> list[str]:
    """Split at a separator outside of brackets and quotes; `>=` does not count as `=`. An empty text has no parts."""
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == separator and depth == 0 and text[at - 1] != ">":
            parts.append(text[start:at])
            start = at + 1
    last = text[start:]
    return [*parts, last] if last.strip() else parts


_WORDS: dict[str, object] = {"none": None, "true": True, "false": False}


def parse_value(text: str) -> object:
    """Read a default: a number, a string, `none`, `true`, `false`, a dtype, or a list of such."""
    if text.startswith("["):
        return [parse_value(item.strip()) for item in split_top(text[1:-1], ",")]
    if text.startswith('"'):
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    if text[0].isdigit() or text[0] == "-":
        return float(text) if "." in text or "e" in text else int(text)
    return DTypeName(text)


def show_value(value: object) -> str:
    """Show the value of an attribute as the language writes it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, DTypeName):
        return str(value)
    if isinstance(value, str):
        return '"' + escape(value, '"') + '"'
    if isinstance(value, list | tuple):
        items = [show_value(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return f"[{', '.join(items)}]"
    return repr(value)
