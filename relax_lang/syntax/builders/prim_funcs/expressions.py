"""From reductions of the parser to nodes: scalar expressions, in dimensions and in the code of PrimFuncs."""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.base.node import walk
from relax_lang.base.python.patterns import pattern
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.literals import LiteralBuilder, fits
from relax_lang.syntax.dtypes import DTYPES, FLOAT_LIMITS, INT_RANGES
from relax_lang.syntax.vocabulary.operators import COMPARISONS, DIMENSION_INFIX, PRIM_INFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given

AXIS_NAME = pattern(r"(?<!\w)([^\W\d]\w*+)\s*+=\s*+\Z")
QUOTED = pattern(r"`(?:[^`\\\n]|\\.)*`")
MODULES = (
    "T", "R", "tir", "tirx", "te", "tvm", "topi", "relax", "relay", "np", "numpy", "math", "torch", "F", "jax",
    "jnp", "lax", "tl", "triton", "numba", "nb", "cuda", "std", "op",
)  # fmt: skip
"""Prefixes that are not the name of a value."""
COMPARE_NODES = frozenset(PRIM_INFIX[symbol] for symbol in COMPARISONS)


class PrimBuilder(LiteralBuilder):
    """The callbacks for scalar expressions. What only PrimFuncs may contain is noted in `tir_only`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.extents: dict[tree.PrimExpr, str] = {}
        self.whole_shapes: set[tree.PrimExpr] = set()
        """Extents that stand where all dimensions belong, without parentheses."""
        """What is written as `x.shape[0]`, and `x`; nothing if that is not a variable."""

    def prim_var(self, pos: int, end: int, name: str) -> tree.PrimVar:
        """`n`."""
        made = tree.PrimVar(name, pos, end)
        return self.checked_name(made) if self.diagnostics else made  # without errors no call: names are many

    def prim_var_quoted(self, pos: int, end: int, text: str) -> tree.PrimVar:
        """`` `n.1` ``."""
        return tree.PrimVar(self.string_text(text, pos), pos, end)

    def int_imm(self, pos: int, end: int, text: str) -> tree.IntImm:
        """`3`. [G.2]"""
        value = self.integer(text, pos)
        if value >= 1 << 64:
            self.report(diag.literal_does_not_fit((pos, end), text, "int64"))
        return tree.IntImm(value, None, text, pos, end)

    def float_imm(self, pos: int, end: int, text: str) -> tree.FloatImm:
        """`0.5`, `inf`, `nan`."""
        return tree.FloatImm(float(text), None, text, pos, end)

    def bool_imm(self, pos: int, end: int, text: str) -> tree.BoolImm:
        """`true`."""
        return tree.BoolImm(text == "true", pos, end)

    def prim_binary(self, pos: int, end: int, a: tree.PrimExpr, op: str, b: tree.PrimExpr) -> tree.PrimExpr:
        """`a + b`."""
        made = self.chained(a, PRIM_INFIX[op](a, b, pos, end))
        if op not in DIMENSION_INFIX:
            self.tir_only.append(made)
        return made

    def prim_compare(self, pos: int, end: int, a: tree.PrimExpr, op: str, b: tree.PrimExpr) -> tree.PrimExpr:
        """`a < b`; no chains. [Y.10]"""
        if type(a) in COMPARE_NODES and a not in self.parens:
            converted = self._templated_cast(pos, end, a, op, b)
            if converted is not None:
                return converted
            self.report(diag.syntax((pos, end), "comparisons do not chain").helped("join two with `&&`"))
        return self.prim_binary(pos, end, a, op, b)

    def _templated_cast(
        self, pos: int, end: int, a: tree.PrimExpr, op: str, b: tree.PrimExpr
    ) -> tree.PrimExpr | None:
        """Error: `cast<float>(x)`, which reads as two comparisons."""
        if (
            type(a) is not tree.LT
            or op != ">"
            or type(a.a) is not tree.PrimVar
            or type(a.b) is not tree.PrimVar
        ):
            return None
        from relax_lang.syntax.vocabulary import foreign_words  # only for this mistake

        dtype = foreign_words.dtype_of(a.b.name)
        if dtype is None or a.a.name not in ("cast", "static_cast", "reinterpret_cast"):
            return None
        first = b  # `cast<float>(x) * 2.0`: what is in the parentheses
        while first not in self.parens and isinstance(left := getattr(first, "a", None), tree.PrimExpr):
            first = left
        start, stop = self.parens.get(first, (-1, -1))
        if start < 0:
            return None
        found = diag.syntax((pos, start), f"a conversion is written `cast(x, {dtype})`")
        edits = Edit(pos, start, "cast"), Edit(stop - 1, stop - 1, f", {dtype}")
        self.report(found.fix(f"write `cast(…, {dtype})`", *edits, applicability=SAFE))
        return self.cast_call(pos, end, "cast", [b, tree.PrimVar(dtype, a.b.pos, a.b.end)])

    def prim_unary(self, pos: int, end: int, op: str, a: tree.PrimExpr) -> tree.PrimExpr:
        """`-a`, `!a`, `~a`."""
        if op == "~":
            made = tree.BitNot(a, pos, end)
            self.tir_only.append(made)
            return made
        return tree.Neg(a, pos, end) if op == "-" else tree.Not(a, pos, end)

    def prim_power(self, pos: int, end: int, a: tree.PrimExpr, op: str, b: tree.PrimExpr) -> tree.PrimExpr:
        """Error: `a ** b`. [G.3]"""
        first, second = self.text[a.pos : a.end], self.text[b.pos : b.end]
        found = diag.syntax((pos, end), "there is no `**` here")
        if any(type(one) in (tree.BufferLoad, tree.FloatImm) for part in (a, b) for one in walk(part)):
            form = f"pow({first}, {second})"  # no dimension has elements or fractions
            self.report(found.replace((pos, end), form, f"write `{form}`", applicability=SAFE))
        else:
            found.helped(f"in a prim_func write `pow({first}, {second})`; in a dimension multiply")
            self.report(found)
        return a

    def prim_global(self, pos: int, end: int, name: tree.GlobalVar) -> tree.PrimExpr:
        """Error: `@f` in scalar code."""
        found = diag.syntax((pos, end), "a function of the module is not a number")
        self.report(
            found.helped('a prim_func never calls another; `call_extern("name", …);` calls a packed function')
        )
        return tree.IntImm(0, None, None, pos, end)

    def buffer_load(self, pos: int, end: int, name: str, indices: list[tree.PrimExpr]) -> tree.BufferLoad:
        """`X[i, j]`. [TIR.3]"""
        at = tree.PrimVar(name, pos, self.name_end(pos, name))
        made = tree.BufferLoad(at, tuple(indices), pos, end)
        self.tir_only.append(made)
        return made

    def extent_of_axis(self, pos: int, end: int, name: str, indices: list[tree.PrimExpr]) -> tree.BufferLoad:
        """Error: `x.shape[0]`."""
        owner, _, field = name.rpartition(".")
        at = tree.PrimVar(owner, pos, pos + len(name))
        made = tree.BufferLoad(at, tuple(indices), pos, end)
        self.tir_only.append(made)
        self.extents[made] = owner if field == "shape" and "." not in owner else ""
        return made

    def extent_of_call(
        self, pos: int, end: int, name: str, args: list[Given], indices: list[tree.PrimExpr]
    ) -> tree.BufferLoad:
        """Error: `shape_of(x)[0]`."""
        owner = args[0] if len(args) == 1 else None
        at = tree.PrimVar(name, pos, self.name_end(pos, name))
        made = tree.BufferLoad(at, tuple(indices), pos, end)
        self.tir_only.append(made)
        is_shape = name == "shape_of" and isinstance(owner, tree.PrimVar)
        self.extents[made] = owner.name if is_shape and isinstance(owner, tree.PrimVar) else ""
        return made

    def name_end(self, pos: int, name: str) -> int:
        """Return where the name that begins at `pos` ends; a quoted one is longer than its text."""
        quoted = QUOTED.match(self.text, pos)
        return quoted.end() if quoted else pos + len(name)

    def prim_call_no_args(self, pos: int, end: int, name: str) -> tree.PrimExpr:
        """`f()`."""
        return self.prim_call(pos, end, name, [])

    def prim_call(self, pos: int, end: int, name: str, args: list[Given]) -> tree.PrimExpr:
        """`exp(x)`, and the calls that have nodes of their own."""
        values: list[tree.PrimExpr] = []
        for arg in args:
            if isinstance(arg, tree.PrimExpr):
                values.append(arg)
                continue
            assert type(arg) is tree.StrLit
            found = diag.syntax(arg, "a string is not a number")
            from relax_lang.syntax.vocabulary import foreign_words  # only for this mistake

            dtype = foreign_words.dtype_of(arg.value)
            if dtype is not None:
                found = diag.syntax(arg, "dtypes are written without quotes")
                found.replace(arg, dtype, f"write `{dtype}`", applicability=SAFE)
                values.append(tree.PrimVar(dtype, arg.pos, arg.end))
            self.report(found)
        special = SPECIAL_CALLS.get(name)
        made = special(self, pos, end, name, values) if special else None
        if made is None and name in DTYPES:
            made = self.typed_literal(pos, end, name, values)
        return made if made is not None else self.checked_name(tree.PrimCall(name, tuple(values), pos, end))

    def prim_call_dotted(self, pos: int, end: int, name: str, args: list[Given]) -> tree.PrimExpr:
        """Error: `T.exp(x)`."""
        last = name.rpartition(".")[2]
        if ".axis." in name and args:
            return self._axis_as_value(pos, name, last, args)
        owner = name[: -len(last) - 1]
        if owner.partition(".")[0] not in MODULES:
            return self._method_call(pos, end, owner, last, args)
        from relax_lang.syntax.builders.foreign_prim_funcs import prefixed_calls  # only for this mistake

        meant = prefixed_calls.settle(self, pos, end, name, args)
        return meant if isinstance(meant, tree.PrimExpr) else self.prim_call(pos, end, *meant)

    def _method_call(self, pos: int, end: int, owner: str, name: str, args: list[Given]) -> tree.PrimExpr:
        """Error: `i.astype(int64)`."""
        place = (pos, pos + len(owner))
        meant = "cast" if name in ("astype", "to") else name
        if name in ("load", "vload", "item") and args and all(isinstance(one, tree.PrimExpr) for one in args):
            form = f"{owner}[{', '.join([self.text[one.pos : one.end] for one in args])}]"
            found = diag.syntax((pos, end), f"an element is written `{form}`")
            self.report(found.replace((pos, end), form, f"write `{form}`"))
            return self.checked_name(tree.PrimVar(owner, *place))
        args = [
            tree.PrimVar(one.value, one.pos, one.end)
            if type(one) is tree.StrLit and one.value in DTYPES
            else one
            for one in args
        ]
        shown = [owner, *[self.text[one.pos : one.end].strip('"') for one in args]]
        found = diag.syntax((pos, pos + len(owner) + 1 + len(name)), "there are no methods: call a function")
        form = f"{meant}({', '.join(shown)})"
        self.report(found.replace((pos, end), form, f"write `{form}`"))
        return self.prim_call(pos, end, meant, [tree.PrimVar(owner, *place), *args])

    def _axis_as_value(self, pos: int, name: str, kind: str, args: list[Given]) -> tree.PrimExpr:
        """Error: `let v = T.axis.spatial(n, i);`."""
        bound = AXIS_NAME.search(self.text, max(0, pos - 80), pos)
        var, value = bound[1] if bound else "v", args[-1]
        form = f"{var} = {kind}({self.text[value.pos : value.end]})"
        found = diag.syntax((pos, pos + len(name)), "the axes of a block are in its head, before the brace")
        self.report(found.helped(f"write `block b ({form}) {{ … }}`"))
        made = tree.IntImm(0, None, None, pos, pos)
        self.wrong.add(made)  # of what it is assigned to nothing is said
        return made

    # The calls below are nodes of their own; None where the checker reports the number of arguments.

    def two_call(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr | None:
        """`min(a, b)`, `max(a, b)`."""
        if len(args) != 2:
            return None  # the checker reports the count
        return (tree.Min if name == "min" else tree.Max)(args[0], args[1], pos, end)

    def select_call(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr | None:
        """`select(c, a, b)`."""
        return tree.Select(args[0], args[1], args[2], pos, end) if len(args) == 3 else None

    def cast_call(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr | None:
        """`cast(e, float16)`."""
        if len(args) != 2:
            return None
        first, second = args
        if type(first) is tree.PrimVar and first.name in DTYPES and not _names_dtype(second):
            text = self.text[second.pos : second.end]
            found = diag.syntax((pos, end), "`cast` takes the value first: `cast(value, dtype)`")
            form = f"cast({text}, {first.name})"
            self.mute(first.pos, first.end)
            self.report(found.replace((pos, end), form, f"write `{form}`", applicability=SAFE))
            args = [second, first]
        if type(args[1]) is not tree.PrimVar:
            self.report(diag.syntax(args[1], "expected a dtype: `cast(value, float32)`"))
            return args[0]
        made = tree.Cast(args[0], self.dtype(args[1].pos, args[1].end, args[1].name), pos, end)
        self.tir_only.append(made)
        return made

    def cast_of_tvm(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr | None:
        """Error: `Cast("float32", e)`."""
        from relax_lang.syntax.builders.foreign_prim_funcs import prefixed_calls  # only for this mistake

        meant = prefixed_calls.cast(self, pos, end, name, [*args])
        return None if meant is None else self.prim_call(pos, end, *meant)

    def axis_call(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr | None:
        """Error: `vi = spatial(i);`, outside of the head of a block."""
        if not args or len(args) > 2:
            return None
        return self._axis_as_value(pos, name, name, [args[0]])

    def limit_call(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr | None:
        """`min_value(int8)`, `max_value(int8)`."""
        if len(args) != 1 or type(args[0]) is not tree.PrimVar:
            self.report(diag.syntax((pos, end), f"expected one dtype: `{name}(int8)`"))
            return tree.IntImm(0, None, None, pos, end)
        made = tree.TypeLimit(name, self.dtype(args[0].pos, args[0].end, args[0].name), pos, end)
        self.tir_only.append(made)
        return made

    def typed_literal(self, pos: int, end: int, name: str, args: list[tree.PrimExpr]) -> tree.PrimExpr:
        """`float16(0.5)`, `int64(-3)`: a literal with a dtype."""
        dtype = tree.DType(name, pos, pos + len(name))
        value = args[0] if len(args) == 1 else None
        negative = type(value) is tree.Neg
        if type(value) is tree.Neg:
            value = value.a
        sign, mark = (-1, "-") if negative else (1, "")
        made: tree.PrimExpr
        if (
            type(value) is tree.IntImm
            and value.dtype is None
            and (name in INT_RANGES or name in FLOAT_LIMITS)
        ):
            if name in INT_RANGES:
                made = tree.IntImm(sign * value.value, dtype, mark + (value.text or ""), pos, end)
            else:
                made = tree.FloatImm(float(sign * value.value), dtype, None, pos, end)
        elif type(value) is tree.FloatImm and value.dtype is None and name in FLOAT_LIMITS:
            made = tree.FloatImm(sign * value.value, dtype, mark + (value.text or ""), pos, end)
        elif type(value) is tree.BoolImm and name == "bool" and not negative:
            return value
        elif value is not None and not isinstance(value, tree.IntImm | tree.FloatImm | tree.BoolImm):
            shown = self.text[args[0].pos : args[0].end]
            found = diag.syntax((pos, end), f"`{name}(…)` holds a literal; a value is converted with `cast`")
            self.report(found.replace((pos, end), f"cast({shown}, {name})", "use `cast`", applicability=SAFE))
            made = tree.Cast(args[0], dtype, pos, end)
        else:
            shown = ", ".join(self.text[arg.pos : arg.end] for arg in args)
            self.report(diag.literal_does_not_fit((pos, end), f"`{shown}`", name))
            return tree.IntImm(0, None, None, pos, end)
        if isinstance(made, tree.IntImm | tree.FloatImm) and not fits(made.value, made.text, name):
            self.report(diag.literal_does_not_fit(made, self.text[pos:end], name))
        self.tir_only.append(made)
        return made


def _names_dtype(expr: tree.PrimExpr) -> bool:
    return type(expr) is tree.PrimVar and expr.name in DTYPES


SPECIAL_CALLS = {
    "min": PrimBuilder.two_call,
    "max": PrimBuilder.two_call,
    "select": PrimBuilder.select_call,
    "cast": PrimBuilder.cast_call,
    "Cast": PrimBuilder.cast_of_tvm,
    "spatial": PrimBuilder.axis_call,
    "reduce": PrimBuilder.axis_call,
    "min_value": PrimBuilder.limit_call,
    "max_value": PrimBuilder.limit_call,
}
"""Calls that are nodes of their own."""
