"""`op`: the operators of the language as functions of Python, made from the registry when they are asked for.

    op.nn.softmax(x, axis=-1)

`help(op.matmul)` shows what `relax ops matmul` shows; `dir(op.nn)` and completion know all names.
"""

from __future__ import annotations

import inspect

from relax_lang.base.names import nearest
from relax_lang.base.python_callers import calling_line, line_of
from relax_lang.base.relax_error import RelaxError
from relax_lang.builder import diagnostics as diag
from relax_lang.builder.values import Pending, call
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.registry import lookup, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class UnknownOperatorError(RelaxError, AttributeError):
    """There is no operator of that name; `hasattr` and completion see an AttributeError."""


class OperatorFunction:
    """One operator as a function: positional arguments, attributes by name; returns a call to be emitted."""

    def __init__(self, operator: Operator) -> None:
        self.__name__ = self.__qualname__ = operator.name
        self._operator = operator

    def __call__(self, *args: object, **attrs: object) -> Pending:
        """Return a call. Raises RelaxError if arguments are missing, or attributes are wrong."""
        return call(self._operator.name, args, attrs)

    @property
    def __doc__(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        from relax_lang.ops.documentation import describe  # only for help

        return describe(self._operator)

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters and attributes, for help and completion."""
        kinds = inspect.Parameter
        params: list[inspect.Parameter] = []
        for param in self._operator.params:
            kind = kinds.VAR_POSITIONAL if param.variadic else kinds.POSITIONAL_OR_KEYWORD
            default: Any = None if param.optional and not param.variadic else kinds.empty
            params.append(inspect.Parameter(param.name, kind, default=default))
        for spec in self._operator.attrs:
            default = kinds.empty if spec.required else spec.default
            params.append(inspect.Parameter(spec.name, kinds.KEYWORD_ONLY, default=default))
        return inspect.Signature(params)

    def __repr__(self) -> str:
        return f"op.{self._operator.name}"


class Operators:
    """A group of operators: those of a prefix, such as `op.nn`."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        """Return an operator or a group. Raises UnknownOperatorError."""
        known = self._known.get(name)
        if known is not None:
            return known
        whole = self._prefix + name.rstrip("_")
        operator = lookup(whole)
        if operator is not None:
            found: Any = OperatorFunction(operator)
            if operator.family.name in _BUILT_IN:
                self._known[name] = found
            return found
        if any(each.startswith(whole + ".") for each in names()):
            found = self._known[name] = Operators(whole + ".")
            return found
        source, place = line_of(calling_line())
        raise UnknownOperatorError(source, [diag.unknown_operator(place, whole, nearest(whole, names()))])

    def __dir__(self) -> list[str]:
        """List the operators and groups."""
        size = len(self._prefix)
        return sorted({each[size:].partition(".")[0] for each in names() if each.startswith(self._prefix)})

    def __repr__(self) -> str:
        return f"<operators {self._prefix}*>"


def _built_in() -> frozenset[str]:
    from relax_lang.ops.operator_index import MODULES

    return frozenset(MODULES)


_BUILT_IN = _built_in()

op = Operators()
"""All operators."""
