"""Struct infos as TVMScript and Python write them: `R.Tuple(R.Tensor((n,), "float32"), R.Shape([n]))`. [Y.7]

They are read from their tokens, from left to right, each once, and written as they are here.
"""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.vocabulary.foreign_words import TENSORS, dtype_of, dtype_with_prefix, info_form
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS

_MODULES = frozenset(("R", "rx", "relax", "tvm.relax", "T", "tir", "typing", "np", "numpy", "torch", "jnp"))
_TENSORS = frozenset(("Tensor", *TENSORS))
_TUPLES = frozenset(("Tuple", "tuple"))
_FORMS = _TUPLES | {"Callable"}
_CLOSERS = {"(": ")", "[": "]"}
_ORDER = ("dims", "ndim", "dtype")
"""In which order what is known of a tensor is written."""
_NOT_IN_DIMS = frozenset("'\";:={}#@$?!&|~^")
_MOST_NESTED = 50
_LONG = 60
"""A fix that is longer is shown as `Tensor[…]`."""


class ForeignInfo:
    """A struct info of another language: how it is written here, and the first thing in it that is not."""

    __slots__ = ("end", "form", "message", "pos")

    def __init__(self, pos: int, end: int, form: str, message: str) -> None:
        self.pos = pos
        self.end = end
        self.form = form
        self.message = message

    @property
    def shown(self) -> str:
        """What a help shows of the form."""
        if len(self.form) < _LONG:
            return self.form
        head = self.form.partition("[")[0]
        return f"{head}[…]" if head in STRUCT_INFOS else "(A, B)" if head.startswith("(") else "fn(A) -> B"


def is_foreign(name: str) -> bool:
    """Return whether a name may be the head of a struct info of another language, such as `R.Tuple`."""
    module, _, last = name.rpartition(".")
    return last in _TENSORS or last in _FORMS or (module in _MODULES and last in STRUCT_INFOS)


def read(text: str, start: int, stop: int, *, buffer: bool = False) -> ForeignInfo | None:
    """Read a struct info; None if it is not complete, if anything in it has no form here, or if it is one already.

    A tensor is read as a `buffer`, which has dimensions and a dtype, where a parameter of a PrimFunc is.
    """
    reader = _Reader(text, start, stop)
    try:
        form = reader.buffer() if buffer else reader.info()
    except _NoFormError:
        return None
    return ForeignInfo(start, reader.end, form, reader.message) if reader.message else None


def form_of(text: str, start: int, stop: int) -> tuple[str, int] | None:
    """Return how the struct info at an offset is written here, and where it ends; None if it has no form."""
    reader = _Reader(text, start, stop)
    try:
        return reader.info(), reader.end
    except _NoFormError:
        return None


class _NoFormError(Exception):
    """Something has no form here."""


class _Reader:
    """Reads tokens; `word` is the next one, and `end` where the last one ends."""

    def __init__(self, text: str, start: int, stop: int) -> None:
        self._text = text
        self._tokens = lalr_table.tokens(text, start, stop)
        self._depth = 0
        self._ends_in_comma = False
        """Whether the list in brackets that was read last has a comma at its end."""
        self._next_begin = self._next_end = start
        self.end = start
        self.word = ""
        self.message = ""
        self._go_on()

    def _go_on(self) -> str:
        """Return the next word, and read the one after it; at the end it is empty. A comment would be lost."""
        last, self.end = self.word, self._next_end
        match = next(self._tokens, None)
        self.word = "" if match is None else match[match.lastindex or 0]
        if match is not None:
            self._next_begin, self._next_end = match.span(match.lastindex or 0)
        if self.word.startswith("#"):
            self.word = ""
        return last

    def _takes(self, word: str) -> bool:
        if self.word != word:
            return False
        self._go_on()
        return True

    def _must_take(self, word: str) -> None:
        if not self._takes(word):
            raise _NoFormError

    def _note(self, message: str) -> None:
        self.message = self.message or message

    def info(self) -> str:
        """Read a struct info."""
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise _NoFormError
        made = self._info()
        self._depth -= 1
        return made

    def buffer(self) -> str:
        """Read a tensor, and return it as a buffer."""
        name = self._go_on()
        last = name.rpartition(".")[2]
        if last not in _TENSORS or self.word not in _CLOSERS:
            raise _NoFormError
        self._note("a buffer is written `Buffer[(n, m), float32]`")
        read = self._read_arguments("Tensor")
        if read.keys() != {"dims", "dtype"} or not read["dims"].startswith("("):
            raise _NoFormError
        return f"Buffer[{read['dims']}, {read['dtype']}]"

    def _info(self) -> str:
        if self.word == "[":
            self._note(info_form("tuple"))
        if self.word in _CLOSERS:
            return self._tuple_here()
        name = self._go_on()
        if name in ("fn", "impure", "pure"):
            return self._function_here(name)
        module, _, last = name.rpartition(".")
        if module and module not in _MODULES:
            raise _NoFormError
        if last in _FORMS:
            return self._form(last)
        if last not in STRUCT_INFOS and last not in _TENSORS:
            raise _NoFormError
        known = "Tensor" if last in _TENSORS else last
        if module and last == known:
            self._note(f"struct infos have no prefix: `{last}`, not `{name}`")
        elif name != known:
            self._note(f"`{name}` is not a struct info")
        if self.word == "(":
            self._note(f"the arguments of `{known}` are written in brackets: `{known}[…]`")
        return known + self._arguments(known)

    def _tuple_here(self) -> str:
        plain = self.word == "("
        infos = self._infos()
        return infos[0] if plain and len(infos) == 1 and not self._ends_in_comma else _tuple(infos)

    def _function_here(self, word: str) -> str:
        head = "fn"
        if word != "fn":
            self._must_take("fn")
            head = f"{word} fn"
        if self.word != "(":
            raise _NoFormError
        params = self._infos()
        self._must_take("->")
        return f"{head}({', '.join(params)}) -> {self.info()}"

    def _infos(self) -> list[str]:
        """Read struct infos in brackets."""
        closer = _CLOSERS[self._go_on()]
        made: list[str] = []
        comma = False
        while self.word != closer:
            made.append(self.info())
            comma = self._takes(",")
            if not comma:
                break
        self._must_take(closer)
        self._ends_in_comma = comma
        return made

    def _form(self, name: str) -> str:
        """Read what follows `Tuple` or `Callable`."""
        if self.word not in _CLOSERS:
            raise _NoFormError
        if name in _TUPLES:
            self._note(info_form("tuple"))
            infos = self._infos()
            is_list = len(infos) == 1 and infos[0].startswith("(")
            return infos[0] if is_list else _tuple(infos)  # `Tuple([A, B])`
        self._note("a function type is written `fn(A) -> B`")
        closer = _CLOSERS[self._go_on()]
        if self.word not in _CLOSERS:
            raise _NoFormError
        params = ", ".join(self._infos())
        self._must_take(",")
        result = self.info()
        pure = self._purity() if self._takes(",") else True
        self._must_take(closer)
        return f"{'' if pure else 'impure '}fn({params}) -> {result}"

    def _purity(self) -> bool:
        if self._takes("purity"):
            self._must_take("=")
        word = self._go_on()
        if word not in ("True", "False"):
            raise _NoFormError
        return word == "True"

    def _arguments(self, known: str) -> str:
        """Read what is in the brackets of `Tensor((n,), "float32")`, if there are any."""
        if self.word not in _CLOSERS:
            return ""
        read = self._read_arguments(known)
        made = [read[key] for key in _ORDER if key in read]
        return f"[{', '.join(made)}]" if made else ""

    def _read_arguments(self, known: str) -> dict[str, str]:
        """Read brackets and what is in them, by the kinds of the arguments."""
        closer = _CLOSERS[self._go_on()]
        read: dict[str, str] = {}
        while self.word != closer:
            key, value = self._argument(known, written_here=closer == "]")
            if key in read:
                raise _NoFormError
            read[key] = value
            if not self._takes(","):
                break
        self._must_take(closer)
        if "dims" in read and "ndim" in read:
            del read["ndim"]
        if known == "Prim" and "dtype" not in read:
            raise _NoFormError
        return read

    def _argument(self, known: str, *, written_here: bool) -> tuple[str, str]:
        """Read one argument; return its kind and how it is written."""
        if self.word in _CLOSERS and known in ("Tensor", "Shape"):
            return "dims", self._dims()
        word = self._go_on()
        if word in ("dtype", "shape", "values", "ndim") and self._takes("="):
            if word in ("shape", "values"):
                if self.word not in _CLOSERS:
                    raise _NoFormError
                return "dims", self._dims()
            if word == "ndim":
                if not self.word.isdigit() or known not in ("Tensor", "Shape"):
                    raise _NoFormError
                return "ndim", f"ndim={self._go_on()}"
            word = self._go_on()
        dtype = dtype_with_prefix(word) or dtype_of(word[1:-1] if word[:1] in ("'", '"') else word)
        if known in ("Tensor", "Prim") and dtype is not None:
            return "dtype", dtype
        if written_here and known in ("Tensor", "Shape") and word.isidentifier():
            return "dims", word  # a variable that holds the shape
        raise _NoFormError

    def _dims(self) -> str:
        """Read dimensions in brackets; some are strings in which TVMScript has expressions."""
        if self.word == "[":
            self._note("dimensions are written in parentheses")
        closer = _CLOSERS[self._go_on()]
        dims: list[str] = []
        while self.word != closer:
            dims.append(self._dim(closer))
            if not self._takes(","):
                break
        self._must_take(closer)
        return _tuple(dims)

    def _dim(self, closer: str) -> str:
        if self.word[:1] in ("'", '"'):
            return _expression(self._go_on()[1:-1])
        begin, depth = self._next_begin, 0
        while self.word and (depth or self.word not in (",", closer)):
            if self.word[:1] in _NOT_IN_DIMS:
                raise _NoFormError
            depth += (self.word in _CLOSERS) - (self.word in (")", "]"))
            self._go_on()
        if self.end <= begin or "\n" in self._text[begin : self.end]:
            raise _NoFormError
        return self._text[begin : self.end]


def _expression(text: str) -> str:
    """Return what a string holds if it can be a dimension."""
    words = [match[match.lastindex or 0] for match in lalr_table.tokens(text)]
    if not words or any(word[:1] in _NOT_IN_DIMS or word[:1] == "," for word in words):
        raise _NoFormError
    return text.strip()


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
