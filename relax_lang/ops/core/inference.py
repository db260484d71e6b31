"""The call that a struct info rule works on, with all that is known of it before anything runs. [D.11.1] [OP.3-OP.8]

A family declares `infer=rule`; a rule gets one `Inference`, the call with all that is known of it, and returns the
struct info of the result:

    def infer_matmul(call: Inference) -> tree.StructInfo:
        x1, x2 = call.tensor(0), call.tensor(1)
        …
        return call.tensor_of(dims, dtype)

Dimensions are compared by the prover, with three answers: what is provably different is an error (`call.bad_shape`
and its like, which record the finding and let the rule continue), what is undecided is accepted and left to the run. A
rule returns all that is certain also after an error; it never claims what a run could contradict. Kinds, ranks and
dtypes that the signature names are checked before. Rules never look at names or text, and raise nothing.
"""

from __future__ import annotations

from relax_lang.arith.prover import DIFFERENT, EITHER, EQUAL, NEITHER
from relax_lang.ops.core.attributes import attribute_values, move_scalars
from relax_lang.ops.core.dtypes import CLASSES
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.arith.prover import Answer
    from relax_lang.ops.core.errors import OpError
    from relax_lang.ops.core.findings import DeferredCheck, Finding, Where
    from relax_lang.ops.core.signature import Signature
    from relax_lang.struct_info.context import Context

    Dims = tuple[tree.PrimExpr, ...]


class Known:
    """What is known of a tensor or a shape.

    `dims` are its dimensions, or None; `rank` is None if unknown too. `variable` is the variable that holds an
    unknown shape. `dtype` is None if unknown, and for shapes. `info` is where this comes from.
    """

    __slots__ = ("dims", "dtype", "info", "rank", "variable")

    def __init__(self, info: tree.StructInfo, context: Context) -> None:
        self.info = info
        self.dims: Dims | None = None
        self.variable: str | None = None
        self.rank: int | None = None
        self.dtype: str | None = None
        if type(info) is tree.TensorStructInfo:
            if info.dtype is not None:
                self.dtype = info.dtype.name
            if type(info.shape) is tree.ShapeExpr:  # the usual case
                self.dims = info.shape.values
                self.rank = len(self.dims)
                return
        elif type(info) is not tree.ShapeStructInfo:
            return
        shape = context.shape_of(info)
        if isinstance(shape, tuple):
            self.dims, self.rank = shape, len(shape)
        else:
            self.variable, self.rank = shape, context.rank_of(info)


class Inference:
    """One call under inference. `findings` collects what is wrong; a rule adds to it by the `bad_…` methods.
    `deferred` are the extents that the run compares, because nothing relates them.

    `args` are the arguments in the order of the parameters (None: left out), `infos` their struct infos (None for
    scalars and for what is left out), `attrs` all attributes as Python values with defaults filled in.
    """

    __slots__ = (
        "args", "attrs", "call", "context", "deferred", "findings", "given_infos", "infos", "operator",
    )  # fmt: skip

    def __init__(
        self,
        operator: Signature,
        call: tree.Call,
        infos: Sequence[tree.StructInfo | None],
        context: Context,
    ) -> None:
        self.operator = operator
        self.call = call
        self.context = context
        self.findings: list[Finding] = []
        self.deferred: list[DeferredCheck] = []
        written = attribute_values(call.attrs) if call.attrs else {}
        args, named = move_scalars(operator, call.args, written) if written else (call.args, written)
        self.args: list[Any] = list(args)
        self.infos: list[tree.StructInfo | None] = list(infos)
        self.given_infos: Sequence[tree.StructInfo | None] = self.infos  # what messages show: scalars as such
        missing = len(operator.params) - len(args)
        if missing > 0:
            self.args += [None] * missing
        if len(self.args) > len(self.infos):
            self.infos += [None] * (len(self.args) - len(self.infos))
        self.attrs: dict[str, Any] = {spec.name: spec.default for spec in operator.attrs}
        self.attrs.update(named)

    # What is known.

    def given(self, index: int) -> bool:
        """Return whether an optional argument is given; `()` is one that is left out. [OP.2]"""
        arg = self.args[index] if index < len(self.args) else None
        return arg is not None and not (isinstance(arg, tree.Tuple) and not arg.fields)

    def tensor(self, index: int) -> Known:
        """Return what is known of a tensor or shape argument."""
        known = Known(self.infos[index] or _ANYTHING, self.context)
        arg = self.args[index]
        if known.dims is None and isinstance(known.info, tree.ShapeStructInfo) and isinstance(arg, tree.Var):
            # A shape of which nothing is known but the variable that holds it.
            held = self.context.shape_of(tree.TensorStructInfo(arg, None, None))
            if isinstance(held, str):
                known.variable = held
        return known

    def fields(self, index: int) -> list[Known]:
        """Return what is known of the fields of a tuple of tensors; empty for the empty tuple."""
        info = self.infos[index]
        assert isinstance(info, tree.TupleStructInfo)
        return [Known(field, self.context) for field in info.fields]

    def scalar(self, index: int) -> tree.PrimExpr | None:
        """Return a scalar argument as an expression over shape variables; None if it is left out.

        A negative number is a literal here.
        """
        arg = self.args[index]
        if isinstance(arg, tree.PrimValue):
            return _signed(arg.value)
        if isinstance(arg, bool):
            return tree.BoolImm(arg)
        if isinstance(arg, int):
            return tree.IntImm(arg)
        return tree.FloatImm(arg) if isinstance(arg, float) else None

    def scalars(self, index: int) -> tuple[tree.PrimExpr, ...] | None:
        """Return the scalars of an argument that is a tuple of them, or a shape; None if they are not known."""
        arg = self.args[index]
        if isinstance(arg, tree.Tuple):
            return tuple([_signed(field.value) for field in arg.fields if isinstance(field, tree.PrimValue)])
        return self.tensor(index).dims

    def relation(self, a: tree.PrimExpr, b: tree.PrimExpr) -> Answer:
        """Compare two dimensions: EQUAL, DIFFERENT (for all values) or UNKNOWN. [D.13]"""
        return self.context.relation(a, b)

    def equal(self, a: tree.PrimExpr, b: tree.PrimExpr) -> bool:
        """Return whether two dimensions are provably equal."""
        return self.context.relation(a, b) == EQUAL

    def different(self, a: tree.PrimExpr, b: tree.PrimExpr) -> bool:
        """Return whether two dimensions are provably different."""
        return self.context.relation(a, b) == DIFFERENT

    # Results.

    def tensor_of(self, dims: Sequence[tree.PrimExpr], dtype: str | None) -> tree.TensorStructInfo:
        """Return the info of a tensor with these dimensions."""
        call = self.call
        shape = tree.ShapeExpr(tuple(dims), call.pos, call.end)
        return tree.TensorStructInfo(shape, self._dtype(dtype), None, call.pos, call.end)

    def of_rank(self, rank: int | None, dtype: str | None) -> tree.TensorStructInfo:
        """Return the info of a tensor of which the rank is known, or nothing but the dtype."""
        if rank == 0:
            return self.tensor_of((), dtype)
        return tree.TensorStructInfo(None, self._dtype(dtype), rank, self.call.pos, self.call.end)

    def like(self, known: Known, dtype: str | None) -> tree.TensorStructInfo:
        """Return the info of a tensor with the shape of another tensor, or of a shape, whatever is known of it."""
        if known.dims is not None:
            return self.tensor_of(known.dims, dtype)
        if known.variable is not None:
            held = tree.Var(known.variable, None, self.call.pos, self.call.end)
            return tree.TensorStructInfo(held, self._dtype(dtype), None, self.call.pos, self.call.end)
        return self.of_rank(known.rank, dtype)

    def shape_with(
        self, dims: Sequence[tree.PrimExpr] | None, rank: int | None = None
    ) -> tree.ShapeStructInfo:
        """Return the info of a shape with these dimensions, or of that rank."""
        if dims is not None:
            return tree.ShapeStructInfo(tuple(dims), None, self.call.pos, self.call.end)
        return tree.ShapeStructInfo(None, rank, self.call.pos, self.call.end)

    def tuple_of(self, fields: Sequence[tree.StructInfo]) -> tree.TupleStructInfo:
        """Return the info of a tuple."""
        return tree.TupleStructInfo(tuple(fields), self.call.pos, self.call.end)

    def _dtype(self, name: str | None) -> tree.DType | None:
        return None if name is None else tree.DType(str(name), self.call.pos, self.call.end)

    # Findings.

    def clash(
        self,
        a: tree.PrimExpr,
        b: tree.PrimExpr,
        arguments: tuple[Where, ...],
        reason: Callable[[], str],
        *,
        or_one: int = NEITHER,
    ) -> bool:
        """Require two extents to be equal: report that they provably are not, and note that it is not known. [OP.6]

        `or_one` says which of them may also be 1. Returns whether something was reported.
        """
        relation = self.context.relation
        answer = relation(a, b)
        if answer == EQUAL:
            return False
        if or_one:
            one, other = relation(a, _ONE), (relation(b, _ONE) if or_one == EITHER else DIFFERENT)
            if EQUAL in (one, other):
                return False
            or_one = NEITHER if one == other == DIFFERENT else or_one
        if answer == DIFFERENT and not or_one:
            self.bad_shape(reason(), *arguments)
            return True
        # Here and below: only where something is to be reported.
        from relax_lang.ops.core.findings import DeferredCheck

        self.deferred.append(DeferredCheck((a, b), arguments, reason, or_one=or_one))
        return False

    def bad_shape(self, reason: str, *arguments: Where) -> None:
        """Report shapes that do not fit: those of the arguments named, or of the only one. [OP.6]"""
        shown = [f"`{self._shape_text(where)}`" for where in arguments]
        if len(shown) > 2 and len(set(shown)) == 2:
            shown = list(dict.fromkeys(shown))  # several arguments of one shape do not fit another
        if len(shown) == 2:
            message = f"{self.operator.name}: shapes {shown[0]} and {shown[1]} do not fit: {reason}"
        elif shown:
            message = (
                f"{self.operator.name}: shape{'' if len(shown) == 1 else 's'} {', '.join(shown)}: {reason}"
            )
        else:
            message = f"{self.operator.name}: {reason}"
        found = self._found("op-shape-mismatch", message)
        found.labels = [(where, self._info_text(where)) for where in arguments]

    def bad_axis(self, axis: int, rank: int, attribute: str, lowest: int | None = None) -> None:
        """Report an axis outside of [-rank, rank). [OP.5]"""
        if rank == 0 and lowest is None:
            message = f"there is no axis {axis} in a tensor of rank 0"
        else:
            message = f"axis {axis} is outside [{-rank if lowest is None else lowest}, {rank - 1}]"
        self._found("op-axis", f"{self.operator.name}: {message}", None, attribute)

    def same_axis(self, axis: int, attribute: str) -> None:
        """Report an axis that is named twice. [OP.5]"""
        self._found("op-axis", f"{self.operator.name}: axis {axis} is given twice", None, attribute)

    def different_dtypes(self, a: Where, b: Where) -> None:
        """Report that arguments have different dtypes; those that differ from `a` in one way together. [OP.7]"""
        from relax_lang.ops.core.errors import different  # only where there is something to report

        left, right = self._dtype_text(a), self._dtype_text(b)
        found = next((one for one in self.findings if one.differing == (a, right)), None)
        if found is None:
            found = self._found("op-dtype-mismatch", "")
            found.differing = a, right
            found.labels.append((a, self._info_text(a)))
            found.help = "convert one of them with `astype`"
        found.places.append(self.name(b))
        found.labels.append((b, self._info_text(b)))
        found.message = f"{self.operator.name}: {different(self.name(a), left, found.places, right)}"

    def bad_dtype(self, where: Where, wanted: str) -> None:
        """Report a dtype that the operator does not take; `wanted` is `a float dtype`. [OP.7]"""
        from relax_lang.base.wording import enumerated  # only where there is something to report

        if any(one.refused is not None and one.argument == where for one in self.findings):
            return
        refused = self._dtype_text(where), wanted
        found = next((one for one in self.findings if one.refused == refused), None)
        if found is None:
            found = self._found("op-dtype-mismatch", "", where)
            found.refused = refused
        else:  # several operands of one wrong dtype are one mistake
            found.labels.append((where, self._info_text(where)))
        found.places.append(self.name(where))
        what = f"{refused[0]} for {enumerated(found.places, 'and')}"
        found.message = f"{self.operator.name}: does not take {what}: {wanted} is needed"
        found.help = "convert it with `astype`" if wanted == CLASSES["float"][1] else ""

    def bad_argument(self, where: Where, wanted: str) -> None:
        """Report an argument of another kind or rank; `wanted` is `a tensor`, `a tensor of rank 2`. [OP.3]"""
        shown = self._info_text(where)
        if isinstance(where, int):
            place = f"argument {where + 1} of {self.operator.name}"
        else:  # fields are counted from 0
            place = f"{self.name(where)} of {self.operator.name}"
        self._found("op-argument", f"{place} must be {wanted}, not `{shown}`", where)

    def bad_arguments(self, indices: Sequence[int], wanted: str) -> None:
        """Report arguments that are all to be the same as one mistake, of the first; the others are labelled. [OP.3]"""
        self.bad_argument(indices[0], wanted)
        self.findings[-1].labels = [(index, self._info_text(index)) for index in indices[1:]]

    def bad_attribute(self, name: str, reason: str) -> None:
        """Report that the value of an attribute does not go with the arguments. [OP.4]"""
        self._found("op-attribute", f"{self.operator.name}: bad attribute `{name}`: {reason}", None, name)

    def bad_scalar(self, index: int, reason: str) -> None:
        """Report that a scalar argument, or one that was given by its name, has an impossible value. [OP.4]"""
        name = self.operator.params[index].name
        self._found("op-attribute", f"{self.operator.name}: `{name}`: {reason}", index, name)

    def refused(self, refusal: OpError) -> None:
        """Report what a check refuses that rules and kernels share. [OP.4]"""
        attribute = refusal.facts.get("attribute")
        message = f"{self.operator.name}: {refusal.message}"
        self._found(refusal.slug, message, None, attribute if isinstance(attribute, str) else None)

    def rule_failed(self, reason: str) -> None:
        """Report that the rule of an operator that a user declared failed."""
        self._found("rule-failed", f"{self.operator.name}: its struct info rule failed: {reason}")

    def not_known(self, where: Where, expected: tree.StructInfo) -> None:
        """Report that too little is known of an argument: it needs a match_cast. [Z.3]"""
        from relax_lang.format.printer import show  # only where there is something to report

        message = f"`{self._info_text(where)}` is not known to be `{show(expected)}`"
        self._found("needs-match-cast", message, where).expected = expected

    def _found(
        self, slug: str, message: str, argument: Where | None = None, attribute: str | None = None
    ) -> Finding:
        from relax_lang.ops.core.findings import Finding

        finding = Finding(slug, message, argument, attribute)
        self.findings.append(finding)
        return finding

    # Words for messages.

    def _info(self, where: Where) -> tree.StructInfo | None:
        if isinstance(where, int):
            return self.infos[where]
        info = self.infos[where[0]]
        return info.fields[where[1]] if isinstance(info, tree.TupleStructInfo) else None

    def name(self, where: Where) -> str:
        """Return what messages call an argument: its parameter's name in backquotes."""
        params = self.operator.params
        index = where if isinstance(where, int) else where[0]
        name = params[min(index, len(params) - 1)].name
        return f"`{name}`" if isinstance(where, int) else f"field {where[1]} of `{name}`"

    def text(self, dim: tree.PrimExpr) -> str:
        """Return a dimension as the source writes it."""
        from relax_lang.format.printer import show  # only where there is something to report

        return show(dim)

    def _info_text(self, where: Where) -> str:
        from relax_lang.format.printer import show  # only where there is something to report
        from relax_lang.struct_info.printing import shown

        info = self.given_infos[where] if isinstance(where, int) else self._info(where)
        arg = self.args[where] if isinstance(where, int) else None
        scalars = isinstance(arg, tree.Tuple) and any(isinstance(one, tree.PrimValue) for one in arg.fields)
        if info is not None and not scalars:
            return shown(info)
        return show(arg) if isinstance(arg, tree.Node) else str(arg)

    def _shape_text(self, where: Where) -> str:
        from relax_lang.format.printer import show  # only where there is something to report

        known = Known(self._info(where) or _ANYTHING, self.context)
        if known.dims is None:
            return self._info_text(where)
        shown = [show(dim) for dim in known.dims]
        return f"({shown[0]},)" if len(shown) == 1 else f"({', '.join(shown)})"

    def _dtype_text(self, where: Where) -> str:
        return Known(self._info(where) or _ANYTHING, self.context).dtype or "unknown"


def _signed(scalar: tree.PrimExpr) -> tree.PrimExpr:
    """Return `-1` as one literal: the tree has a negation there."""
    if type(scalar) is tree.Neg:
        if type(scalar.a) is tree.IntImm:
            return tree.IntImm(-scalar.a.value, scalar.a.dtype, None, scalar.pos, scalar.end)
        if type(scalar.a) is tree.FloatImm:
            return tree.FloatImm(-scalar.a.value, None, None, scalar.pos, scalar.end)
    return scalar


_ANYTHING = tree.ObjectStructInfo()
_ONE = tree.IntImm(1)
