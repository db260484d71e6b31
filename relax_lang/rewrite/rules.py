"""Rewrite rules as programs: a module with `@pattern` and `@replacement`, or several pairs with names.

    def @pattern_double(x: Tensor[(n,), float32]) {
      add(x, x)
    }

    def @replacement_double(x: Tensor[(n,), float32]) {
      multiply(x, 2.0)
    }

A rule holds for all values that its parameters may have: a call is replaced where what it was made of certainly fits
them. Shape variables are bound as in a call. PrimFuncs and private functions that replacements call come along.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, unreachable, walk
from relax_lang.base.relax_error import RelaxError
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.rewrite import diagnostics as diag
from relax_lang.rewrite.brought import Brought, Inlining, brought_along, reached
from relax_lang.rewrite.calls import attributes_of
from relax_lang.rewrite.dpl import (
    CallPattern,
    FieldPattern,
    Pattern,
    TuplePattern,
    is_expr,
    wildcard,
)
from relax_lang.rewrite.matching import rewrite_typed
from relax_lang.scope.alpha.structure import alpha_equal
from relax_lang.struct_info.bound_variables import substitute
from relax_lang.struct_info.calls import apply
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.context import NOTHING_KNOWN
from relax_lang.struct_info.substitution import get_shape_var_mapping
from relax_lang.struct_info.verdict import COMPATIBLE, YES
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.rewrite.dpl import Found, Matcher
    from relax_lang.typed import Typed

PATTERN, REPLACEMENT = "pattern", "replacement"


class Rule:
    """A rule of a file: what is looked for, and what takes its place."""

    __slots__ = (
        "_brought",
        "_names",
        "_params",
        "_replacement",
        "_sizes",
        "_source",
        "_type",
        "name",
        "pattern",
    )

    def __init__(
        self,
        name: str,
        typed: Typed,
        pattern: tree.Function,
        replacement: tree.Function,
        brought: list[Brought],
    ) -> None:
        self.name = name
        self._params: dict[str, Pattern] = {param.name_hint: wildcard() for param in pattern.params}
        assert pattern.name is not None
        kind = typed.signatures[pattern.name.name_hint]
        assert isinstance(kind, tree.FuncStructInfo)
        self._type = kind
        self._replacement = replacement
        self._source = typed.source
        self._brought = brought
        self._names: dict[str, str] = {}
        """What the items that the replacement brings along are called in the program."""
        self._sizes: dict[str, tree.PrimExpr] = {}
        self.pattern: Pattern = _Fits(pattern_of(pattern, self._params), self)

    def applied(self, typed: Typed) -> Typed:
        """Return a program in which the rule was applied wherever it can be. Raises RelaxError."""
        if not self._brought:
            return rewrite_typed(self.pattern, self._change, typed, self._endless)
        with_all, self._names = brought_along(typed, self._brought)
        made = rewrite_typed(self.pattern, self._change, with_all, self._endless)
        return typed if made is with_all else made

    def _endless(self, function: str, rounds: int) -> RelaxError:
        assert self._replacement.name is not None
        names = [global_name(f"{word}{self._suffix}") for word in (PATTERN, REPLACEMENT)]
        found = diag.rewrite_does_not_end(self._replacement, function, rounds, (names[0], names[1]))
        return RelaxError(self._source, [found])

    @property
    def _suffix(self) -> str:
        assert self._replacement.name is not None
        return self._replacement.name.name_hint.removeprefix(REPLACEMENT)

    def binds(self, found: Found, at: Matcher) -> dict[str, tree.PrimExpr] | None:
        """Return what the shape variables of the rule stand for, or None if what was found does not fit its types."""
        infos: list[tree.StructInfo] = []
        for wild in self._params.values():
            node = found.get(wild)
            info = None if node is None else at.info_of(node)
            if info is None:
                return None
            infos.append(info)
        if any(verdict is not YES for verdict in apply(self._type, infos, NOTHING_KNOWN).verdicts):
            return None
        mapping: dict[str, tree.PrimExpr] = {}
        for param, info in zip(self._type.params or (), infos, strict=True):
            mapping.update(get_shape_var_mapping(param, info, NOTHING_KNOWN))
        return mapping

    def bound(self, sizes: dict[str, tree.PrimExpr]) -> None:
        """Note what the shape variables stand for in the match that is replaced next."""
        self._sizes = sizes

    def _change(self, _whole: tree.Expr, found: Found) -> object:
        values: dict[str, tree.Expr] = {}
        for param, wild in zip(self._replacement.params, self._params.values(), strict=True):
            values[param.name_hint] = found[wild]
        return Inlining(self._replacement, values, self._sizes, self._names).expression()


class _Fits(Pattern):
    """The pattern of a rule, where the types of its parameters hold."""

    def __init__(self, inner: Pattern, rule: Rule) -> None:
        self.inner, self.rule = inner, rule

    def _matches(self, node: tree.Expr, at: Matcher, found: Found) -> Iterator[Found]:
        for one in self.inner.matches(node, at, found):
            mapping = self.rule.binds(one, at)
            if mapping is not None:
                self.rule.bound(mapping)
                yield one


def read_rules(typed: Typed) -> tuple[list[Rule], list[Diagnostic]]:
    """Return the rules of a program, and what is wrong with it as a file of rules."""
    functions = {name: item for name, item in typed.items.items() if isinstance(item, tree.Function)}
    rules: list[Rule] = []
    wrong: list[Diagnostic] = []
    helpers: dict[str, tree.Function] = {}
    needed: set[str] = set()
    for name, function in functions.items():
        kind, _, own = name.partition("_")
        if kind == REPLACEMENT:
            if f"{PATTERN}{'_' if own else ''}{own}" not in functions:
                wrong.append(diag.bad_rule(function, f"{global_name(name)} has no pattern"))
            continue
        if kind != PATTERN:
            helpers[name] = function
            continue
        other = functions.get(f"{REPLACEMENT}{'_' if own else ''}{own}")
        if other is None:
            wrong.append(diag.bad_rule(function, f"{global_name(name)} has no replacement"))
            continue
        brought = reached(typed, other)
        needed.update([one.name for one in brought])
        found = _mistakes(typed, function, other) or _mistakes_of_brought(typed, brought)
        wrong += found
        if not found:
            rules.append(Rule(own or PATTERN, typed, function, other, brought))
    for name, function in helpers.items():
        if name not in needed:
            wrong.append(diag.bad_rule(function, f"{global_name(name)} is not a rule", _PAIRS))
    if not functions:
        wrong.append(diag.bad_rule(None, "there is no rule in the file"))
    return rules, wrong


_PAIRS = "rules are pairs `@pattern` and `@replacement`, or `@pattern_NAME` and `@replacement_NAME`"
"""What functions of a file of rules are; others are private, and replacements call them."""


def _mistakes_of_brought(typed: Typed, brought: list[Brought]) -> list[Diagnostic]:
    """Return what is wrong with the items that a replacement calls."""
    wrong: list[Diagnostic] = []
    for one in brought:
        shown = global_name(one.name)
        if one.name.partition("_")[0] in {PATTERN, REPLACEMENT}:
            wrong.append(diag.bad_rule(one.item, f"{shown} is a rule, which a replacement cannot call"))
        elif not one.item.private:
            advice = "only private functions and PrimFuncs come along: write `private` before it"
            wrong.append(
                diag.bad_rule(one.item, f"a replacement calls {shown}, which is not private", advice)
            )
        elif isinstance(one.item, tree.Function) and typed.mentions(one.item).files:
            wrong.append(diag.bad_rule(one.item, f"{shown} has a constant in a file: write it out"))
    return wrong


def _mistakes(typed: Typed, pattern: tree.Function, replacement: tree.Function) -> list[Diagnostic]:
    assert pattern.name is not None
    assert replacement.name is not None
    left, right = [typed.signatures[one.name_hint] for one in (pattern.name, replacement.name)]
    assert isinstance(left, tree.FuncStructInfo)
    assert isinstance(right, tree.FuncStructInfo)
    heads = [tree.FuncStructInfo(one.params, tree.ObjectStructInfo(), None, True) for one in (left, right)]
    if not alpha_equal(heads[0], heads[1]):
        shown = f"{global_name(replacement.name.name_hint)} has other parameters than its pattern"
        return [diag.bad_rule(replacement, shown).label(pattern, "these are wanted")]
    used = {node.name_hint for node in walk(pattern.body) if isinstance(node, tree.Var)}
    for param in pattern.params:
        if param.name_hint not in used:
            return [
                diag.bad_rule(
                    param, f"the pattern does not use `{param.name_hint}`, so nothing gives it a value"
                )
            ]
    try:
        pattern_of(pattern, {param.name_hint: wildcard() for param in pattern.params})
    except NoPattern as found:
        return [diag.bad_rule(found.node, f"a pattern cannot have {found}")]
    assert isinstance(pattern.body, tree.SeqExpr)
    value = pattern.body.body
    if isinstance(value, tree.Var) and value.name_hint in {param.name_hint for param in pattern.params}:
        return [diag.bad_rule(value, f"everything is `{value.name_hint}`: a pattern has a call or a tuple")]
    for node in walk(replacement.body):
        what = next((what for kind, what in _NOT_INLINED if isinstance(node, kind)), None)
        if what is not None:
            return [diag.bad_rule(node, f"a replacement cannot have {what}", _IN_A_FUNCTION.get(what, ""))]
    if left.pure and not right.pure:
        shown = f"{global_name(replacement.name.name_hint)} has effects, which its pattern does not have"
        return [diag.bad_rule(replacement, shown)]
    if left.ret is None or right.ret is None:
        return []
    result = _renamed(right, left)
    if check_compatibility(result, left.ret, NOTHING_KNOWN.extended(_bound(left))).answer != COMPATIBLE:
        shown = f"the replacement is `{show(right.ret)}`, the pattern `{show(left.ret)}`"
        return [diag.bad_rule(replacement, shown, "it must be known at least as precisely")]
    return []


_NOT_INLINED: tuple[tuple[type[tree.Node], str], ...] = (
    (tree.If, "an `if`"),
    (tree.Function, "a local function"),
    (tree.MatchCast, "a match_cast"),
    (tree.FileLit, "a constant in a file"),
)
_IN_A_FUNCTION = {
    **dict.fromkeys(["an `if`", "a local function", "a match_cast"], "a private function that it calls can"),
    "a constant in a file": "write it out",
}


def _bound(kind: tree.FuncStructInfo) -> set[str]:
    from relax_lang.struct_info.bound_variables import bare_names

    return set(bare_names(list(kind.params or ())))


def _renamed(right: tree.FuncStructInfo, left: tree.FuncStructInfo) -> tree.StructInfo:
    """Return the result of one function type with the shape variables of another that has equal parameters."""
    mapping: dict[str, tree.PrimExpr] = {}
    for own, other in zip(right.params or (), left.params or (), strict=True):
        mapping.update(get_shape_var_mapping(own, other, NOTHING_KNOWN))
    assert right.ret is not None
    return substitute(right.ret, mapping, frozenset())


class NoPattern(Exception):  # noqa: N818 - says what was found
    """Something that cannot be part of a pattern."""

    def __init__(self, node: tree.Node, what: str) -> None:
        self.node = node
        super().__init__(what)


def pattern_of(function: tree.Function, params: dict[str, Pattern]) -> Pattern:
    """Return the body of a function as a pattern, with patterns in the place of its parameters."""
    assert isinstance(function.body, tree.SeqExpr)
    known: dict[str, Pattern] = dict(params)
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding, tree.MatchCast):
                raise NoPattern(binding, "a match_cast")
            known[binding.var.name_hint] = _of_value(binding.value, known)
    return _of_value(function.body.body, known)


def _of_value(value: tree.Expr, known: dict[str, Pattern]) -> Pattern:
    match value:
        case tree.Var() | tree.DataflowVar():
            return known[value.name_hint]
        case tree.Constant() | tree.ShapeExpr() | tree.GlobalVar() | tree.ExternFunc() | tree.PrimValue():
            if any(isinstance(node, tree.PrimVar) for node in walk(value)):
                raise NoPattern(value, "a size that is computed with")
            return is_expr(value)
        case tree.Tuple():
            return TuplePattern([_of_value(one, known) for one in value.fields])
        case tree.TupleGetItem():
            return FieldPattern(_of_value(value.tuple_value, known), value.index)
        case tree.Call():
            if not isinstance(value.op, tree.Op) or value.struct_info is not None:
                raise NoPattern(value, "this call")
            made = CallPattern(value.op.op_name, [_of_value(one, known) for one in value.args])
            made.attrs = attributes_of(value)
            return made
        case tree.If():
            raise NoPattern(value, "an `if`")
        case tree.Function():
            raise NoPattern(value, "a local function")
        case tree.NeverBound():
            return unreachable(value)
        case _:
            return assert_never(value)
