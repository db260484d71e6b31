"""Types, and the values of attributes."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.relay.diagnostics import texts as diag
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.builders.base import BuilderBase
from relax_lang.relay.syntax.numbers import read_number
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import unescape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.syntax.numbers import Number


class TypeBuilder(BuilderBase):
    """One method for each production of a type or a value of an attribute."""

    def value_number(self, pos: int, end: int, text: str) -> tree.AttrValue:
        """`1`, `0.5`. [R.6]"""
        found = read_number(text, bare_fractions=True)
        if found.problem:
            self.report(diag.literal((pos, end), found.problem))
            return tree.BadValue(pos, end)
        return tree.NumberValue(found.value, text, pos, end)

    def value_minus(self, pos: int, end: int, value: tree.AttrValue) -> tree.AttrValue:
        """`-1`. [R.6]"""
        if not isinstance(value, tree.NumberValue) or isinstance(value.value, bool):
            self.report(diag.syntax((pos, end), "`-` belongs before a number"))
            return tree.BadValue(pos, end)
        negated: Number = -value.value
        text = value.text[1:] if value.text.startswith("-") else f"-{value.text}"
        return tree.NumberValue(negated, text, pos, end)

    def value_true(self, pos: int, end: int) -> tree.NumberValue:
        """`True`. [R.6]"""
        return tree.NumberValue(True, "True", pos, end)

    def value_false(self, pos: int, end: int) -> tree.NumberValue:
        """`False`. [R.6]"""
        return tree.NumberValue(False, "False", pos, end)

    def value_string(self, pos: int, end: int, text: str) -> tree.StringValue:
        """`"NCHW"`. [R.6]"""
        value, bad = unescape(text[1:-1])
        if bad >= 0:
            self.report(
                diag.syntax(
                    (pos + 1 + bad, pos + 3 + bad), 'this is not an escape; there are `\\"` and `\\\\`'
                )
            )
        return tree.StringValue(value, pos, end)

    def value_name(self, pos: int, end: int, name: str) -> tree.AttrValue:
        """`None`, `nullptr`, `inff`; error: `float32`, `NCHW`, `true`. [R.6]"""
        if name in ("None", "nullptr"):
            return tree.NoneValue(pos, end)
        if name.startswith(("inff", "nanf")):
            return self.value_number(pos, end, name)
        if name in ("true", "false"):
            found = diag.syntax((pos, end), f"`{name}` is written `{name.capitalize()}`")
            self.report(
                found.replace(
                    (pos, end), name.capitalize(), f"write `{name.capitalize()}`", applicability=SAFE
                )
            )
            return tree.NumberValue(name == "true", name.capitalize(), pos, end)
        found = diag.syntax((pos, end), "words are written in quotes here")
        self.report(found.replace((pos, end), f'"{name}"', f'write `"{name}"`', applicability=SAFE))
        return tree.StringValue(name, pos, end)

    def value_local(self, pos: int, end: int, name: str) -> tree.BadValue:
        """Error: `axis=%x`."""
        message = f"an attribute has a value that is written out; `{name}` is computed when the program runs"
        self.report(diag.syntax((pos, end), message).helped("arguments are written without names: `f(%x)`"))
        return tree.BadValue(pos, end)

    def value_meta(self, pos: int, end: int, key: str, index: str) -> tree.MetaValue:
        """`meta[Attrs][0]`. [R.12]"""
        return tree.MetaValue(key, self._plain_int(index, pos), pos, end)

    def value_list_empty(self, pos: int, end: int) -> tree.ListValue:
        """`[]`. [R.6]"""
        return tree.ListValue((), pos, end)

    def value_list(self, pos: int, end: int, items: list[tree.AttrValue]) -> tree.ListValue:
        """`[1, 2]`. [R.6]"""
        return tree.ListValue(tuple(items), pos, end)

    def tensor(self, pos: int, end: int, shape: list[tree.Dim] | str, dtype: str) -> tree.TensorType:
        """`Tensor[(2, 3), float32]`. [R.23]"""
        if isinstance(shape, str):
            return tree.TensorType((), shape, dtype, False, pos, end)
        return tree.TensorType(tuple(shape), None, dtype, False, pos, end)

    def shape_name(self, pos: int, end: int, name: str) -> str:
        """`s` of `Tensor[s, bt]`. [R.5]"""
        return name

    def type_name(self, pos: int, end: int, name: str) -> tree.Type:
        """`float32`, `Nat`, `A`. [R.23] [R.26]"""
        if name in DTYPES:
            return tree.TensorType((), None, name, True, pos, end)
        return tree.TypeCall(name, (), False, pos, end)

    def type_call_empty(self, pos: int, end: int, name: str) -> tree.TypeCall:
        """`Nat[]`. [R.26]"""
        return tree.TypeCall(name, (), True, pos, end)

    def type_call(self, pos: int, end: int, name: str, args: list[tree.Type]) -> tree.TypeCall:
        """`List[int32]`. [R.26]"""
        return tree.TypeCall(name, tuple(args), True, pos, end)

    def tuple_type(self, pos: int, end: int, fields: list[tree.Type]) -> tree.TupleType:
        """`(T, U)`. [R.24]"""
        return tree.TupleType(tuple(fields), pos, end)

    def func_type(
        self,
        pos: int,
        end: int,
        type_params: list[tree.TypeParam] | None,
        params: list[tree.Type],
        result: tree.Type,
    ) -> tree.FuncType:
        """`fn (A) -> B`. [R.25]"""
        return tree.FuncType(tuple(type_params or ()), tuple(params), result, pos, end)

    def ref_type(self, pos: int, end: int, value: tree.Type) -> tree.RefType:
        """`ref(T)`. [R.18]"""
        return tree.RefType(value, pos, end)

    def incomplete(self, pos: int, end: int) -> tree.Incomplete:
        """`_`. [R.27]"""
        return tree.Incomplete(pos, end)

    def dim_int(self, pos: int, end: int, text: str) -> tree.DimInt:
        """`3`. [R.23]"""
        return tree.DimInt(self._plain_int(text, pos), pos, end)

    def dim_any(self, pos: int, end: int) -> tree.DimAny:
        """`?`. [R.28]"""
        return tree.DimAny(pos, end)

    def dim_name(self, pos: int, end: int, name: str) -> tree.Dim:
        """`n`, `Any`. [R.5]"""
        return tree.DimAny(pos, end) if name == "Any" else tree.DimVar(name, pos, end)

    def dim_meta(self, pos: int, end: int, key: str, index: str) -> tree.DimMeta:
        """`meta[IntImm][0]`. [R.12]"""
        return tree.DimMeta(key, self._plain_int(index, pos), pos, end)
