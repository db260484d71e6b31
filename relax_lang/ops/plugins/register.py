"""Operators that users declare: `@register_op` in a Python file that their settings name under `plugins`.

    from relax_lang import register_op

    @register_op(
        "my.scale", "x: tensor(float)", "by: float = 2.0",
        infer=infer_scale, example="my.scale(const([1.0, 2.0]), by=0.5)",
    )
    def scale(x, by):
        \"\"\"Multiply every element by a number. The result has the shape and dtype of `x`.\"\"\"
        return x * x.dtype.type(by)

A declaration needs what every operator of the language has: signature, rule, kernel, documentation, example. Errors
are collected while a file is loaded, and otherwise raised. `files.settings.plugins` runs the examples.
"""

from __future__ import annotations

import re

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.attributes import TYPE_WORDS, accepts
from relax_lang.ops.core.dtypes import CLASSES, name_of
from relax_lang.ops.core.errors import bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.core.signature import parse_attrs, parse_params, split_top
from relax_lang.ops.core.specialization import PLANNED_KINDS
from relax_lang.ops.registry import forget, lookup
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import is_keyword
from relax_lang.values import ShapeValue, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from relax_lang.ops.core.inference import Inference
    from relax_lang.ops.core.operator import Operator
    from relax_lang.ops.core.signature import AttrSpec, Param

    Kernel = TypeVar("Kernel", bound=Callable[..., Any])
    Rule = Callable[[Inference], tree.StructInfo]

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z", re.ASCII)
_PROJECT = Family("plugin", "Operators of this project", since="")


class Loading:
    """What a file declares while it is loaded: the operators, and what is wrong with others, by their names."""

    def __init__(self, title: str) -> None:
        self.family = Family("plugin", f"Operators of {title}", since="")
        self.operators: list[Operator] = []
        self.problems: list[tuple[str, str]] = []
        self.lines: dict[str, int] = {}
        """Where the kernels of operators begin, for messages."""

    def __enter__(self) -> None:
        """Collect what is declared from here on."""
        _loading.append(self)

    def __exit__(self, *error: object) -> None:
        """Collect no more."""
        _loading.remove(self)

    def withdraw(self, operator: Operator) -> None:
        """Take back an operator that turned out not to work."""
        self.operators.remove(operator)
        forget(operator)


_loading: list[Loading] = []


def register_op(
    name: str,
    params: str,
    attrs: str = "",
    *,
    infer: Rule | None = None,
    example: str = "",
    pure: bool = True,
    aliases: Sequence[str] = (),
    planned: bool = False,
) -> Callable[[Kernel], Kernel]:
    """Declare an operator by its kernel, whose docstring is the documentation. [O.11]

    `params` and `attrs` are written as in `relax_lang.ops.core.signature`; `infer` is the struct info rule, see
    `relax_lang.ops.core.inference`; `example` is a call of the operator. `aliases` names the
    parameters whose memory the result may share; a `planned` kernel returns what does the work, see
    `relax_lang.ops.core.specialization`. Outside of the files that settings name, a declaration replaces an
    earlier one of the same name, so that a cell of a notebook can be run again. Raises ValueError if the
    declaration is not complete.
    """

    def declare(kernel: Kernel) -> Kernel:
        loading = _loading[-1] if _loading else None
        if loading is not None:
            code = getattr(kernel, "__code__", None)
            loading.lines[str(name)] = 0 if code is None else code.co_firstlineno
        try:
            wrong = _wrong(name, params, attrs, kernel, (infer, example, aliases, planned))
        except ValueError as error:
            wrong = f"its signature cannot be read: {error}"
        if not wrong and infer is not None:
            taken = lookup(name)
            if taken is not None:
                forget(taken)
            family = loading.family if loading is not None else _PROJECT
            made = family.declare(
                name,
                params,
                attrs,
                kernel=_guarded_plan(kernel) if planned else _guarded_kernel(kernel),
                planned=planned,
                infer=_guarded_rule(infer),
                doc=kernel.__doc__ or "",
                example=example,
                pure=pure,
                aliases=tuple(aliases),
            )
            if loading is not None:
                loading.operators.append(made)
        elif loading is None:
            raise ValueError(f"operator {name}: {wrong}")
        else:
            loading.problems.append((str(name), wrong))
        return kernel

    return declare


def _wrong(
    name: str, params: str, attrs: str, kernel: Any, rest: tuple[Any, str, Sequence[str], bool]
) -> str:
    """Return what is wrong with a declaration; empty if nothing is."""
    infer, example, aliases, planned = rest
    if not _NAME.match(name) or any(map(is_keyword, name.split("."))):
        return "this cannot be the name of an operator; write one such as `my.scale`"
    taken = lookup(name)
    if taken is not None and not _may_replace(taken):
        return "there is an operator of this name already"
    if not callable(infer):
        return "it has no struct info rule (`infer=`)"
    if not example:
        return "it has no example (`example=`)"
    if not (kernel.__doc__ or "").strip():
        return "it has no documentation: the docstring of its kernel"
    read, specs = parse_params(params), parse_attrs(attrs)
    names = [param.name for param in read] + [spec.name for spec in specs]
    return (
        _wrong_names(names, aliases)
        or _wrong_params(read)
        or (_wrong_plan(read) if planned else "")
        or _wrong_attrs(specs)
        or _wrong_kernel(kernel, read, specs)
    )


def _may_replace(taken: Operator) -> bool:
    """Return whether an operator may be declared anew: one of a session in which a cell is run again."""
    return taken.family is _PROJECT and not _loading


def _wrong_names(names: list[str], aliases: Sequence[str]) -> str:
    for at, name in enumerate(names):
        if not name.isidentifier():
            return f"its signature cannot be read: `{name}` is not a name"
        if name in names[:at]:
            return f"its signature names `{name}` twice"
    for name in aliases:
        if name not in names:
            return f"`aliases` names `{name}`, which is not a parameter"
    return ""


def _wrong_params(params: Sequence[Param]) -> str:
    for at, param in enumerate(params):
        if param.dtypes not in CLASSES:
            known = ", ".join([f"`{name}`" for name in CLASSES if name])
            return f"`{param.dtypes}` is not a class of dtypes; there are {known}"
        if param.variadic and at < len(params) - 1:
            return f"`*{param.name}` is not its last parameter"
        if at and params[at - 1].optional and not (param.optional or param.variadic):
            return f"`{param.name}` cannot be left out, though the parameter before it can"
    return ""


def _wrong_plan(params: Sequence[Param]) -> str:
    for param in params:
        if param.variadic or param.kind not in PLANNED_KINDS:
            shown = f"*{param.name}" if param.variadic else param.name
            return f"a planned kernel cannot take `{shown}`: it takes a fixed number of tensors, shapes and scalars"
    return ""


def _wrong_attrs(specs: Sequence[AttrSpec]) -> str:
    for spec in specs:
        for choice in split_top(spec.type, "|"):
            choice = choice.strip()
            inner = choice[5:-1] if choice.startswith("list[") else choice
            if not (inner in TYPE_WORDS or inner[:1] == '"' or _is_dtype_class(inner)):
                return f"`{choice}`, of the attribute `{spec.name}`, is not a type"
        if not spec.required and not accepts(spec.type, spec.default):
            return f"the default of `{spec.name}` is not what its type takes, `{spec.type}`"
    return ""


def _is_dtype_class(word: str) -> bool:
    return word.startswith("dtype(") and word.endswith(")") and word[6:-1] in CLASSES


def _wrong_kernel(kernel: Any, params: Sequence[Param], specs: Sequence[AttrSpec]) -> str:
    import inspect  # which reading declarations does not need

    try:
        inspect.signature(kernel).bind(*[None for _ in params], **{spec.name: spec.default for spec in specs})
    except TypeError as error:
        return f"its kernel does not take these parameters and attributes: {error}"
    return ""


def _guarded_rule(rule: Rule) -> Rule:
    """Return the rule of a user, whose mistakes are reported and stop nothing."""

    def guarded(call: Inference) -> tree.StructInfo:
        result: Any = None
        try:
            result = rule(call)
        except Exception as error:  # whatever it does, it is the user's own code
            call.rule_failed(words_of(error))
        else:
            if isinstance(result, tree.StructInfo):
                return result
            call.rule_failed(f"it returned a Python `{type(result).__name__}`, which is not a struct info")
        return tree.ObjectStructInfo(call.call.pos, call.call.end)

    return guarded


def _guarded_kernel(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the kernel of a user, whose result is a value of the language or refused."""

    def guarded(*args: Any, **options: Any) -> Any:
        from relax_lang.ops.calls.evaluate import plain_value  # which reading declarations does not need

        result = kernel(*args, **options)
        wrong = _describe_foreign(result)
        if wrong:
            raise bad_value(f"its kernel returned {wrong}, which is not a value of a program")
        return plain_value(result)

    return guarded


def _guarded_plan(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return the planned kernel of a user, which gives a function with such results."""

    def guarded(*args: Any, **options: Any) -> Any:
        run = kernel(*args, **options)
        if not callable(run):
            found = f"a Python `{type(run).__name__}`"
            raise bad_value(
                f"its kernel returned {found}; a planned one returns the function that does the work"
            )
        return _guarded_kernel(run)

    return guarded


def _describe_foreign(result: Any) -> str:
    """Describe a result that is not a value of the language; empty if it is one."""
    if isinstance(result, tuple):
        for field in result:  # pyright: ignore[reportUnknownVariableType]
            wrong = _describe_foreign(field)
            if wrong:
                return wrong
        return ""
    if isinstance(result, np.ndarray | np.generic):
        dtype = name_of(result.dtype)
        return "" if dtype in DTYPES else f"an array of {dtype}"
    return "" if result is None or isinstance(result, ShapeValue) else f"a Python `{type(result).__name__}`"
