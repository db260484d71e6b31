"""Arguments of operators in a form that the call cannot have: attributes without their names, tuples for shapes. [Y.7]

`sum(x, 1)` is `sum(x, axis=1)`, `zeros((2, 3), float32)` is `zeros(shape(2, 3), dtype=float32)`. All of one call is one
mistake with one fix, which is safe: nothing else could be meant. Only imported for such a call.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.base.wording import enumerated
from relax_lang.format.printer import show
from relax_lang.ops import registry
from relax_lang.ops.core.attributes import accepts, names_word
from relax_lang.ops.core.diagnostics import calls as diag
from relax_lang.ops.core.diagnostics.argument_counts import OF_TWO
from relax_lang.ops.core.signature import DTypeName, show_value
from relax_lang.scope.sizes.dims import resolve_integer
from relax_lang.scope.sizes.scalar_operands import as_dimension
from relax_lang.scope.sizes.size_operands import may_be_dimension
from relax_lang.scope.unresolved.extents import declared_extent
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary import foreign_words
from relax_lang.syntax.vocabulary.operators import DIMENSION_INFIX
from relax_lang.syntax.vocabulary.words import LITERALS_OF_PYTHON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.scope.context import Context

    Read = tuple[Any, tuple[str, str]]  # the value, and the brackets that its text needs
    Named = dict[str, tuple[tree.Expr, Any, tuple[str, str]]]

_NONE = ("", "")


def report(ctx: Context, call: tree.Call, name: str) -> list[tree.Expr] | None:
    """Report the misplaced arguments of a call of the operator of that name, if all of them are understood.

    Returns the arguments that are left to be resolved; None if nothing was reported.
    """
    operator = registry.lookup(name)
    reported = [arg for arg in call.args if arg in ctx.losses.strings or arg in ctx.losses.nulls]
    if operator is None or (call in ctx.resolved.rejected and not reported):
        return None
    values = {param.name for param in operator.params if param.kind != "prim"}
    if not values.isdisjoint([attr.key for attr in call.attrs]):
        return None  # operands are given by name, so that the others may have another place
    tuples = _tuples(ctx, call, operator)
    if tuples is not None:
        return tuples
    spread = _spread(ctx, call, operator)
    if spread is not None:
        return spread
    exchanged = _exchanged(ctx, call, operator)
    if exchanged is not None:
        return exchanged
    named, first = attributes_by_position(ctx, call, operator)
    shapes = [
        arg
        for param, arg in zip(operator.params, call.args[:first], strict=False)
        if param.kind == "shape" and _is_dims(ctx, arg) and not (param.optional and not _fields(arg))
    ]
    if (named is None and len(call.args) > first) or not (named or shapes):
        return None
    found = _diagnostic(ctx, call, operator, named or {}, shapes)
    given = [arg for arg, _, _ in (named or {}).values()]
    reported = [arg for arg in given if arg in reported]
    reported += [arg for arg in (*given, *shapes) if arg in ctx.losses.lists]
    if reported:  # that they are not values is not a separate mistake
        found.data["rewritten"] = frozenset([(arg.pos - found.pos, arg.end - found.pos) for arg in reported])
    ctx.resolved.diagnostics.append(found)
    ctx.resolved.rejected.add(call)
    for shape in shapes:
        for dim in shape.fields if isinstance(shape, tree.Tuple) else (shape,):
            if declared_extent(ctx, dim) is None:
                resolve_integer(ctx, as_dimension(ctx, dim))
    kept = [arg for arg in call.args[:first] if not any(arg is shape for shape in shapes)]
    return [arg for arg in _values(ctx, operator, call.args[:first]) if any(arg is one for one in kept)]


def _values(ctx: Context, operator: registry.Operator, args: Sequence[tree.Expr]) -> list[tree.Expr]:
    """Return the arguments that are values; the names in sizes that an operator takes are resolved."""
    found: list[tree.Expr] = []
    for index, arg in enumerate(args):
        is_scalar = index < len(operator.params) and operator.params[index].kind in ("prim", "prims")
        if not is_scalar or not _is_dims(ctx, arg) or any(declared_extent(ctx, dim) for dim in _fields(arg)):
            found.append(arg)
            continue
        for dim in _fields(arg):
            resolve_integer(ctx, as_dimension(ctx, dim))
    return found


def _fields(arg: tree.Expr) -> tuple[tree.Expr, ...]:
    return arg.fields if isinstance(arg, tree.Tuple) else (arg,)


def _tuples(ctx: Context, call: tree.Call, operator: registry.Operator) -> list[tree.Expr] | None:
    """Report lists for tuples of scalars: `strided_slice(x, [0], [1], [2])`."""
    params = operator.params
    lists = [
        arg
        for param, arg in zip(params, call.args, strict=False)
        if param.kind == "prims" and isinstance(arg, tree.Tuple) and arg in ctx.losses.lists
    ]
    if not lists or len(call.args) > len(params) or not all(_is_dims(ctx, one) for one in lists):
        return None
    edits: list[Edit] = []
    for one in lists:
        comma = "," if len(one.fields) == 1 else ""
        edits += [Edit(one.pos, one.pos + 1, "("), Edit(one.end - 1, one.end, f"{comma})")]
    number = call.args.index(lists[0]) + 1
    found = diag.op_argument(
        lists[0], f"argument {number} of {operator.name} is a tuple, which is written in parentheses"
    )
    for one in lists[1:]:
        found.label(one, "so is this")
    ctx.resolved.diagnostics.append(found.fix("write tuples", *edits, applicability=SAFE))
    ctx.resolved.rejected.add(call)
    return _values(ctx, operator, call.args)


def _exchanged(ctx: Context, call: tree.Call, operator: registry.Operator) -> list[tree.Expr] | None:
    """Report a size and a shape that have each other's place: `builtin.alloc_tensor(0, shape(n))`."""
    pairs = list(zip(operator.params, call.args, strict=False))
    shapes = [arg for param, arg in pairs if param.kind == "prim" and isinstance(arg, tree.ShapeExpr)]
    sizes = [
        arg
        for param, arg in pairs
        if param.kind == "shape" and not isinstance(arg, tree.Tuple) and _is_dim(ctx, arg)
    ]
    if len(shapes) != 1 or len(sizes) != 1 or len(call.args) > len(operator.params):
        return None
    size, shape = sizes[0], shapes[0]
    numbers = sorted(next(at for at, arg in enumerate(call.args, 1) if arg is one) for one in (size, shape))
    message = f"arguments {numbers[0]} and {numbers[1]} of {operator.name} are the other way round"
    found = diag.op_argument(size, message).note(operator.signature)
    found.label(size, "this is a number").label(shape, "this is a shape")
    places = ctx.parens.get(size, (size.pos, size.end)), ctx.parens.get(shape, (shape.pos, shape.end))
    edits = Edit(*places[0], show(shape)), Edit(*places[1], show(as_dimension(ctx, size)))
    ctx.resolved.diagnostics.append(found.fix("exchange the arguments", *edits))
    ctx.resolved.rejected.add(call)
    resolve_integer(ctx, as_dimension(ctx, size))
    return [arg for arg in call.args if arg is not size]


def _spread(ctx: Context, call: tree.Call, operator: registry.Operator) -> list[tree.Expr] | None:
    """Report sizes or axes that are given one by one: `reshape(x, 3, 2)`, `permute_dims(x, 1, 0)`."""
    args, params = call.args, operator.params
    if len(args) <= len(params) or (params and params[-1].variadic):
        return None
    at = len(params)
    if params and params[-1].kind == "shape" and len(args) > len(params):
        at -= 1
    rest = args[at:]
    name = operator.name
    if at < len(params) and len(rest) > 1 and all(_is_dim(ctx, arg) for arg in rest):
        form = show(tree.ShapeExpr(tuple([as_dimension(ctx, arg) for arg in rest])))
        found = diag.op_argument((rest[0].pos, rest[-1].end), f"argument {at + 1} of {name} is a shape")
        before, after = "shape(", ")"
    else:
        read = [_literal(ctx, arg) for arg in rest]
        values = [one[0] for one in read if one is not None]
        free = [spec for spec in operator.attrs if all(attr.key != spec.name for attr in call.attrs)]
        if not free or len(values) < len(rest) or len(rest) < 2:
            return None
        spec = free[0]
        if not accepts(spec.type, values) or accepts(spec.type, values[0]):
            return None
        form = f"{spec.name}={show_value(values)}"
        found = diag.op_attribute((rest[0].pos, rest[-1].end), f"`{spec.name}` of {name} is a list")
        before, after = f"{spec.name}=[", "]"
    start, stop = ctx.parens.get(rest[0], (rest[0].pos, 0))[0], rest[-1].end
    stop = ctx.parens.get(rest[-1], (0, stop))[1]
    edits = Edit(start, start, before), Edit(stop, stop, after)
    ctx.resolved.diagnostics.append(found.fix(f"write `{form}`", *edits, applicability=SAFE))
    ctx.resolved.rejected.add(call)
    for arg in rest:
        if not isinstance(arg, tree.Constant):
            resolve_integer(ctx, as_dimension(ctx, arg))
    return list(args[:at])


def _diagnostic(
    ctx: Context,
    call: tree.Call,
    operator: registry.Operator,
    named: Named,
    shapes: list[tree.Expr],
) -> Diagnostic:
    name = operator.name
    edits: list[Edit] = []
    for key, (arg, value, brackets) in named.items():
        pos, end = ctx.parens.get(arg, (arg.pos, arg.end))
        if isinstance(arg, tree.Op | tree.Missing) or _is_rewritten(
            ctx, arg
        ):  # `np.float32`, `"float32"`, `True`
            edits.append(Edit(pos, end, f"{key}={show_value(value)}"))
            continue
        inside = 1 if brackets[0] else 0  # parentheses of the author's, or those of a tuple, go
        edits.append(Edit(pos, arg.pos + inside, f"{key}={brackets[0]}"))
        if end > arg.end or inside:
            edits.append(Edit(arg.end - inside, end, brackets[1]))
    for shape in shapes:
        edits += _shape_edits(ctx, shape)
    if named:
        keys = [f"`{key}`" for key in named]
        what = "is an attribute, which is" if len(keys) == 1 else "are attributes, which are"
        message = f"{enumerated(keys, 'and')} of {name} {what} given by name"
        arg = next(iter(named.values()))[0]
        found = diag.op_attribute((arg.pos, arg.end), message)
        shown = [f"{key}={show_value(value)}" for key, (_, value, _) in named.items()]
        title = f"write `{', '.join(shown)}`"
        for shape in shapes:
            found.label(shape, "a shape is written `shape(…)`")
    else:
        place = shapes[0]
        number = call.args.index(place) + 1
        given = "a tuple" if isinstance(place, tree.Tuple) else "a number"
        given = "a list" if place in ctx.losses.lists else given
        found = diag.op_argument(place, f"argument {number} of {name} must be a shape, not {given}")
        fields = place.fields if isinstance(place, tree.Tuple) else (place,)
        dims = tuple([declared_extent(ctx, field) or as_dimension(ctx, field) for field in fields])
        title = f"write `{show(tree.ShapeExpr(dims))}`"
    if name in OF_TWO and len(call.args) == 2:  # `max(x, 0)` has no axis in Python
        found.helped(f"of two tensors, element by element, it is `{OF_TWO[name]}(a, b)`")
        found.data["may_be_size"] = all(_is_dim(ctx, arg) for arg in call.args)
        return found.fix(f"{title}, if an axis is meant", *edits, applicability=UNSAFE)
    given = {*named, *[attr.key for attr in call.attrs]}
    lacking = [f"`{spec.name}`" for spec in operator.attrs if spec.required and spec.name not in given]
    if lacking:
        return found.fix(f"{title}, and give {enumerated(lacking, 'and')}", *edits, applicability=UNSAFE)
    if not _is_certain(call, operator, named):
        return found.fix(f"{title}, if that is meant", *edits, applicability=UNSAFE)
    if not all(_is_whole_shape(ctx, call, operator, shape) for shape in shapes):
        return found.fix(f"{title}, if this is all of the shape", *edits, applicability=UNSAFE)
    return found.fix(title, *edits, applicability=SAFE)


def _is_certain(call: tree.Call, operator: registry.Operator, named: Named) -> bool:
    """Return whether every attribute is at its place in the order of the signature, or no other takes its value."""
    taken = {attr.key for attr in call.attrs}
    for spec, (key, (_, value, _)) in zip(operator.attrs, named.items(), strict=False):
        free = [one.name for one in operator.attrs if one.name not in taken and accepts(one.type, value)]
        types = [one.type for one in operator.attrs if one.name == key]
        is_word = isinstance(value, str) and names_word(types[0], value)
        if spec.name != key and len(free) > 1 and not is_word:
            return False
        taken.add(key)
    return True


def _is_whole_shape(ctx: Context, call: tree.Call, operator: registry.Operator, shape: tree.Expr) -> bool:
    """Return whether what comes after a lone size is not one of the same shape: `builtin.alloc_tensor(4, 1)`."""
    at = next(index for index, arg in enumerate(call.args) if arg is shape)
    if isinstance(shape, tree.Tuple) or at + 1 >= min(len(call.args), len(operator.params)):
        return True
    return not operator.params[at + 1].optional or not _is_dim(ctx, call.args[at + 1])


def _is_rewritten(ctx: Context, arg: tree.Expr) -> bool:
    """Return whether the text is not that of the value: a dtype in quotes, a word of Python, `null`."""
    return arg in ctx.losses.nulls or (
        isinstance(arg, tree.Var)
        and (arg.name_hint in LITERALS_OF_PYTHON or arg.end - arg.pos > len(arg.name_hint))
    )


def _shape_edits(ctx: Context, shape: tree.Expr) -> list[Edit]:
    """Return the edits that write a tuple, a list or a number as a shape, and extents by their names."""
    edits: list[Edit] = []
    for field in shape.fields if isinstance(shape, tree.Tuple) else (shape,):
        extent = declared_extent(ctx, field)
        if extent is not None:
            edits.append(Edit(field.pos, field.end, show(extent)))
    if shape in ctx.losses.lists:
        edits += [Edit(shape.pos, shape.pos + 1, "shape("), Edit(shape.end - 1, shape.end, ")")]
    elif isinstance(shape, tree.Tuple):
        edits.append(Edit(shape.pos, shape.pos, "shape"))
        if len(shape.fields) == 1:  # without the comma, which only a tuple needs
            field = shape.fields[0]
            edits.append(Edit(ctx.parens.get(field, (0, field.end))[1], shape.end, ")"))
    elif shape in ctx.parens:
        pos, _ = ctx.parens[shape]
        edits.append(Edit(pos, pos, "shape"))
    else:
        edits += [Edit(shape.pos, shape.pos, "shape("), Edit(shape.end, shape.end, ")")]
    return edits


def attributes_by_position(
    ctx: Context, call: tree.Call, operator: registry.Operator
) -> tuple[Named | None, int]:
    """Return the arguments that are attributes, by their names, and how many arguments come before them.

    None for the former if there are arguments too many that no attribute takes.
    """
    args = call.args
    params = operator.params
    first = len(args) if params and params[-1].variadic else min(len(args), len(params))
    while first and (_dtype(ctx, args[first - 1]) is not None or _is_string(ctx, args[first - 1])):
        first -= 1
    free = [spec for spec in operator.attrs if all(attr.key != spec.name for attr in call.attrs)]
    found: Named = {}
    for arg in args[first:]:
        read = _literal(ctx, arg)
        if read is None:
            return None, first
        value, brackets = read
        if isinstance(value, str):  # one of the words that an attribute takes, rather than any string
            word = next((spec for spec in free if names_word(spec.type, value)), None)
            free = free if word is None else free[free.index(word) :]
        while free and not accepts(free[0].type, value):
            free.pop(0)
        if not free:
            return None, first
        found[free.pop(0).name] = arg, value, brackets
    return found, first


def _dtype(ctx: Context, arg: tree.Expr) -> DTypeName | None:
    """Return the dtype that a name means that is not a variable."""
    if isinstance(arg, tree.Op):
        name = foreign_words.dtype_with_prefix(arg.op_name)
        return None if name is None else DTypeName(name)
    if not isinstance(arg, tree.Var) or arg.name_hint not in DTYPES:
        return None
    return None if arg.name_hint in ctx.variables or arg.name_hint in ctx.shapes else DTypeName(arg.name_hint)


def _literal(ctx: Context, arg: tree.Expr) -> Read | None:
    """Return an expression as the value of an attribute, and the brackets that its text needs as one."""
    if isinstance(arg, tree.Constant) and arg.dtype is None:
        data = arg.data
        is_plain = isinstance(data, tree.IntLit | tree.FloatLit | tree.BoolLit)
        return (data.value, _NONE) if is_plain else None
    if isinstance(arg, tree.UnaryOp) and arg.op == "-":
        inner = _literal(ctx, arg.operand) if isinstance(arg.operand, tree.Constant) else None
        is_number = inner is not None and not isinstance(inner[0], bool)
        return (-inner[0], _NONE) if inner is not None and is_number else None
    if arg in ctx.losses.nulls:
        return None, _NONE
    if isinstance(arg, tree.Tuple):
        fields = [_literal(ctx, field) for field in arg.fields]
        known = [field[0] for field in fields if field is not None]
        if len(known) < len(fields) or any(field in ctx.parens for field in arg.fields):
            return None
        return known, ("[", "]")
    if (
        isinstance(arg, tree.Var)
        and arg.name_hint in LITERALS_OF_PYTHON
        and arg.name_hint not in ctx.variables
    ):
        return LITERALS_OF_PYTHON[arg.name_hint], _NONE
    string = ctx.losses.strings.get(arg)
    if string is not None:
        word, is_text = string[1:-1], "\\" not in string and _is_string(ctx, arg)
        return (DTypeName(word) if word in DTYPES else word, _NONE) if is_text else None
    dtype = _dtype(ctx, arg)
    return None if dtype is None else (dtype, _NONE)


def _is_string(ctx: Context, arg: tree.Expr) -> bool:
    """Return whether an argument is a string that is not the name of a variable in quotes."""
    string = ctx.losses.strings.get(arg)
    return string is not None and string[1:-1] not in ctx.variables


def _is_dims(ctx: Context, arg: tree.Expr) -> bool:
    """Return whether an expression reads as a shape: a tuple of dimension expressions, or one of them."""
    if isinstance(arg, tree.Tuple):
        return all(_is_dim(ctx, field) or declared_extent(ctx, field) is not None for field in arg.fields)
    return _is_dim(ctx, arg)


def _is_dim(ctx: Context, node: tree.Expr) -> bool:
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, tree.Var):
            if part.name_hint in ctx.variables or (part is node and part.name_hint not in ctx.shapes):
                return False
        elif isinstance(part, tree.Constant):
            if part.dtype is not None or not isinstance(part.data, tree.IntLit):
                return False
        elif isinstance(part, tree.UnaryOp) and part.op == "-":
            todo.append(part.operand)
        elif isinstance(part, tree.BinaryOp) and part.op in DIMENSION_INFIX:
            todo += [part.lhs, part.rhs]
        elif isinstance(part, tree.Call) and may_be_dimension(part):
            todo += part.args
        else:
            return False
    return True
