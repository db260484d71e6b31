"""Checks of a call that need no arguments: their number, and the attributes. [OP.2] [OP.4]

`check_call` returns problems as data; `call_diagnostics` gives them spans in the text. A scalar
parameter that may be left out may also be given by its name: `tril(x, k=1)` is `tril(x, 1)`.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.base.wording import counted, enumerated
from relax_lang.ops.core.dtypes import CLASSES
from relax_lang.ops.core.signature import DTypeName, show_value, split_top
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from relax_lang.ops.core.signature import AttrSpec, Signature


class Problem:
    """A mistake in a call: slug, message, the attribute it is about (or None), and the likeliest fix."""

    __slots__ = ("attribute", "help", "message", "nearest", "slug", "value")

    def __init__(
        self,
        slug: str,
        message: str,
        attribute: str | None = None,
        advice: str = "",
        nearest: str | None = None,
        value: str | None = None,
    ) -> None:
        self.slug = slug
        self.message = message
        self.attribute = attribute
        self.help = advice
        self.nearest = nearest
        """The name that the attribute has here."""
        self.value = value
        """What its value is to be."""

    def __repr__(self) -> str:
        """Show slug and message."""
        return f"{self.slug}: {self.message}"


def check_call(operator: Signature, n_args: int, attrs: Mapping[str, object]) -> list[Problem]:
    """Return what is wrong with a call of `n_args` positional arguments and these attributes. [OP.2] [OP.4]"""
    problem = arity_problem(operator, n_args, attrs)
    return ([problem] if problem else []) + attribute_problems(operator, n_args, attrs)


def attribute_values(attrs: Iterable[tree.Attr]) -> dict[str, Any]:
    """Return the attributes of a call as Python values; dtypes become `DTypeName`. [G.35]"""
    return {attr.key: literal_value(attr.value) for attr in attrs}


def has_words(call: tree.Call) -> bool:
    """Return whether the value of an attribute is or holds a name that is not a dtype, so not a literal either."""
    return bool(call.attrs) and next(words_of(call), None) is not None


def words_of(call: tree.Call) -> Iterator[tuple[tree.Attr, tree.DType]]:
    """Yield the attributes with names where literals belong, each with the name."""
    for attr in call.attrs:
        for word in words_in(attr.value):
            yield attr, word


def words_in(value: tree.Literal) -> Iterator[tree.DType]:
    """Yield the names in the value of an attribute that are not dtypes."""
    todo = [value]
    while todo:
        item = todo.pop()
        if type(item) is tree.ListLit:
            todo += reversed(item.items)
        elif type(item) is tree.MapLit:
            todo += reversed([one.value for one in item.items])
        elif type(item) is tree.DType and item.name not in DTYPES:
            yield item


def literal_value(literal: tree.Literal) -> Any:
    """Return a literal as a Python value; `file(…)`, which is not the value of an attribute, is returned unchanged."""
    match literal:
        case tree.IntLit() | tree.StrLit() | tree.BoolLit() | tree.FloatLit():
            return literal.value
        case tree.ListLit():  # the parser bounds how deep they nest
            return [literal_value(item) for item in literal.items]
        case tree.DType():
            return DTypeName(literal.name)
        case tree.MapLit():
            return {one.key: literal_value(one.value) for one in literal.items}
        case tree.NullLit():
            return None
        case tree.FileLit():
            return literal
        case _:
            return assert_never(literal)


def move_scalars(
    operator: Signature, args: Sequence[object], attrs: Mapping[str, object]
) -> tuple[Sequence[object], Mapping[str, object]]:
    """Move scalar operands that are given by name to their position: `tril(x, k=1)` becomes `tril(x, 1)`."""
    moved = [name for name in attrs if name in _named_scalars(operator, len(args))]
    if not moved:
        return args, attrs
    given = [*args, *[None] * (len(operator.params) - len(args))]
    for index, param in enumerate(operator.params):
        if param.name in moved:
            given[index] = attrs[param.name]
    return given, {name: value for name, value in attrs.items() if name not in moved}


def _named_scalars(operator: Signature, n_args: int) -> list[str]:
    return [param.name for param in operator.params[n_args:] if param.kind == "prim" and param.optional]


def arity_problem(operator: Signature, n_args: int, named: Iterable[str]) -> Problem | None:
    """Return what is wrong with the number of positional arguments, if anything. [OP.2]"""
    params = operator.params
    fewest = len([param for param in params if not param.optional and not param.variadic])
    variadic = bool(params) and params[-1].variadic
    if fewest <= n_args and (variadic or n_args <= len(params)):
        return None
    if variadic:
        wanted = f"at least {counted(fewest, 'argument')}"
    elif fewest == len(params):
        wanted = counted(fewest, "argument")
    else:
        wanted = f"{fewest} to {counted(len(params), 'argument')}"
    message = f"{operator.name} takes {wanted}, {n_args} {'is' if n_args == 1 else 'are'} given"
    attr_names = {spec.name for spec in operator.attrs}
    if n_args > len(params) and attr_names - set(named):
        last = next(spec.name for spec in operator.attrs if spec.name not in named)
        return Problem("arity", message, advice=f"attributes are given by name, such as `{last}=`")
    missing = [f"`{param.name}`" for param in params[n_args:] if not param.optional and not param.variadic]
    return Problem("arity", message, advice=f"missing: {', '.join(missing)}" if missing else "")


def attribute_problems(operator: Signature, n_args: int, attrs: Mapping[str, object]) -> list[Problem]:
    """Return the attributes that are unknown, missing, or of a wrong value. [OP.4]"""
    specs = {spec.name: spec for spec in operator.attrs}
    scalars = _named_scalars(operator, n_args)
    found: list[Problem] = []
    for name, value in attrs.items():
        if name in scalars:
            if not isinstance(value, bool | int | float):
                found.append(_bad_value(operator, name, "a number", value))
        elif name not in specs:
            found.append(_unknown(operator, name, [*specs, *scalars], specs, value))
        elif not accepts(specs[name].type, value):
            type_ = specs[name].type
            found.append(_bad_value(operator, name, describe_type(type_), value, _words_of(type_)))
    missing = [spec for name, spec in specs.items() if spec.required and name not in attrs]
    unknown = [name for name in attrs if name not in specs and name not in scalars]
    if len(missing) == len(unknown) == 1 and accepts(missing[0].type, attrs[unknown[0]]):
        # One mistake: the attribute has another name.
        meant = missing[0].name
        found = [problem for problem in found if problem.attribute != unknown[0]]
        message = f"{operator.name}: unknown attribute `{unknown[0]}`"
        return [*found, Problem("op-attribute", message, unknown[0], f"write `{meant}`", meant)]
    for spec in missing:
        name = spec.name
        if not unknown:
            help_ = f"write `{name}=…`: {describe_type(spec.type)}"
            found.append(Problem("op-attribute", f"{operator.name}: missing attribute `{name}`", None, help_))
    return found


_OTHER_NAMES = {
    "dim": ("axis", "axes"),
    "dims": ("axes", "axis"),
    "keepdim": ("keepdims",),
    "keep_dims": ("keepdims",),
    "p": ("rate",),
    "eps": ("epsilon",),
    "kernel_size": ("pool_size",),
    "perm": ("axes",),
    "num_groups": ("num_groups",),
    "type": ("dtype",),
    "to": ("dtype",),
    "diagonal": ("k",),
    "num_classes": ("depth",),
    "negative_slope": ("alpha",),
    "kernel_shape": ("pool_size",),
}
"""What PyTorch, NumPy and ONNX call attributes."""


def _unknown(
    operator: Signature, name: str, known: list[str], specs: Mapping[str, AttrSpec], value: Any
) -> Problem:
    from relax_lang.base.names import nearest

    message = f"{operator.name}: unknown attribute `{name}`"
    close = next((one for one in _OTHER_NAMES.get(name, ()) if one in known), None) or nearest(name, known)
    for index, param in enumerate(operator.params):
        if param.name == name:
            return Problem(
                "op-attribute", message, name, f"`{name}` is argument {index + 1}: give it by position"
            )
    spec = None if close is None else specs.get(close)
    if spec is not None and type(value) in (list, int) and not accepts(spec.type, value):
        only = value[0] if type(value) in (list,) and len(value) == 1 else None
        if type(only) is int and accepts(spec.type, only):
            return Problem("op-attribute", message, name, "", close, str(only))
        advice = f"the attribute is `{close}` here: {describe_type(spec.type)}"
        return Problem("op-attribute", message, name, advice)
    if close is not None:
        return Problem("op-attribute", message, name, "", close)
    shown = ", ".join([f"`{each}`" for each in known])
    return Problem(
        "op-attribute", message, name, f"it has {shown}" if shown else f"{operator.name} has no attributes"
    )


def _words_of(type_: str) -> list[str]:
    """Return the strings that a type takes, each as itself."""
    return [one.strip()[1:-1] for one in split_top(type_, "|") if one.strip().startswith('"')]


def _bad_value(
    operator: Signature, name: str, wanted: str, value: object, words: Sequence[str] = ()
) -> Problem:
    message = f"{operator.name}: bad attribute `{name}`: expected {wanted}, found {_shown(value)}"
    if isinstance(value, str) and not isinstance(value, DTypeName) and value in DTYPES and "dtype" in wanted:
        return Problem(
            "op-attribute", message, name, f"dtypes are written without quotes: `{value}`", value=value
        )
    if isinstance(value, str) and words:
        from relax_lang.base.names import nearest

        lower = {word.lower(): word for word in words}
        close = lower.get(value.lower()) or nearest(value, list(words))
        return Problem("op-attribute", message, name, f'did you mean `"{close}"`?' if close else "")
    return Problem("op-attribute", message, name)


def _shown(value: object) -> str:
    return "`file(…)`" if isinstance(value, tree.Node) else f"`{show_value(value)}`"


def accepts(type_: str, value: object) -> bool:
    """Return whether a value is of a type that a signature names; see `core.signature`."""
    return any(_is_one(choice.strip(), value) for choice in split_top(type_, "|"))


def names_word(type_: str, value: str) -> bool:
    """Return whether a string is one of the words that a type lists."""
    return any(choice.strip() == f'"{value}"' for choice in split_top(type_, "|"))


def _is_one(choice: str, value: object) -> bool:
    if choice.startswith("list["):
        items: Any = value
        return isinstance(value, list | tuple) and all(accepts(choice[5:-1], item) for item in items)
    if choice[0] == '"':
        return isinstance(value, str) and not isinstance(value, DTypeName) and value == choice[1:-1]
    if choice.startswith("dtype"):
        return isinstance(value, DTypeName) and value in CLASSES[choice[6:-1]][0]
    if choice.startswith("int"):
        lowest = 1 if choice == "int>0" else 0
        return isinstance(value, int) and not isinstance(value, bool) and (choice == "int" or value >= lowest)
    if choice == "float":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if choice == "str":
        return isinstance(value, str) and not isinstance(value, DTypeName)
    return value is None if choice == "none" else isinstance(value, bool)


TYPE_WORDS = {
    "int": "an integer",
    "int>0": "a positive integer",
    "int>=0": "an integer of at least 0",
    "float": "a number",
    "bool": "`true` or `false`",
    "str": "a string",
    "dtype": "a dtype",
    "none": "`null`",
    "list[int]": "a list of integers",
    "list[int>0]": "a list of positive integers",
    "list[int>=0]": "a list of integers of at least 0",
    "list[float]": "a list of numbers",
}
"""Every plain type of attributes: what messages call it."""


def describe_type(type_: str) -> str:
    """Describe in words what a type takes: `an integer, a list of integers or null`."""
    words: list[str] = []
    for choice in split_top(type_, "|"):
        choice = choice.strip()
        if choice.startswith("dtype("):
            words.append(CLASSES[choice[6:-1]][1])
        else:
            words.append(TYPE_WORDS.get(choice, f"`{choice}`"))
    return enumerated(words, "or")
