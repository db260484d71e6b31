"""From reductions of the parser to nodes: the structural information of grammar/relax.lark."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.parts import CommaEnded, Word
from relax_lang.syntax.builders.prim_funcs.statements import TirBuilder
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given


class InfoBuilder(TirBuilder):
    """The callbacks for `Tensor[…]`, `Shape[…]`, tuples, functions, and what people write instead."""

    def info_name(self, pos: int, end: int, name: str, whole: int = 0) -> tree.StructInfo:
        """`Tensor`, `Shape`, `Object`, `PackedFunc`; with brackets behind it, the `whole` ends where these do."""
        if name == "Tensor":
            return tree.TensorStructInfo(None, None, None, pos, end)
        if name == "Shape":
            return tree.ShapeStructInfo(None, None, pos, end)
        if name == "PackedFunc":
            return self.packed_func("default", pos, end)
        if name == "Prim":
            found = diag.syntax((pos, end), "a scalar has a dtype: `Prim[int64]`")
            self.report(found.replace((pos, end), "Prim[int64]", "write `Prim[int64]`"))
            return tree.PrimStructInfo(tree.DType("int64", pos, end), pos, end)
        if name != "Object":
            from relax_lang.syntax.vocabulary import foreign_words  # only when there is something to report

            near = foreign_words.nearest_info(name)
            if near is not None and near.startswith("Tensor["):
                found = diag.unknown_type((pos, end), name, None)
                found.replace((pos, end), near, f"a scalar is a tensor of rank 0: `{near}`")
            else:
                found = diag.unknown_type((pos, end), name, near)
            form = foreign_words.info_form(name)
            if name in foreign_words.UNIONS:
                found.replace((pos, whole or end), "Object", "write `Object`")
            self.report(found.helped(form) if form else found)
        return tree.ObjectStructInfo(pos, end)

    def info_args(self, pos: int, end: int, name: str, args: list[Given]) -> tree.StructInfo:
        """`Tensor[…]`, `Shape[…]`, `PackedFunc[…]`."""
        given = [arg for arg in args if type(arg) is not tree.Attr]
        named = [arg for arg in args if type(arg) is tree.Attr]
        self.report_doubles(named)
        if name == "Tensor":
            return self.tensor_info(pos, end, given, named)
        if name == "Shape":
            return self.shape_info(pos, end, given, named)
        if name == "PackedFunc":
            return self.packed_info(pos, end, given, named)
        if name == "Prim":
            return self.prim_info(pos, end, given, named)
        if name == "Object":
            place = (pos + len(name), end)
            self.mute(pos + 1, end)  # consequences
            self.report(
                diag.syntax(place, "`Object` takes nothing in brackets").replace(place, "", "remove them")
            )
        else:
            from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

            if not bare_dims.report_behind_dtype(self, (pos, end), name, given) and not self.foreign_info(
                pos, end
            ):
                self.mute(pos + len(name), end)  # consequences
                self.info_name(pos, pos + len(name), name, end)
        return tree.ObjectStructInfo(pos, end)

    def foreign_info(self, pos: int, end: int) -> bool:
        """Report what is written as TVMScript or Python write it; return whether it has a form here."""
        from relax_lang.syntax.builders.foreign import foreign_infos  # only when there is something to report

        read = foreign_infos.read(self.text, pos, end)
        if read is None or read.end != end:
            return False
        self.mute(pos, end)  # consequences
        found = diag.syntax((pos, end), read.message)
        self.report(found.replace((pos, end), read.form, f"write `{read.shown}`"))
        return True

    def result_info(self, pos: int, end: int, info: tree.StructInfo) -> tree.StructInfo:
        """`-> Tensor`."""
        return self.checked_info(info)

    def checked_info(self, info: tree.StructInfo) -> tree.StructInfo:
        """Return an annotation, after noting whether there is a mistake in it."""
        if self.diagnostics or self.tir_only:
            self.note_mistakes(info)
        return info

    def ndim(self, named: list[tree.Attr], allowed: str = "ndim") -> int | None:
        """Return the value of `ndim=`, and report other names."""
        result: int | None = None
        for attr in named:
            if attr.key == "dtype" and type(attr.value) in (tree.DType, tree.StrLit):
                shown = self.text[attr.value.pos : attr.value.end].strip('"')
                found = diag.syntax(attr, "the dtype is written without `dtype=`")
                self.report(found.replace(attr, shown, f"write `{shown}`", applicability=SAFE))
            elif attr.key != allowed:
                self.report(diag.syntax(attr, f"expected `{allowed}=`, found `{attr.key}=`"))
            elif type(attr.value) is tree.IntLit and attr.value.value >= 0:
                result = attr.value.value
            else:
                self.report(diag.bad_ndim(attr.value, self.text[attr.value.pos : attr.value.end]))
        return result

    def tensor_info(
        self, pos: int, end: int, given: list[Given], named: list[tree.Attr]
    ) -> tree.TensorStructInfo:
        """`Tensor[shape, dtype]`: dimensions, a variable, `_`, or `ndim=`; then a dtype or `_`."""
        ndim = self.ndim(named)
        count = self.bare_dims(given)
        rest = list(given)[count:]
        if count:
            from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

            dims = [one for one in given[:count] if type(one) is not Word or one.name not in DTYPES]
            values, place = bare_dims.values(self.text, dims), (dims[0].pos, dims[-1].end)
            rest.insert(0, tree.ShapeExpr(values, *place) if values else Word("_", pos, pos))
        has_ndim = any(attr.key == "ndim" for attr in named)
        shape = None if has_ndim or not rest else self.tensor_shape(rest)
        if rest and isinstance(rest[0], tree.Expr) and has_ndim:
            self.report(diag.syntax(rest.pop(0), "a tensor has a shape or `ndim=`, not both"))
        dtype: tree.DType | None = None
        if rest:
            last = rest.pop(0)
            if type(last) is not Word:
                self.report(diag.syntax(last, "expected a dtype"))
            elif last.name != "_":
                dtype = self.dtype(last.pos, last.end, last.name)
        if rest:
            self.mute(rest[0].pos, end)
            self.report(diag.syntax(rest[0], "a tensor has a shape and a dtype, and nothing more"))
        return tree.TensorStructInfo(shape, dtype, ndim, pos, end)

    def tensor_shape(self, rest: list[Given]) -> tree.Expr | None:
        """Take the shape from the head of the arguments of a tensor, and return it."""
        first = rest.pop(0)
        if type(first) is not Word:
            return first if isinstance(first, tree.Expr) else None
        if first.name in DTYPES and not rest:
            found = diag.syntax(first, "the shape comes before the dtype; `_` if nothing is known")
            self.report(found.fix("write `_` for the shape", Edit(first.pos, first.pos, "_, ")))
            rest.append(first)
            return None
        if first.name in DTYPES and type(rest[0]) is tree.ShapeExpr:
            shape = rest[0]
            turned = f"{self.text[shape.pos : shape.end]}, {first.name}"
            found = diag.syntax((first.pos, shape.end), "the shape comes before the dtype")
            self.report(found.replace((first.pos, shape.end), turned, "turn them round"))
            rest[0] = first
            return shape
        return None if first.name == "_" else tree.Var(first.name, None, first.pos, first.end)

    def shape_info(
        self, pos: int, end: int, given: list[Given], named: list[tree.Attr]
    ) -> tree.ShapeStructInfo:
        """`Shape[(n, m)]`, `Shape[ndim=2]`."""
        ndim = self.ndim(named)
        values: tuple[tree.PrimExpr, ...] | None = None
        if given and type(given[0]) is tree.ShapeExpr:
            values = given[0].values
            if named:
                self.report(diag.syntax(given[0], "a shape has values or `ndim=`, not both"))
        elif given and self.text[given[0].pos : given[0].end] != "_":
            from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

            values = bare_dims.values(self.text, given)
            if values:
                bare_dims.report(self, given)
                return tree.ShapeStructInfo(values, ndim, pos, end)
            self.report(diag.syntax(given[0], "expected `(dims)` or `ndim=`"))
        if len(given) > 1:
            self.report(diag.syntax(given[1], "a shape has no dtype; its sizes are int64"))
        return tree.ShapeStructInfo(values, ndim, pos, end)

    def prim_info(self, pos: int, end: int, given: list[Given], named: list[tree.Attr]) -> tree.StructInfo:
        """`Prim[float32]`."""
        rest = [*given, *named]
        dtype = given[0] if given else None
        if len(rest) != 1 or type(dtype) is not Word:
            self.mute(pos, end)
            self.report(diag.syntax((pos, end), "a scalar has a dtype and nothing more: `Prim[int64]`"))
            return tree.ObjectStructInfo(pos, end)
        return tree.PrimStructInfo(self.dtype(dtype.pos, dtype.end, dtype.name), pos, end)

    def packed_info(
        self, pos: int, end: int, given: list[Given], named: list[tree.Attr]
    ) -> tree.FuncStructInfo:
        """`PackedFunc[derive="empty"]`. [G.20]"""
        derive = "default"
        for item in given:
            self.report(diag.syntax(item, 'expected `derive="…"`'))
        for attr in named:
            if attr.key != "derive":
                self.report(diag.syntax(attr, f"expected `derive=`, found `{attr.key}=`"))
            elif type(attr.value) is tree.StrLit:
                derive = attr.value.value
            else:
                shown = self.text[attr.value.pos : attr.value.end]
                self.report(diag.bad_attribute_value(attr.value, "derive", "a string", shown))
        return self.packed_func(derive, pos, end)

    def packed_func(self, derive: str, pos: int, end: int) -> tree.FuncStructInfo:
        """Return the struct info of a packed function whose results the derive function knows."""
        self.features.packed = True
        return tree.FuncStructInfo(None, None, derive, False, pos, end)

    def info_called_empty(self, pos: int, end: int, name: str) -> tree.StructInfo:
        """Error: `Tensor()`."""
        return self.info_called(pos, end, name, [])

    def info_called(
        self, pos: int, end: int, name: str, args: list[Given], result: tree.StructInfo | None = None
    ) -> tree.StructInfo:
        """Error: `Tensor((n,), float32)`, `PackedFunc(Tensor) -> Tensor`. [Y.7] [G.14]"""
        if name == "PackedFunc":
            self.report(diag.packed_has_no_signature((pos, end)))
            return self.packed_func("default", pos, end)
        if name not in STRUCT_INFOS:
            if self.foreign_info(pos, end):
                return tree.ObjectStructInfo(pos, end)
            return self.info_name(pos, pos + len(name), name)
        made = self.info_args(pos, end, name, args) if args else self.info_name(pos, end, name)
        self.mute(pos, end)  # consequences
        if not self.foreign_info(pos, end):
            found = diag.syntax((pos, end), f"the arguments of `{name}` are written in brackets: `{name}[…]`")
            opener = self.offset_of("(", pos + len(name), end - 1)
            inner = self.text[opener + 1 : end - 1]
            count = self.count_of_bare_dims(args) if name in ("Tensor", "Shape") else 0
            if count:
                from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

                inner = bare_dims.in_parentheses(self.text, args[:count])
                inner += "".join([f", {word.name}" for word in args[count:] if type(word) is Word])
            self.report(found.fix("use brackets", Edit(opener, end, f"[{inner}]")))
        return made

    def info_dotted(self, pos: int, end: int, name: str, args: object = None) -> tree.StructInfo:
        """Error: `R.Tensor((n,), "float32")`."""
        last = name.rpartition(".")[2]
        if not self.foreign_info(pos, end):
            self.mute(pos, end)  # consequences
            message = f"struct infos have no prefix: `{last}`, not `{name}`"
            known = last in STRUCT_INFOS
            self.report(diag.syntax((pos, end), message if known else f"`{name}` is not a struct info"))
        return tree.ObjectStructInfo(pos, end)

    def info_string(self, pos: int, end: int, text: str) -> tree.StructInfo:
        """Error: a string for a struct info."""
        self.report(diag.syntax((pos, end), "expected a struct info, found a string"))
        return tree.ObjectStructInfo(pos, end)

    def info_unit(self, pos: int, end: int) -> tree.TupleStructInfo:
        """`()`."""
        return tree.TupleStructInfo((), pos, end)

    def info_paren(self, pos: int, end: int, info: tree.StructInfo) -> tree.StructInfo:
        """`(A)`. [G.12]"""
        self.report(diag.one_tuple_needs_comma((pos, end), end))
        self.parens[info] = (pos, end)
        return info

    def info_tuple_one(self, pos: int, end: int, field: tree.StructInfo) -> tree.TupleStructInfo:
        """`(A,)`."""
        return tree.TupleStructInfo((field,), pos, end)

    def info_tuple(
        self, pos: int, end: int, first: tree.StructInfo, rest: list[tree.StructInfo]
    ) -> tree.TupleStructInfo:
        """`(A, B)`."""
        return tree.TupleStructInfo((first, *rest), pos, end)

    def fn_type(
        self, pos: int, end: int, params: list[tree.StructInfo], result: tree.StructInfo
    ) -> tree.FuncStructInfo:
        """`fn(A) -> B`. [G.13]"""
        return tree.FuncStructInfo(tuple(params), result, None, True, pos, end)

    def fn_type_modified(
        self, pos: int, end: int, modifier: Word, params: list[tree.StructInfo], result: tree.StructInfo
    ) -> tree.FuncStructInfo:
        """`impure fn(A) -> B`."""
        if modifier.name not in ("pure", "impure"):
            self.report(diag.syntax(modifier, f"a function type is `impure` or not, never `{modifier.name}`"))
        return tree.FuncStructInfo(tuple(params), result, None, modifier.name != "impure", pos, end)

    def fn_type_no_result(self, pos: int, end: int, *parts: object) -> tree.FuncStructInfo:
        """Error: `fn(A)`. [G.13]"""
        self.report(diag.fn_type_needs_return((pos, end), end))
        params: list[tree.StructInfo] = parts[-1]  # type: ignore[assignment]
        return tree.FuncStructInfo(tuple(params), tree.ObjectStructInfo(end, end), None, True, pos, end)

    def info_dims(self, pos: int, end: int, dims: list[tree.PrimExpr]) -> tree.ShapeExpr:
        """`(n, 4)` in brackets. One dimension has a comma, as a tuple has."""
        if len(dims) == 1 and type(dims) is not CommaEnded and not self.has_put_in(pos, end):
            found = diag.syntax((pos, end), "one dimension is written with a comma, like a tuple of one")
            # `(s)` may be a variable that holds the shape, in parentheses, or what is left of `shape_of(s)`.
            applicability = UNSAFE if type(dims[0]) is tree.PrimVar else SAFE
            self.report(found.fix("add the comma", Edit(end - 1, end - 1, ","), applicability=applicability))
        return tree.ShapeExpr(tuple(dims), pos, end)

    def info_word(self, pos: int, end: int, name: str) -> Word:
        """A dtype, a variable that holds a shape, or `_`."""
        return Word(name, pos, end)

    def info_attr(self, pos: int, end: int, key: str, value: tree.Literal) -> tree.Attr:
        """`ndim=2`."""
        return tree.Attr(key, value, pos, end)

    def info_quoted(self, pos: int, end: int, text: str) -> Word:
        """Error: a dtype in quotes. [G.15]"""
        return Word(self.dtype_string(pos, end, text).name, pos, end)

    def info_number(self, pos: int, end: int, text: str) -> Word:
        """Error: `Tensor[2, float32]`."""
        found = diag.syntax((pos, end), "dimensions are written in parentheses")
        self.report(found.replace((pos, end), f"({text},)", f"write `({text},)`"))
        return Word("_", pos, end)

    def bare_dims(self, given: list[Given]) -> int:
        """Report `Tensor[n, 3, float32]`; return how many of the arguments are dimensions without parentheses."""
        first = given[0] if given else None
        if type(first) is Word and first.name in DTYPES and (dims := given[1:]):
            count = self.count_of_bare_dims(dims)
            if count == len(dims):  # `Tensor[float32, n, m]`
                place = first.pos, dims[-1].end
                self.mute(*place)
                found = diag.syntax(place, "the shape comes before the dtype, its dimensions in parentheses")
                from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

                form = f"{bare_dims.in_parentheses(self.text, dims)}, {first.name}"
                self.report(found.replace(place, form, f"write `{form}`"))
                return len(given)
        count = self.count_of_bare_dims(given)
        if count:
            from relax_lang.syntax.builders.foreign_prim_funcs import bare_dims

            bare_dims.report(self, given[:count])
        return count

    def count_of_bare_dims(self, given: list[Given]) -> int:
        """Return how many of the arguments of a tensor are dimensions without parentheses: all before a dtype.

        A single name is a variable that holds a shape, and a name after it may be a dtype that is misspelt.
        """
        words = [arg for arg in given if type(arg) is Word]
        is_number = [self.text[word.pos : word.pos + 1].isdigit() for word in words]
        if not words or len(words) < len(given):
            return 0
        names = [word.name for word in words]
        if names[-1] in DTYPES or (names[-1] == "_" and not is_number[-1]):
            names.pop()
        count = len(names)
        if any(name in DTYPES for name in names) or not (any(is_number[:count]) or count > 1):
            return 0
        is_misspelt = count == len(words) > 1 and not is_number[-1] and self.nearest_dtype(names[-1])
        count -= bool(is_misspelt)
        return count if any(is_number[:count]) or count > 1 else 0

    def info_nested(self, pos: int, end: int, name: str, args: list[Given]) -> Given:
        """`Tensor[p[0], float32]` [B.10]. Error: a struct info in the brackets of another."""
        index = args[0] if len(args) == 1 else None
        if name not in STRUCT_INFOS and type(index) is Word and self.text[index.pos].isdigit():
            self.mute(pos, end)  # a number alone is a dimension without parentheses
            number = int(self.text[index.pos : index.end])
            value = tree.Var(name, None, pos, pos + len(name))
            return tree.TupleGetItem(value, number, pos, end, index.pos, index.end)
        if name not in STRUCT_INFOS:
            self.mute(pos, end)
            self.report(diag.shape_field_not_var_or_literal((pos, end)))
        elif self.text[:pos].rstrip().endswith("["):
            self.report(diag.syntax((pos, end), f"`{name}[…]` does not belong here"))
        return Word("_", pos, end)

    def info_with(
        self, pos: int, end: int, info: tree.StructInfo, dims: list[tree.PrimExpr]
    ) -> tree.StructInfo:
        """`Tensor[ndim=2, float32] with (n, 4)`: the type, then the shape; now one struct info. [B.8] [W.9]"""
        rest = self.offset_of("with", info.end, end)
        values = tuple(dims)
        if isinstance(info, tree.TensorStructInfo) and info.shape is None:
            made = tree.TensorStructInfo(tree.ShapeExpr(values, rest + 4, end), info.dtype, None, pos, end)
        elif isinstance(info, tree.ShapeStructInfo) and info.values is None:
            made = tree.ShapeStructInfo(values, None, pos, end)
        else:
            message = "`with` gives the dimensions of a tensor or a shape that has none yet"
            self.report(diag.syntax((rest, end), message).replace((info.end, end), "", "remove it"))
            return info
        if info.ndim is not None and info.ndim != len(values):
            self.report(diag.ndim_and_dimensions((rest, end), info, info.ndim, len(values)))
        return made
