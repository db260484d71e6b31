"""Methods of values, as PyTorch and NumPy have them: `x.sum(axis=1)` is the call `sum(x, axis=1)`. [Y.7]

Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.format.lexemes import local_name
from relax_lang.format.printer import show
from relax_lang.ops import registry
from relax_lang.ops.core.attributes import attribute_values, check_call
from relax_lang.ops.foreign_forms import simplified
from relax_lang.ops.suggestions import suggest
from relax_lang.scope.calls.other_meanings import NOTES, is_settled, pair
from relax_lang.scope.calls.renamed_arguments import settle_arguments
from relax_lang.scope.unresolved.extents import declared_dims
from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.ops.suggestions import Suggestion
    from relax_lang.scope.context import Context

_THE_VALUE_ITSELF = frozenset(("clone", "contiguous", "copy", "cpu", "cuda", "detach", "numpy"))
"""Methods that only say where a value is: values never change, so that none has to be copied."""
_CONVERSIONS = frozenset(("astype", "to", "type"))
_OF_DTYPES = {"byte": "uint8", "char": "int8", "short": "int16"}


def settle(
    ctx: Context, call: tree.Call, op: tree.Op, receiver: tree.Expr, found: Diagnostic
) -> Sequence[tree.Expr]:
    """Make `x.sum(axis=1)` the call `sum(x, axis=1)`, if all of it is understood.

    `receiver` is what the method is called on: the first argument of the call, where that is not a variable. Returns
    the other arguments that are left to be resolved.
    """
    args = call.args[1:] if call.args and call.args[0] is receiver else call.args
    last = op.op_name.rpartition(".")[2]
    if _settle_dtype(ctx, call, args, receiver, last, found) or _settle_size(
        ctx, call, args, receiver, last, found
    ):
        return ()
    plain = last.rstrip("_") or last
    operator, suggestion = registry.lookup(plain), suggest(last, method=True)
    form = "" if suggestion is None or is_settled(plain, (receiver, *args), call.attrs) else suggestion.form
    if operator is None or _is_of_more(operator, args):
        suggestion = suggest(plain, method=True) if plain != last else suggestion
        only = None if suggestion is None else suggestion.only
        operator = registry.lookup(plain if only is None else only)
    if operator is None or form:
        _advise(suggestion, found)
        return args
    if operator.name in ("max", "min") and any(attr.key == "dim" for attr in call.attrs):
        pair(operator.name, found)
        return args
    shown = shown_receiver(receiver)
    if simplified(last) == "transpose" and len(args) == 2:
        exchange_axes(ctx, call, receiver, args, found)
        return args
    found.help = ""
    if op.pos == receiver.pos:
        found.note("variables have no methods and no fields")
    if last.endswith("_"):  # in place: to call the operator would have no effect
        variable = shown if isinstance(receiver, tree.Var) else "y"
        found.helped(
            f"no value changes; bind the one that you want: `let {variable} = {operator.name}({shown}, …);`"
        )
        return args
    if operator.name in NOTES:
        found.note(NOTES[operator.name])
    return _settle_call(ctx, call, op, (receiver, *args), operator, found)


def _settle_call(
    ctx: Context,
    call: tree.Call,
    op: tree.Op,
    operands: tuple[tree.Expr, ...],
    operator: registry.Operator,
    found: Diagnostic,
) -> Sequence[tree.Expr]:
    receiver, *args = operands
    begins = [ctx.parens.get(arg, (arg.pos, 0))[0] for arg in args[:1]] + [
        attr.pos for attr in call.attrs[:1]
    ]
    title = f"write `{operator.name}({shown_receiver(receiver)}{', …' if begins else ''})`"
    behind, stop = (", ", min(begins)) if begins else (")", call.end)
    found.fix(title, *_around(ctx, receiver, f"{operator.name}(", behind, stop))
    whole = tree.Call(op, operands, call.attrs, None, call.pos, call.end)
    rest = settle_arguments(ctx, whole, op, operator, found)
    wrong = check_call(operator, len(operands), attribute_values(call.attrs))
    left = [one for one in wrong if one.nearest is None]  # the others have another name now
    if any(rest is whole.args or one.attribute is not None for one in left):
        found.fixes.clear()  # it would lead to the next error
    if operator.name == "broadcast_to" and any(_integer(arg) == -1 for arg in args):
        found.fixes.clear()
        found.helped(f"write `broadcast_to({shown_receiver(receiver)}, shape(…))`, with all sizes")
    return [arg for arg in rest if arg is not receiver]


def shown_receiver(receiver: tree.Expr) -> str:
    """Return a variable as it is written, or an ellipsis for another value."""
    return local_name(receiver.name_hint) if isinstance(receiver, tree.Var) else "…"


def _advise(suggestion: Suggestion | None, found: Diagnostic) -> None:
    """Report what a method is here that is not one of our operators under another name."""
    if suggestion is None:
        return
    if suggestion.form:
        found.helped(suggestion.advice)
    elif suggestion.only is None:
        found.helped(f"{found.help}; {suggestion.question}" if found.help else suggestion.question)


def exchange_axes(
    ctx: Context, call: tree.Call, receiver: tree.Expr, args: Sequence[tree.Expr], found: Diagnostic
) -> None:
    """Offer `permute_dims` for two axes that change places, as in PyTorch: where the rank is known, all axes."""
    axes = _swapped(ctx, receiver, args)
    form = f"permute_dims({shown_receiver(receiver)}, axes={axes or '[…]'})"
    found.fixes.clear()
    found.helped("" if axes else f"write `{form}`, with all axes in their new order")
    if axes:
        found.fix(f"write `{form}`", Edit(call.pos, call.end, form))


def _dims_of(ctx: Context, receiver: tree.Expr) -> tuple[tree.PrimExpr, ...]:
    """Return the dimensions with which a variable is declared; () if that is not known."""
    if isinstance(receiver, tree.Var) and receiver.name_hint in ctx.variables:
        return declared_dims(ctx.variables[receiver.name_hint][0])
    return ()


def _settle_size(
    ctx: Context,
    call: tree.Call,
    args: Sequence[tree.Expr],
    receiver: tree.Expr,
    last: str,
    found: Diagnostic,
) -> bool:
    """Settle `x.size()`, `x.size(0)` and `x.dim()` of PyTorch; return whether it was one of them."""
    dims, shown = _dims_of(ctx, receiver), shown_receiver(receiver)
    if last in ("dim", "ndimension") and not args:
        found.helped(
            f"the rank of a tensor is known: that of `{shown}` is {len(dims)}" if dims else found.help
        )
        return True
    if last != "size" or len(args) > 1 or call.attrs:
        return False
    if not args:
        found.help = ""
        found.fix(f"write `shape_of({shown})`", *_around(ctx, receiver, "shape_of(", ")", call.end))
        return True
    axis = _integer(args[0])
    if axis is None or not -len(dims) <= axis < len(dims):
        found.helped("extents have names: a match_cast of the tensor gives them some")
        return True
    form = f"scalar({show(dims[axis])})"
    found.help = ""
    found.fix(f"that extent is `{show(dims[axis])}`; as a value, `{form}`", Edit(call.pos, call.end, form))
    return True


def _is_of_more(operator: registry.Operator, args: Sequence[tree.Expr]) -> bool:
    """Return whether a method is given values that the operator of its name does not take: `x.max(y)`."""
    values = [arg for arg in args if isinstance(arg, tree.Var | tree.Call)]
    return 1 + len(values) > len(operator.params) and not operator.params[-1].variadic


def _swapped(ctx: Context, receiver: tree.Expr, args: Sequence[tree.Expr]) -> str:
    """Return all axes, in their new order, for `x.transpose(1, 2)` of PyTorch; empty if they are not known.

    With two axes NumPy means something else, with more of them it takes all of them.
    """
    dims = _dims_of(ctx, receiver)
    given = [_integer(arg) for arg in args]
    if len(dims) < 3 or any(axis is None or not -len(dims) <= axis < len(dims) for axis in given):
        return ""
    axes = list(range(len(dims)))
    first, second = [axis for axis in given if axis is not None]
    axes[first], axes[second] = axes[second], axes[first]
    return str(axes)


def _integer(arg: tree.Expr) -> int | None:
    """Return the number that an argument is, with its sign."""
    if isinstance(arg, tree.UnaryOp) and arg.op == "-":
        number = _integer(arg.operand)
        return None if number is None else -number
    if isinstance(arg, tree.Constant) and arg.dtype is None and isinstance(arg.data, tree.IntLit):
        return arg.data.value
    return None


def _settle_dtype(
    ctx: Context,
    call: tree.Call,
    args: Sequence[tree.Expr],
    receiver: tree.Expr,
    last: str,
    found: Diagnostic,
) -> bool:
    """Settle `x.float()`, `x.to(torch.int8)` and `x.clone()`; return whether it was one of them."""
    if call.attrs or len(args) > 1:
        return False
    shown = shown_receiver(receiver)
    if not args and last in _THE_VALUE_ITSELF:
        found.help = ""
        found.note("a value never changes, and is where the operators need it")
        found.fix(f"write `{shown}`", Edit(ctx.parens.get(receiver, (0, receiver.end))[1], call.end, ""))
        return True
    dtype = None
    if args and last in _CONVERSIONS:
        word = args[0].op_name if isinstance(args[0], tree.Op) else getattr(args[0], "name_hint", "")
        dtype = foreign_words.dtype_of(word) or foreign_words.dtype_with_prefix(word)
    elif not args:
        dtype = _OF_DTYPES.get(last) or foreign_words.dtype_of(last)
    if dtype is None:
        return False
    found.help = ""
    edits = _around(ctx, receiver, "astype(", f", dtype={dtype})", call.end)
    found.fix(f"write `astype({shown}, dtype={dtype})`", *edits)
    return True


def _around(ctx: Context, receiver: tree.Expr, before: str, behind: str, stop: int) -> tuple[Edit, Edit]:
    """Return the edits that put texts around a value, without its parentheses; what is behind it up to `stop` goes."""
    start = ctx.parens.get(receiver, (receiver.pos, 0))[0]
    return Edit(start, receiver.pos, before), Edit(receiver.end, stop, behind)
