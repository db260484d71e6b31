"""Infos from text, and many small types and infos to hold the relations against."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache
from itertools import product

from relax_lang.format.printer import show
from relax_lang.struct_info.bound_variables import binders_of, names_in
from relax_lang.struct_info.context import Context, result_of
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse


def info(text: str) -> tree.StructInfo:
    """Read an info; `T[…]` abbreviates `Tensor[…, float32]` as in the rules."""
    parsed = parse(expanded(text), "struct_info")
    assert not parsed.diagnostics, (text, parsed.diagnostics)
    assert isinstance(parsed.tree, tree.StructInfo)
    return parsed.tree


def expanded(text: str) -> str:
    """Write out the abbreviation `T[…]`."""
    parts = text.split("T[")
    done = parts[0]
    for part in parts[1:]:
        inside, _, rest = part.partition("]")
        done += f"Tensor[{inside}, float32]{rest}"
    return done


def shown(node: tree.StructInfo | None) -> str:
    """Return the text of an info; `none` where there is none."""
    return "none" if node is None else show(node)


def scope(*names: str) -> Context:
    """Return a context with shape variables in scope."""
    return Context(frozenset(names))


def free_names(one: tree.StructInfo, scope: AbstractSet[str]) -> set[str]:
    """Return the shape variables that an info uses but no function type in it binds."""
    if isinstance(one, tree.TupleStructInfo):
        fields = {id(field): field for field in one.fields}
        return set[str]().union(*[free_names(field, scope) for field in fields.values()])
    if not isinstance(one, tree.FuncStructInfo):
        return names_in([one])
    own = set(binders_of(one, scope))
    parts = [*(one.params or ()), result_of(one)]
    return set[str]().union(*[free_names(part, scope | own) for part in parts]) - own


LEAF_TYPES = (
    "Object",
    "Tensor",
    "Prim[float32]",
    "Prim[int64]",
    "Tensor[ndim=0, float32]",
    "Tensor[ndim=1]",
    "Tensor[ndim=2]",
    "Tensor[_, float32]",
    "Tensor[_, int8]",
    "Tensor[ndim=1, float32]",
    "Tensor[ndim=2, float32]",
    "Shape",
    "Shape[ndim=1]",
    "Shape[ndim=2]",
    "PackedFunc",
    "()",
)
SMALL = ("Object", "Tensor", "Tensor[ndim=1]", "Tensor[_, float32]", "Shape", "PackedFunc")


@cache
def types() -> list[tree.StructInfo]:
    """Return about 220 types: leaves, tuples of up to two fields, functions of up to two parameters, nested."""
    texts = list(LEAF_TYPES)
    texts += [f"({one},)" for one in LEAF_TYPES]
    texts += [f"({one}, {other})" for one, other in product(SMALL, SMALL)]
    texts += [f"{pure}fn() -> {ret}" for pure in ("", "impure ") for ret in SMALL]
    texts += [f"{pure}fn({one}) -> {ret}" for pure in ("", "impure ") for one, ret in product(SMALL, SMALL)]
    texts += [f"fn({one}, {other}) -> Tensor" for one, other in product(SMALL[:4], SMALL[:4])]
    inner = (
        "fn(Tensor) -> Object",
        "fn(Tensor[ndim=1]) -> Tensor",
        "impure fn(Object) -> Tensor",
        "fn(Shape) -> ()",
    )
    texts += [f"fn({one}) -> {ret}" for one, ret in product(inner, ("Object", "Tensor", *inner))]
    texts += [f"(({one},), {other})" for one, other in product(SMALL, SMALL[:4])]
    return [info(text) for text in dict.fromkeys(texts)]


LEAF_INFOS = (
    *LEAF_TYPES,
    "Tensor[(n,)]",
    "Tensor[(n,), float32]",
    "Tensor[(m,), float32]",
    "Tensor[(3,), float32]",
    "Tensor[(4,), float32]",
    "Tensor[(n + 1,), float32]",
    "Tensor[(1 + n,), float32]",
    "Tensor[(n, 3), float32]",
    "Tensor[(n, 3), int8]",
    "Tensor[(n * m, 3), float32]",
    "Tensor[(m * n, 3)]",
    "Tensor[(), float32]",
    "Tensor[ndim=0, float32]",
    "Tensor[sh, float32]",
    "Tensor[known, float32]",
    "Tensor[alias]",
    "Shape[(n,)]",
    "Shape[(3,)]",
    "Shape[(n, m)]",
    "Shape[(m, n)]",
    "Shape[(2 * n, m)]",
    "Shape[(n + n, m)]",
    "Shape[()]",
    "Shape[ndim=0]",
    'PackedFunc[derive="empty"]',
    'PackedFunc[derive="mine"]',
)
SMALL_INFOS = (
    "Object",
    "Tensor[ndim=1]",
    "Tensor[(n,), float32]",
    "Tensor[(3,), float32]",
    "Tensor[(m,)]",
    "Shape[(n,)]",
)


@cache
def world() -> Context:
    """Return the context of `infos()`."""
    variables = {"sh": info("Shape[ndim=2]"), "known": info("Shape[ndim=2]"), "alias": info("Shape[ndim=2]")}
    known = {"known": shape("n", 3), "alias": tree.Var("sh")}
    return Context(frozenset({"n", "m"}), variables, known)


def shape(*dims: str | int) -> tree.ShapeExpr:
    """Return `shape(n, 3)` as a tree."""
    return tree.ShapeExpr(
        tuple([tree.PrimVar(dim) if isinstance(dim, str) else tree.IntImm(dim) for dim in dims])
    )


@cache
def infos() -> list[tree.StructInfo]:
    """Return about 220 infos over the shape variables `n` and `m`; no function type binds any itself."""
    texts = list(LEAF_INFOS)
    texts += [f"({one},)" for one in SMALL_INFOS]
    texts += [f"({one}, {other})" for one, other in product(SMALL_INFOS, SMALL_INFOS)]
    texts += [
        f"{pure}fn({one}) -> {ret}"
        for pure in ("", "impure ")
        for one, ret in product(SMALL_INFOS, SMALL_INFOS)
    ]
    inner = ("fn(Tensor[(n,), float32]) -> Object", "fn(Tensor[ndim=1]) -> Tensor[(n,), float32]")
    texts += [f"fn({one}) -> {ret}" for one, ret in product(inner, ("Object", *inner))]
    texts += [f"impure fn({one}) -> {one}" for one in inner]
    texts += [f"fn(({one},), {other}) -> Object" for one, other in product(SMALL_INFOS[:4], SMALL_INFOS[:3])]
    return [info(text) for text in dict.fromkeys(texts)]


@cache
def polymorphic() -> list[tree.StructInfo]:
    """Return function types with shape variables of their own, and some without."""
    texts = (
        "fn(T[(a,)]) -> T[(a,)]",
        "fn(T[(b,)]) -> T[(b,)]",
        "fn(T[(b,)]) -> T[(b * 2,)]",
        "fn(T[(a,)]) -> T[(3,)]",
        "fn(T[(a,)]) -> T[(n,)]",
        "fn(T[(a,)]) -> Tensor[ndim=1]",
        "fn(T[(a,)]) -> Object",
        "fn(T[(3,)]) -> T[(3,)]",
        "fn(T[(n,)]) -> T[(n,)]",
        "fn(T[(n,)]) -> T[(3,)]",
        "fn(T[ndim=1]) -> T[ndim=1]",
        "fn(Tensor[(a,)]) -> T[(a,)]",
        "impure fn(T[(a,)]) -> T[(a,)]",
        "fn(T[(a, a)]) -> T[(a,)]",
        "fn(T[(a, b)]) -> T[(a,)]",
        "fn(T[(b, a)]) -> T[(a,)]",
        "fn(T[(a, 3)]) -> T[(a,)]",
        "fn(T[ndim=2]) -> T[ndim=1]",
        "fn(T[(a,)], T[(a,)]) -> T[(a,)]",
        "fn(T[(a,)], T[(b,)]) -> T[(a + b,)]",
        "fn(T[(b,)], T[(a,)]) -> T[(a + b,)]",
        "fn(T[(a,)], T[(a * 2,)]) -> T[(a,)]",
        "fn(T[(n,)], T[(6,)]) -> T[(n,)]",
        "fn(T[(3,)], T[(6,)]) -> T[(3,)]",
        "fn(Shape[(a,)], T[(a,)]) -> T[(a,)]",
        "fn((T[(a,)], T[(b,)])) -> T[(b,)]",
        "fn((T[(a,)], T[(a,)])) -> T[(a,)]",
        "fn((T[(3,)], T[(a,)])) -> T[(a,)]",
        "fn(fn(T[(a,)]) -> T[(a,)]) -> T[(3,)]",
        "fn(fn(T[(3,)]) -> T[(3,)]) -> T[(3,)]",
        "fn(fn(T[(n,)]) -> T[(n,)]) -> T[(n,)]",
        "fn(fn(T[(b,)]) -> T[(b,)], T[(b,)]) -> T[(b,)]",
        "fn(fn(T[(a,)]) -> T[(a,)], T[(b,)]) -> T[(b,)]",
        "fn(fn(T[(3,)]) -> T[(3,)], T[(3,)]) -> T[(3,)]",
        "fn(T[(a,)]) -> fn(T[(a,)]) -> T[(a,)]",
        "fn(T[(b,)]) -> fn(T[(a,)]) -> T[(a,)]",
        "fn(T[(a,)]) -> fn(T[(b,)]) -> T[(a,)]",
        "fn(T[(3,)]) -> fn(T[(3,)]) -> T[(3,)]",
        "fn() -> T[(n,)]",
        "fn(Object) -> T[(3,)]",
        "fn(Shape) -> T[(3,)]",
    )
    return [info(text) for text in texts]
