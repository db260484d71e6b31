"""From reductions of the parser to nodes: literals, dtypes and constants."""

from __future__ import annotations

from itertools import chain

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.node import walk
from relax_lang.base.python.patterns import pattern
from relax_lang.base.python.plain_functions import attrgetter, not_equal
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import PartBuilder
from relax_lang.syntax.dtypes import DTYPES, FLOAT_LIMITS, INT_RANGES

_WORD = pattern(r"[^\s,\[\]]+")


class LiteralBuilder(PartBuilder):
    """The callbacks for literals, dtypes and constants, which both grammars have."""

    # -- literals ------------------------------------------------------------------------------------------

    def integer(self, text: str, pos: int) -> int:
        """Return the value of digits; absurdly long ones are reported."""
        if len(text) > 4000:
            self.report(diag.literal_does_not_fit((pos, pos + len(text)), "a number of this length", "int64"))
            return 0
        return int(text)

    def int_literal(self, pos: int, end: int, text: str) -> tree.IntLit:
        """`3`."""
        return tree.IntLit(self.integer(text, pos), text, pos, end)

    def negative_int(self, pos: int, end: int, sign: str, text: str) -> tree.IntLit:
        """`-3`."""
        return tree.IntLit(-self.integer(text, pos), sign + text, pos, end)

    def float_literal(self, pos: int, end: int, text: str) -> tree.FloatLit:
        """`1.5`, `inf`, `nan`."""
        return tree.FloatLit(float(text), text, pos, end)

    def negative_float(self, pos: int, end: int, sign: str, text: str) -> tree.FloatLit:
        """`-1.5`, `-inf`."""
        return tree.FloatLit(-float(text), sign + text, pos, end)

    def bool_literal(self, pos: int, end: int, text: str) -> tree.BoolLit:
        """`true`, `false`."""
        return tree.BoolLit(text == "true", pos, end)

    def null_literal(self, pos: int, end: int) -> tree.NullLit:
        """`null`."""
        return tree.NullLit(pos, end)

    def string_literal(self, pos: int, end: int, text: str) -> tree.StrLit:
        """`"NHWC"`."""
        return tree.StrLit(self.string_text(text, pos), pos, end)

    def word_literal(self, pos: int, end: int, text: str) -> tree.DType:
        """A dtype as an attribute; where it is written decides whether it must be one."""
        return tree.DType(text, pos, end)

    def list_literal_empty(self, pos: int, end: int) -> tree.ListLit:
        """`[]`."""
        return tree.ListLit((), pos, end)

    def list_literal(self, pos: int, end: int, items: list[tree.Literal]) -> tree.ListLit:
        """`[1, 2]`."""
        return tree.ListLit(tuple(items), pos, end)

    def map_literal_empty(self, pos: int, end: int) -> tree.MapLit:
        """`{ }`."""
        return tree.MapLit((), pos, end)

    def map_literal(self, pos: int, end: int, items: list[tree.Attr]) -> tree.MapLit:
        """`{ n: 2048 }`."""
        return tree.MapLit(self.attributes(items), pos, end)

    def dtype(self, pos: int, end: int, name: str) -> tree.DType:
        """`float32`. [G.15]"""
        if name not in DTYPES:
            self.report(diag.unknown_dtype((pos, end), name, self.nearest_dtype(name)))
        return tree.DType(name, pos, end)

    @staticmethod
    def nearest_dtype(name: str) -> str | None:
        """Return the dtype that a word was probably meant to be."""
        from relax_lang.syntax.vocabulary import foreign_words  # only when there is something to report

        return foreign_words.nearest_dtype(name)

    def dtype_string(self, pos: int, end: int, text: str) -> tree.DType:
        """Error: `"float32"`. [G.15]"""
        name = text[1:-1]
        if name not in DTYPES:
            self.report(diag.unknown_dtype((pos, end), name, self.nearest_dtype(name)))
            return tree.DType("float32", pos, end)
        found = diag.syntax((pos, end), "dtypes are written without quotes")
        self.report(found.replace((pos, end), name, f"write `{name}`", applicability=SAFE))
        return tree.DType(name, pos, end)

    # -- constants -----------------------------------------------------------------------------------------

    def int_constant(self, pos: int, end: int, text: str) -> tree.Expr:
        """`1`: int32. [G.22]"""
        if pos in self.half_numbers:
            return tree.Missing(pos, end)
        # Whether it fits is for the scopes to say: as a scalar operand (`arange(0, n)`) it is an int64.
        return tree.Constant(self.int_literal(pos, end, text), None, pos, end)

    def float_constant(self, pos: int, end: int, text: str) -> tree.Expr:
        """`1.5`: float32. [G.22]"""
        if pos in self.half_numbers:
            return tree.Missing(pos, end)
        made = tree.Constant(self.float_literal(pos, end, text), None, pos, end)
        self.check_constant(made)
        return made

    def bool_constant(self, pos: int, end: int, text: str) -> tree.Constant:
        """`true`. [G.22]"""
        return tree.Constant(self.bool_literal(pos, end, text), None, pos, end)

    def file(self, pos: int, end: int, word: str, path: str, key: str | None = None) -> tree.FileLit:
        """`file("weights.npz", "fc1")`. [CF.1]"""
        if word != "file":
            message = f"expected a number, a list of numbers, or `file(…)`, found `{word}(…)`"
            self.report(diag.syntax((pos, pos + len(word)), message))
        self.features.files = True
        at = self.offset_of(path, pos)
        found_key = None if key is None else self.string_text(key, self.offset_of(key, at + len(path)))
        return tree.FileLit(self.string_text(path, at), found_key, pos, end)

    def constant(
        self, pos: int, end: int, data: tree.Literal, dtype: tree.DType | None = None
    ) -> tree.Constant:
        """`const([[1, 2], [3, 4]], int64)`. [G.22]"""
        made = tree.Constant(data, dtype, pos, end)
        if type(data) is tree.FileLit:
            if dtype is not None:
                self.report(diag.syntax(dtype, "a constant from a file has the dtype of the file"))
        elif dtype is None or dtype.name in DTYPES:
            self.check_constant(made)
        return made

    def check_constant(self, constant: tree.Constant) -> None:
        """Report ragged rows, elements of other kinds, and numbers outside the dtype."""
        leaves = self.leaves(constant.data)
        if leaves is None:
            return
        if constant.dtype is not None:
            name = constant.dtype.name
        elif any(type(leaf) is tree.FloatLit for leaf in leaves):
            name = "float32"
        elif leaves and type(leaves[0]) is tree.BoolLit:
            name = "bool"
        elif leaves:
            name = "int32"
        else:
            self.report(diag.syntax(constant, "an empty constant needs a dtype: `const([], float32)`"))
            return
        if _all_fit(leaves, name):
            return
        for leaf in leaves:
            assert isinstance(leaf, tree.BoolLit | tree.IntLit | tree.FloatLit)
            if not fits(leaf.value, None if isinstance(leaf, tree.BoolLit) else leaf.text, name):
                place = self.place_in_row(constant.data, leaf)
                found = diag.literal_does_not_fit(place, self.text[slice(*place)], name)
                if constant.dtype is None and name == "int32":
                    low, high = INT_RANGES["int64"]
                    if all(isinstance(one, tree.IntLit) and low <= one.value <= high for one in leaves):
                        edit = Edit(constant.data.end, constant.data.end, ", int64")
                        found.fix("give the constant a dtype: `const(…, int64)`", edit)
                self.report(found)
                return

    def place_in_row(self, data: tree.Literal, leaf: tree.Literal) -> tuple[int, int]:
        """Return where a number of a constant is: the numbers of a long row have the place of their row."""
        for row in walk(data):
            if isinstance(row, tree.ListLit) and (row.pos, row.end) == (leaf.pos, leaf.end):
                number = next(index for index, item in enumerate(row.items) if item is leaf)
                words = _WORD.finditer(self.text[row.pos : row.end])
                word = next(match for index, match in enumerate(words) if index == number)
                return row.pos + word.start(), row.pos + word.end()
        return leaf.pos, leaf.end

    def leaves(self, data: tree.Literal) -> list[tree.Literal] | None:
        """Return the elements of a constant in order, or None if it is malformed (which is reported)."""
        level: list[tree.Literal] = [data]
        while True:
            kinds = set(map(type, level))
            if _NUMBERS.issuperset(kinds):
                return level
            lists = [item for item in level if type(item) is tree.ListLit]
            if not lists:
                break
            odd = next((item for item in level if type(item) is not tree.ListLit), None)
            if odd is not None:
                self.report(diag.ragged_constant(odd, level.index(odd), "no elements of its own", "some"))
                return None
            width = len(lists[0].items)
            for index, row in enumerate(lists):
                if len(row.items) != width:
                    counts = (f"{len(row.items)} elements", str(width))
                    self.report(diag.ragged_constant(row, index, *counts))
                    return None
            level = list(chain.from_iterable([row.items for row in lists]))
        for item in level:
            if type(item) not in (tree.IntLit, tree.FloatLit, tree.BoolLit):
                shown = self.text[item.pos : item.end]
                self.report(diag.syntax(item, f"a constant holds numbers or booleans, not `{shown}`"))
                return None
        return level


def _all_fit(leaves: list[tree.Literal], dtype: str) -> bool:
    """Return whether all of many numbers are surely values of a dtype; False if each has to be looked at."""
    if len(leaves) < _MANY:
        return False
    kinds = set(map(type, leaves))
    if not kinds <= {tree.IntLit, tree.FloatLit}:
        return False
    values: list[float] = list(map(attrgetter("value"), leaves))
    if dtype in INT_RANGES:
        low, high = INT_RANGES[dtype]
        return kinds == {tree.IntLit} and low <= min(values) and max(values) <= high
    if dtype not in FLOAT_LIMITS:
        return False
    limit = FLOAT_LIMITS[dtype]
    return -limit <= min(values) and max(values) <= limit and not any(map(not_equal, values, values))


_NUMBERS = frozenset((tree.IntLit, tree.FloatLit, tree.BoolLit))
_MANY = 64
"""Numbers of a constant that are first looked at together."""


def fits(value: float | bool, text: str | None, dtype: str) -> bool:
    """Return whether a literal is a value of a dtype. A fraction is not an integer; inf and nan are floats."""
    if type(value) is bool or dtype == "bool":
        return type(value) is bool and dtype == "bool"
    if dtype in INT_RANGES:
        low, high = INT_RANGES[dtype]
        return type(value) is int and low <= value <= high
    if value != value or value in (float("inf"), float("-inf")):
        return value != value or "inf" in (text or "inf")  # 1e999 is not an infinity
    return abs(value) <= FLOAT_LIMITS[dtype]
