"""Operands that are given by name, and names where attributes have literals: one mistake of a call. [OP.2] [G.31]

`add(x1=x, x2=y)` is `add(x, y)`, and `eye(n, k=m)` is `eye(n, (), m)`: operands are given by position. Only imported
where the value of an attribute is a name, or the number of arguments is wrong.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.base.wording import enumerated
from relax_lang.format.printer import show
from relax_lang.ops.core.attributes import accepts, describe_type, words_in, words_of
from relax_lang.ops.core.diagnostics import calls as diag
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.words import LITERALS_OF_PYTHON, WORDS_FOR_NULL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.ops.core.attributes import Problem
    from relax_lang.ops.core.signature import Param, Signature


def no_literals(operator: Signature, call: tree.Call) -> list[Diagnostic]:
    """Return what is wrong with names where attributes have literals."""
    types = {spec.name: spec.type for spec in operator.attrs}
    found: list[Diagnostic] = []
    for attr, word in words_of(call):
        type_ = types.get(attr.key)
        nothing = word is attr.value and word.name in WORDS_FOR_NULL
        if type_ is None or (not nothing and ("dtype" in attr.key or word.name in LITERALS_OF_PYTHON)):
            continue  # an unknown attribute, which is reported as such, or a word that the parser reports
        message = f"{operator.name}: bad attribute `{attr.key}`: expected {describe_type(type_)}, found `{word.name}`"
        one = diag.op_attribute(attr, message)
        one.note(operator.signature)
        if nothing and accepts(type_, None):
            one.replace(word, "null", "write `null`", applicability=SAFE)
        elif nothing:
            one.helped("this attribute needs a value")
        elif accepts(type_, word.name):
            one.replace(word, f'"{word.name}"', "write the word as a string")
        else:
            one.helped("attributes are literals, known when the program is read")
        found.append(one)
    return found


def settle_nothing(operator: Signature, call: tree.Call, problems: Sequence[Problem]) -> None:
    """Note that `None` is to be `null` where the name of the attribute is wrong as well: `dim=None` is `axis=null`."""
    types = {spec.name: spec.type for spec in operator.attrs}
    nothing = {
        attr.key for attr, word in words_of(call) if word is attr.value and word.name in WORDS_FOR_NULL
    }
    for problem in problems:
        type_ = types.get(problem.nearest or "")
        if problem.attribute in nothing and type_ is not None and accepts(type_, None):
            problem.value = "null"


def by_position(operator: Signature, call: tree.Call) -> tuple[Diagnostic, list[tree.Attr]] | None:
    """Return the one mistake of a call that gives operands by name, and these; None if it gives none."""
    params = operator.params
    foreign = _by_other_names(operator, call)
    if foreign is not None:
        return foreign
    positions = {param.name: index for index, param in enumerate(params) if not param.variadic}
    crossed = _before_their_names(operator, call, positions)
    if crossed is not None:
        return crossed
    operands = [attr for attr in call.attrs if positions.get(attr.key, -1) >= len(call.args)]
    # A scalar that may be left out may also be given by its name, as a number.
    if not any(
        next(words_in(attr.value), None) or not _may_be_named(params[positions[attr.key]])
        for attr in operands
    ):
        return None
    found = _by_name(operator, operands)
    given = {positions[attr.key]: _written(attr.value, params[positions[attr.key]]) for attr in operands}
    last = max(given)
    gaps = [index for index in range(len(call.args), last) if index not in given]
    if any(not params[index].optional for index in gaps):
        missing = [f"`{params[index].name}`" for index in gaps if not params[index].optional]
        return found.helped(f"missing: {', '.join(missing)}"), operands
    texts = [given.get(index, "()") for index in range(len(call.args), last + 1)]
    title = f"write `{', '.join(texts)}`"
    in_order = [positions[attr.key] for attr in operands] == list(range(len(call.args), last + 1))
    if in_order and list(call.attrs[: len(operands)]) == operands:
        edits = [Edit(attr.pos, attr.end, text) for attr, text in zip(operands, texts, strict=True)]
        return found.fix(title, *edits, applicability=SAFE), operands
    others = [show(attr) for attr in call.attrs if attr not in operands]
    whole = Edit(call.attrs[0].pos, call.attrs[-1].end, ", ".join([*texts, *others]))
    # Between several attributes there may be comments.
    return found.fix(title, whole, applicability=SAFE if len(call.attrs) == 1 else UNSAFE), operands


def _by_other_names(operator: Signature, call: tree.Call) -> tuple[Diagnostic, list[tree.Attr]] | None:
    """Return the mistake of `add(lhs=x, rhs=y)`: all missing operands, under names of another library."""
    needed = [param for param in operator.params if not param.optional and not param.variadic]
    known = {spec.name for spec in operator.attrs} | {param.name for param in operator.params}
    given = [
        attr
        for attr in call.attrs
        if attr.key not in known and isinstance(attr.value, tree.DType) and next(words_in(attr.value), None)
    ]
    if not given or len(call.args) + len(given) != len(needed):
        return None
    found = _by_name(operator, given, ", without a name")
    if len(given) == 1 and call.args and given[0].key in _NAMES_OF_FIRST:
        return _reordered(found, call, [given[0], *call.args], given), given
    texts = ", ".join([show(attr.value) for attr in given])
    if list(call.attrs[: len(given)]) != given:
        return found.helped(f"write `{texts}` before the attributes"), given
    edits = [Edit(attr.pos, attr.value.pos, "") for attr in given]
    return found.fix(f"write `{texts}`, if this is their order", *edits), given


_NAMES_OF_FIRST = frozenset(("data", "input", "x", "a", "lhs", "x1", "self", "operand", "tensor"))
"""What libraries call the first operand."""


def _before_their_names(
    operator: Signature, call: tree.Call, positions: dict[str, int]
) -> tuple[Diagnostic, list[tree.Attr]] | None:
    """Return the mistake of `f(y, x=x)`, where `x` is the first operand: what comes by position are the others."""
    operands = [attr for attr in call.attrs if attr.key in positions and next(words_in(attr.value), None)]
    count = len(call.args) + len(operands)
    needed = [param for param in operator.params if not param.optional and not param.variadic]
    if all(positions[attr.key] >= len(call.args) for attr in operands) or count != len(needed):
        return None
    if max(positions[attr.key] for attr in operands) >= count:
        return None
    found = _by_name(operator, operands)
    by_name: dict[int, tree.Attr] = {positions[attr.key]: attr for attr in operands}
    rest = iter(call.args)
    order = [by_name[index] if index in by_name else next(rest) for index in range(count)]
    return _reordered(found, call, order, operands), operands


def _by_name(operator: Signature, given: Sequence[tree.Attr], how: str = "") -> Diagnostic:
    """Return the report of operands that are given by name."""
    keys = enumerated([f"`{attr.key}`" for attr in given], "and")
    what = "is an operand, which is" if len(given) == 1 else "are operands, which are"
    message = f"{keys} of {operator.name} {what} given by position{how}"
    return diag.op_attribute((given[0].pos, given[-1].end), message).note(operator.signature)


def _reordered(
    found: Diagnostic, call: tree.Call, order: Sequence[tree.Expr | tree.Attr], given: Sequence[tree.Attr]
) -> Diagnostic:
    """Offer operands in another order, those that are given by name among them."""
    texts = [show(one.value if isinstance(one, tree.Attr) else one) for one in order]
    title = f"write `{', '.join(texts)}`, if this is their order"
    if list(call.attrs[: len(given)]) != given:
        return found.helped(title)
    edits = [Edit(one.pos, one.end, text) for one, text in zip((*call.args, *given), texts, strict=True)]
    return found.fix(title, *edits)


def _may_be_named(param: Param) -> bool:
    return param.kind == "prim" and param.optional


def _written(value: tree.Literal, param: Param) -> str:
    """Return the value of an attribute as an operand: a list is a tuple, or a shape where one is asked for."""
    if not isinstance(value, tree.ListLit):
        return show(value)
    inner = ", ".join([show(item) for item in value.items])
    if param.kind == "shape":
        return f"shape({inner})"
    return f"({inner},)" if len(value.items) == 1 else f"({inner})"
