"""Annotations to types, with a check of kinds: what may appear where. [R.35]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.syntax import tree
from relax_lang.relay.unification.model import (
    ANY,
    BASE_TYPE,
    REJECTED,
    SHAPE,
    SHAPE_VAR,
    TYPE,
    Adt,
    Func,
    Param,
    Ref,
    Tensor,
    Tuple,
    Unknown,
)
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.relay.scope.resolved import Resolved
    from relax_lang.relay.unification.model import Dim, Dtype, Type

    Params = Mapping[str, Param | Type]


class Annotations:
    """Makes types of annotations; `fresh` gives an unknown for what is left open."""

    def __init__(self, resolved: Resolved, report: Callable[[Diagnostic], None]) -> None:
        self.resolved = resolved
        self._report = report
        self.quiet = False
        """Whether what is wrong is reported elsewhere."""
        self._unknown: set[str] = set()

    def report(self, diagnostic: Diagnostic) -> None:
        """Report what is wrong, unless that is done elsewhere."""
        if not self.quiet:
            self._report(diagnostic)

    def params(self, written: tuple[tree.TypeParam, ...]) -> dict[str, Param]:
        """Return the parameters that a function or type declares."""
        return {one.name: Param(one.name, one.kind or self._kind_in_use(one)) for one in written}

    def _kind_in_use(self, one: tree.TypeParam) -> str:
        return TYPE

    def type(self, node: tree.Type, params: Params, fresh: Callable[[str], Unknown]) -> Type:
        """Return the type that an annotation means; what is wrong is reported."""
        match node:
            case tree.TensorType():
                return self._tensor(node, params)
            case tree.TupleType():
                return Tuple(tuple([self.type(one, params, fresh) for one in node.fields]))
            case tree.FuncType():
                own = self.params(node.type_params)
                inner = {**params, **own}
                made = tuple([self.type(one, inner, fresh) for one in node.params])
                return Func(made, self.type(node.result, inner, fresh), tuple(own.values()))
            case tree.RefType():
                return Ref(self.type(node.value, params, fresh))
            case tree.TypeCall():
                return self._call(node, params, fresh)
            case tree.Incomplete():
                return fresh(TYPE)
            case _:
                return assert_never(node)

    def _tensor(self, node: tree.TensorType, params: Params) -> Type:
        from relax_lang.relay.diagnostics import names, types  # only where something is wrong

        dtype: Dtype = node.dtype
        if node.dtype not in DTYPES:
            found: Any = params.get(node.dtype)
            if isinstance(found, str) or (isinstance(found, Param) and found.kind == BASE_TYPE):
                dtype = found
            elif found is not None or node.dtype in self.resolved.types:
                self.report(
                    types.kind(node, f"the elements of a tensor have a dtype; `{node.dtype}` is a type")
                )
                return REJECTED
            else:
                self.report(names.unknown_type(_word(node, node.dtype), node.dtype, DTYPES))
                return REJECTED
        if node.shape_var is not None:
            found: Any = params.get(node.shape_var)
            if not _is_shape(found):
                message = f"`{node.shape_var}` is not a shape: write `({node.shape_var},)`, or declare it as a `Shape`"
                self.report(types.kind(node, message))
                return REJECTED
            return Tensor(found, dtype)
        dims: list[Dim] = []
        for dim in node.dims:
            made = self._dim(dim, params)
            if made is None:
                return REJECTED
            dims.append(made)
        return Tensor(tuple(dims), dtype)

    def _dim(self, node: tree.Dim, params: Params) -> Dim | None:
        match node:
            case tree.DimInt():
                return node.value
            case tree.DimAny():
                return ANY
            case tree.DimVar():
                found: Any = params.get(node.name)
                if isinstance(found, int) or (isinstance(found, Param) and found.kind == SHAPE_VAR):
                    return found
                from relax_lang.relay.diagnostics import types  # only where something is unusual

                message = (
                    f"`{node.name}` is not an extent: a number, `?`, or a parameter of the kind `ShapeVar`"
                )
                self.report(types.kind(node, message))
                return None
            case tree.DimMeta():
                from relax_lang.relay.diagnostics import types

                what = f"an extent out of the metadata, `meta[{node.key}][{node.index}]`"
                self.report(types.not_supported(node, what))
                return None
            case _:
                return assert_never(node)

    def _call(self, node: tree.TypeCall, params: Params, fresh: Callable[[str], Unknown]) -> Type:
        from relax_lang.relay.diagnostics import types  # only where something is wrong

        found = params.get(node.name)
        if found is not None:
            if node.args:
                self.report(types.kind(node, f"`{node.name}` is a parameter and takes no arguments"))
                return REJECTED
            if isinstance(found, Param) and found.kind != TYPE:
                self.report(
                    types.kind(node, f"`{node.name}` is a `{found.kind}`, and a type is expected here")
                )
                return REJECTED
            return found
        declared = self.resolved.types.get(node.name)
        if declared is None:
            known = [*self.resolved.types, *params, *DTYPES]
            if (
                node.name not in self._unknown and not self.resolved.is_incomplete
            ):  # one mistake, however often the name is used
                self._unknown_type(node, known)
            if not self.quiet:
                self._unknown.add(node.name)
            return REJECTED
        if len(node.args) != len(declared.params):
            takes = f"{len(declared.params)} argument{'s' if len(declared.params) != 1 else ''}"
            message = f"`{node.name}` takes {takes} in brackets, found {len(node.args)}"
            self.report(types.kind(node, message))
            return REJECTED
        return Adt(node.name, tuple([self.type(one, params, fresh) for one in node.args]))

    def _unknown_type(self, node: tree.TypeCall, known: list[str]) -> None:
        from relax_lang.relay.diagnostics import imports, names
        from relax_lang.relay.scope.imports import insertion, offering

        place = _word(node, node.name)
        path = offering(node.name, self.resolved)
        if path and self.resolved.parsed is not None:
            if path not in self._unknown:
                written = insertion(self.resolved.parsed, path)
                self.report(imports.not_imported(place, node.name, path, written))
            self._unknown.add(path)
        else:
            self.report(names.unknown_type(place, node.name, known))


def _is_shape(found: object) -> bool:
    """Return whether a parameter is a shape, or one in an instance."""
    return isinstance(found, tuple) or (isinstance(found, Param) and found.kind == SHAPE)


def _word(node: tree.Type, word: str) -> tuple[int, int]:
    if isinstance(node, tree.TypeCall):
        return node.pos, node.pos + len(word)
    return node.end - 1 - len(word), node.end - 1
