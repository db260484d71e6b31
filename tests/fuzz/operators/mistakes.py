"""Mistakes in one call of an operator: of arguments, of attributes, of punctuation."""

from __future__ import annotations

from collections.abc import Iterator

from relax_lang.base.node import walk
from relax_lang.format.printer import show
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

CALL = "let y = "


def call_in(text: str) -> tree.Call | None:
    """Return the call that is bound to `y`."""
    pos = text.index(CALL) + len(CALL)
    calls = [node for node in walk(parse(text).tree) if isinstance(node, tree.Call) and node.pos == pos]
    return calls[0] if calls else None


def meaning(text: str) -> object:
    """Return the operator and the arguments of the call, and the attributes in any order."""
    call = call_in(text)
    if call is None:
        return None
    return show(call.op), [show(arg) for arg in call.args], sorted([show(attr) for attr in call.attrs])


class Mistakes:
    """The texts of one right call with one mistake each, by the kind of the mistake."""

    def __init__(self, text: str, call: tree.Call) -> None:
        self._text, self._call = text, call
        self._op = text[call.op.pos : call.op.end]
        operator = lookup(self._op)
        assert operator is not None
        self._operator = operator
        self._args = [text[arg.pos : arg.end] for arg in call.args]
        self._attrs = [text[attr.pos : attr.end] for attr in call.attrs]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        yield from self._of_the_whole()
        for index in range(len(self._attrs)):
            yield from self._of_an_attribute(index)
        for index in range(len(self._args)):
            yield from self._of_an_argument(index)

    def _put(self, args: list[str], attrs: list[str], op: str = "") -> str:
        inner = ", ".join([*args, *attrs])
        return f"{self._text[: self._call.pos]}{op or self._op}({inner}){self._text[self._call.end :]}"

    def _of_the_whole(self) -> Iterator[tuple[str, str]]:
        args, attrs, text, call = self._args, self._attrs, self._text, self._call
        yield "prefix", self._put(args, attrs, f"R.{self._op}")
        yield "path", self._put(args, attrs, f"relax.op.{self._op}")
        yield "not closed", text[: call.end - 1] + text[call.end :]
        if len(args) > 1:
            yield "semicolons", self._put(["; ".join(args)], attrs)
            yield "exchanged", self._put([args[1], args[0], *args[2:]], attrs)
        if args:
            yield "one less", self._put(args[:-1], attrs)
            yield "one more", self._put([*args, args[-1]], attrs)
        if len(args) == 1 and isinstance(call.args[0], tree.Var) and not attrs:
            yield "no parentheses", f"{text[: call.op.end]} {args[0]}{text[call.end :]}"
        if args and isinstance(call.args[0], tree.Var):
            rest = ", ".join([*args[1:], *attrs])
            yield "method", f"{text[: call.pos]}{args[0]}.{self._op}({rest}){text[call.end :]}"

    def _of_an_attribute(self, index: int) -> Iterator[tuple[str, str]]:
        name, _, value = self._attrs[index].partition("=")
        before, after = self._attrs[:index], self._attrs[index + 1 :]

        def put(written: str) -> str:
            return self._put(self._args, [*before, written, *after])

        if self._operator.attrs[0].name == name:
            yield "by position", self._put([*self._args, value], [*before, *after])
        yield "misspelled", put(f"{name[:-1]}x={value}")
        yield "twice", put(f"{name}={value}, {name}={value}")
        yield "no value", put(f"{name}=")
        if value.startswith("["):
            yield "tuple", put(f"{name}=({value[1:-1]})")
        elif value in ("true", "false"):
            yield "word of Python", put(f"{name}={value.title()}")
        elif value.isalnum() and not value.isdigit() and value != "null":
            yield "dtype in quotes", put(f'{name}="{value}"')
            yield "dtype of NumPy", put(f"{name}=np.{value}")
            yield "dtype with a prefix", put(f"{name}=R.{value}")

    def _of_an_argument(self, index: int) -> Iterator[tuple[str, str]]:
        arg, params = self._args[index], self._operator.params
        before, after = self._args[:index], self._args[index + 1 :]
        if index >= len(params) or params[-1].variadic:
            return
        kinds = [param.kind for param in params]
        if (
            isinstance(self._call.args[index], tree.ShapeExpr)
            and kinds[: index + 1].count("shape") == 1
            and kinds[index] == "shape"
        ):
            yield "shape as a tuple", self._put([*before, arg.removeprefix("shape"), *after], self._attrs)
        elif isinstance(self._call.args[index], tree.Var) and kinds[index] != "prim":
            given = f"{params[index].name}={arg}"
            yield "operand by name", self._put([*before, *after], [given, *self._attrs])
            yield "operand in quotes", self._put([*before, f'"{arg}"', *after], self._attrs)
