"""Calls with too many or too few operands: one report, with what was probably meant. [OP.2] [Z.5]

`maximum` of two tensors, where `max` reduces one; a tuple, where its fields are given one by one; an attribute that is
given by position and is not a literal. Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import UNSAFE, Edit
from relax_lang.base.wording import enumerated
from relax_lang.ops.core.attributes import accepts, describe_type, literal_value
from relax_lang.ops.core.diagnostics import calls as diag
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.ops.core.attributes import Problem
    from relax_lang.ops.core.signature import Signature

OF_TWO = {"max": "maximum", "min": "minimum"}
"""Operators that reduce one tensor, and those of the same meaning over two."""


def diagnose(
    operator: Signature, call: tree.Call, problem: Problem, names: Mapping[str | None, str]
) -> Diagnostic:
    """Return the `arity` diagnostic of a call, whose message is that of `problem`.

    `names` are those that attributes of the call have here.
    """
    found = _diagnose(operator, call, problem, {attr.key for attr in call.attrs} | {*names.values()})
    other = [f"`{given}` is `{name}` here" for given, name in names.items()]
    return found.helped("; ".join([*([found.help] if found.help else []), *other]))


def _diagnose(operator: Signature, call: tree.Call, problem: Problem, given: set[str]) -> Diagnostic:
    found = diag.arity(call, problem.message).note(operator.signature)
    missing = [spec for spec in operator.attrs if spec.required and spec.name not in given]
    extra = call.args[len(operator.params) :]
    if not extra:
        return _too_few(found, operator, call, [spec.name for spec in missing])
    if operator.name in OF_TWO and len(call.args) == 2 and not _is_integer(extra[0]):
        other = OF_TWO[operator.name]
        return found.replace(call.op, other, f"of two tensors, element by element, it is `{other}(a, b)`")
    literals = [arg for arg in extra if _is_literal(arg)]
    if len(operator.params) == 1 and operator.params[0].kind == "tensors" and len(literals) < len(extra):
        if literals:
            return found.helped(f"give the tensors as one tuple: `{operator.name}((a, b), …)`")
        edits = Edit(call.args[0].pos, call.args[0].pos, "("), Edit(call.args[-1].end, call.args[-1].end, ")")
        return found.fix("give the tensors as one tuple", *edits, applicability=UNSAFE)
    if missing:
        kind = describe_type(missing[0].type)
        name = missing[0].name
        return found.helped(f"`{name}` is given by name, as a literal: `{name}=…`, {kind}")
    free = [spec for spec in operator.attrs if spec.name not in given]
    if len(literals) == len(extra) and free and _may_be_value(extra[0], free[0].type):
        return found.helped(f"attributes are given by name, such as `{free[0].name}=`")
    return found


def _too_few(found: Diagnostic, operator: Signature, call: tree.Call, attributes: list[str]) -> Diagnostic:
    operands = [param for param in operator.params[len(call.args) :] if not param.optional]
    names = [f"`{param.name}`" for param in operands if not param.variadic]
    names += [f"the attribute `{name}=…`" for name in attributes]
    return found.helped(f"missing: {enumerated(names, 'and')}") if names else found


def _is_integer(arg: tree.Expr) -> bool:
    if isinstance(arg, tree.UnaryOp) and arg.op == "-":
        arg = arg.operand
    return isinstance(arg, tree.Constant) and isinstance(arg.data, tree.IntLit)


def _may_be_value(arg: tree.Expr, type_: str) -> bool:
    if isinstance(arg, tree.Constant) and arg.dtype is None:
        return accepts(type_, literal_value(arg.data))
    return True


def _is_literal(arg: tree.Expr) -> bool:
    """Return whether an operand could be the value of an attribute."""
    if isinstance(arg, tree.UnaryOp) and arg.op == "-":
        arg = arg.operand
    if isinstance(arg, tree.Tuple):
        return all(_is_literal(field) for field in arg.fields)
    return isinstance(arg, tree.Constant) or (isinstance(arg, tree.Var) and arg.name_hint in DTYPES)
