"""What is remarked on bindings of a program that was imported: a model's own words, and what it leaves open.

The checker reports extents that have to be equal where the model does not guarantee it. That is silenced at the first
call that is reported: whoever imports a model cannot change it.
"""

from __future__ import annotations

from relax_lang.arith.facts import MOST_FACTS
from relax_lang.arith.prover import EQUAL, NO_FACTS, compare
from relax_lang.base.node import assert_never, unreachable
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.arith.prover import Facts
    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.dims import Dims
    from relax_lang.onnx.values import Tensor
    from relax_lang.ops.core.findings import DeferredCheck

MAY_DIFFER, FIT_EMPTY = "operands-may-differ", "operands-fit-empty-only"
"""What the checker reports of operands whose extents a model leaves open."""
MOST_LINES = 20
"""Of the documentation of a model or of a node."""
WIDEST = 100


def remark(said: str) -> list[str]:
    """Return the documentation of a model or of a node as comments; none of them means anything to the toolchain."""
    lines = [" ".join(line.split()) for line in said.strip().splitlines()[:MOST_LINES]]
    plain = ["".join([c for c in line if c.isprintable()]).replace("relax:", "relax") for line in lines]
    return [f"# {line if len(line) <= WIDEST else line[: WIDEST - 1] + '…'}".rstrip() for line in plain]


def mark_open_operands(module: tree.IRModule, builder: Builder) -> None:
    """Silence the findings at bindings whose operands the model itself leaves open."""
    for item in module.items:
        if isinstance(item, tree.Function):
            found = _OpenOperands(builder.deferred, builder.made)
            found.function(item)
            for binding, slug in found.slugs.items():
                silent = f"# relax: ignore[{slug}]"
                builder.comments[binding] = [*builder.comments.get(binding, ()), silent]


class _OpenOperands:
    """A walk over a function in the order of its text, with what the checker knows of extents at each place."""

    def __init__(
        self, deferred: Mapping[tree.Call, Sequence[DeferredCheck]], made: Mapping[str, Tensor]
    ) -> None:
        self.slugs: dict[tree.Binding, str] = {}
        self._deferred = deferred
        self._made = made
        self._facts = NO_FACTS
        self._count = 0

    def function(self, node: tree.Function) -> None:
        """Walk over a function."""
        for param in node.params:
            self._assume_sizes(_dims_of(param.struct_info_annotation))
        self._expression(node.body)

    def _expression(self, node: tree.Expr) -> None:
        """Walk over what an expression contains; what is known in it is forgotten behind it."""
        before = self._facts
        match node:
            case tree.If():
                self._expression(node.true_branch)
                self._expression(node.false_branch)
            case tree.Function():
                self.function(node)
            case tree.SeqExpr():
                for block in node.blocks:
                    for binding in block.bindings:
                        self._binding(binding)
                self._expression(node.body)
            case tree.Call() | tree.TupleGetItem() | tree.Atom():
                pass  # they bind nothing
            case tree.NeverBound():
                unreachable(node)
            case _:
                assert_never(node)
        self._facts = before

    def _binding(self, binding: tree.Binding) -> None:
        value = binding.value
        deferred = self._deferred.get(value, ()) if isinstance(value, tree.Call) else ()
        slug = next(filter(None, [self._slug(one) for one in deferred]), None)
        if slug is not None:
            self.slugs[binding] = slug
        for one in deferred:
            if not one.or_one:
                self._assume(lambda facts, one=one: facts.with_equal(one.a, one.b))
        self._expression(value)
        if isinstance(binding, tree.MatchCast):
            target = _dims_of(binding.struct_info)
            for own, other in zip(target, self._dims(value), strict=False):
                if compare(own, other, self._facts) != EQUAL:
                    self._assume(lambda facts, own=own, other=other: facts.with_equal(own, other))
            self._assume_sizes(target)

    def _slug(self, check: DeferredCheck) -> str | None:
        """Return what is reported of two extents, if there are sizes for which a call fails."""
        from relax_lang.arith.counter_models import clash  # where a model leaves something open

        if clash(check.a, check.b, self._facts, or_one=check.or_one) is None:
            return None
        return FIT_EMPTY if check.fits_empty_only(self._facts) else MAY_DIFFER

    def _dims(self, value: tree.Expr) -> Dims:
        if isinstance(value, tree.Var):
            found = self._made.get(value.name_hint)
            return () if found is None else found.dims
        return value.values if isinstance(value, tree.ShapeExpr) else ()

    def _assume_sizes(self, dims: Dims) -> None:
        for dim in dims:
            if type(dim) not in (tree.PrimVar, tree.IntImm):
                self._assume(lambda facts, dim=dim: facts.with_sizes((dim,)))

    def _assume(self, more: Callable[[Facts], Facts]) -> None:
        """Assume something, unless it contradicts what is known."""
        if self._count < MOST_FACTS:
            self._count += 1
            facts = more(self._facts)
            if not facts.impossible:
                self._facts = facts


def _dims_of(info: tree.StructInfo | None) -> Dims:
    if isinstance(info, tree.TensorStructInfo) and isinstance(info.shape, tree.ShapeExpr):
        return info.shape.values
    return info.values or () if isinstance(info, tree.ShapeStructInfo) else ()
