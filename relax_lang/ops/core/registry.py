"""The registry of operators: one declaration each, found by name. [O.11] [OP.1]

A family module says once what its operators have in common and then declares them, mostly with a decorator on
the kernel:

    family = Family("sort", "Sorting")

    @family.operator(
        "sort", "data: tensor", "axis: int = -1, descending: bool = false", infer=…, example="sort(const([2, 1]))"
    )
    def sort(data, axis, descending):
        \"\"\"Sort along one axis. …what it means, its shape rule, its corner cases…\"\"\"

A kernel gets its positional arguments as `ops.signature` describes them and the attributes by name, all of
them, defaults filled in. It raises `ops.refusal.OpError` or returns; NumPy's warnings are off while it runs.
With `@family.planned(…)` in place of `@family.operator(…)` it is one in two steps; see `ops.planning`.

Names, signatures and documentation are here without numpy; kernels import it when they first run.
"""

from __future__ import annotations

from relax_lang.ops.core.families import FAMILIES, FAMILY_OF
from relax_lang.ops.core.signature import Signature
from relax_lang.ops.numpy_kernels import lazy_numpy as np
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from relax_lang.base.node import Node
    from relax_lang.ops.shape_rules.shared.call_info import Inference
    from relax_lang.syntax.tree import StructInfo

    Kernel = TypeVar("Kernel", bound=Callable[..., Any])

BY_KERNEL = "kernel"
BY_RUNTIME = "runtime"
NOT_YET = "not yet"

OPERATORS: dict[str, Operator] = {}
"""The operators of the family modules loaded so far. `lookup` and `names` see all of them."""


class Operator(Signature):
    """An operator: what it is called with, whether it is pure, how it runs, and what a person reads about
    it.

    `evaluated` is BY_KERNEL, BY_RUNTIME (it calls functions, which only the runtime can) or NOT_YET.
    `aliases` names the parameters whose memory the result may share; all other results are new memory.
    [X.9.1] `since` is "spec" or "later": whether the specification's own prototype had it.
    """

    __slots__ = (
        "_bind",
        "_doc",
        "aliases",
        "evaluated",
        "example",
        "family",
        "infer",
        "kernel",
        "planned",
        "pure",
        "since",
        "tier",
    )

    def __init__(self, name: str, family: Family, params: str, attrs: str, doc: str, example: str) -> None:
        super().__init__(name, params, attrs)
        self.family = family
        self.example = example
        self.pure = True
        self.tier = 1
        self.since = "spec"
        self.aliases: tuple[str, ...] = ()
        self.evaluated = BY_KERNEL
        self.kernel: Callable[..., Any] | None = None
        self.planned = False
        """Whether the kernel makes a plan; see `ops.planning`."""
        self.infer: Callable[[Inference], StructInfo] | None = None
        """The struct info rule; see `ops.inference`."""
        self._doc = doc
        self._bind: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        """Show the name; `docs.describe` shows everything."""
        return f"Operator({self.name})"

    @property
    def doc(self) -> str:
        """What the operator means: one paragraph, its shape rule and corner cases."""
        return " ".join(self._doc.split())

    def options(self, attrs: Mapping[str, object]) -> dict[str, Any]:
        """Check attributes and return all of them, defaults filled in. [OP.4]

        A runtime that calls an operator many times does this once and then uses `bound`.
        """
        from relax_lang.ops.core.attributes import attribute_problems  # not needed to look an operator up

        for problem in attribute_problems(self, 0, attrs):
            raise RunFailure(problem.slug, problem.message, operator=self.name, attribute=problem.attribute)
        filled: dict[str, Any] = {spec.name: spec.default for spec in self.attrs}
        filled.update(attrs)
        return filled

    def run(
        self,
        args: Sequence[object],
        attrs: Mapping[str, object] | None = None,
        struct_info: Node | None = None,
    ) -> object:
        """Evaluate one call: check the arguments, run the kernel, return its value. Raises RunFailure
        only. [OP.9]

        Values are those of `relax_lang.values`; scalar operands are `int`, `float` or `bool`; None is an
        optional argument that is left out. `struct_info` is what `->` declares; no operator with a kernel
        looks at it.
        """
        from relax_lang.ops.core.attributes import move_scalars

        args, attrs = move_scalars(self, args, attrs or {})
        call = self.bound(self.options(attrs))
        self.check_arity(len(args))
        with np.errstate(all="ignore"):
            return call(*args)

    def bound(
        self, options: Mapping[str, Any], ask: Callable[[Sequence[Any]], object] | None = None
    ) -> Callable[..., Any]:
        """Return the function that runs one call with attributes that `options` returned; see `ops.bound`.

        It takes positional arguments, of which `check_arity` allowed the number, checks them, and remembers what
        was right.
        """
        if self.kernel is None:
            return self._refuse_to_run
        if self._bind is None:
            from relax_lang.ops.calls.call_cache import Kernel  # imports what only running needs

            self._bind = Kernel(self, self.kernel, self.planned).bind
        return self._bind(options, ask)

    def check_arity(self, count: int) -> None:
        """Check the number of positional arguments. [OP.2]"""
        from relax_lang.ops.core.attributes import arity_problem

        problem = arity_problem(self, count, ())
        if problem is not None and self.kernel is not None:
            raise RunFailure(problem.slug, problem.message, operator=self.name)

    def _refuse_to_run(self, *_args: object) -> object:
        if self.evaluated == BY_RUNTIME:
            raise RunFailure(
                "operator-not-evaluated", f"{self.name}: only a running program can call functions"
            )
        raise RunFailure("operator-not-evaluated", f"{self.name} is not evaluated yet", operator=self.name)


class Family:
    """The operators that one module declares: its name, a title for readers, and shared defaults."""

    __slots__ = ("name", "since", "tier", "title")

    def __init__(self, name: str, title: str, tier: int = 1, since: str = "spec") -> None:
        self.name = name
        self.title = title
        self.tier = tier
        self.since = since

    def declare(
        self,
        name: str,
        params: str,
        attrs: str = "",
        *,
        kernel: Callable[..., Any] | None = None,
        doc: str,
        example: str,
        **more: Any,
    ) -> Operator:
        """Declare an operator; `more` sets infer, pure, tier, since, aliases, evaluated where they are not the
        usual.
        """
        if FAMILY_OF.get(name, self.name) != self.name or name in OPERATORS:
            raise ValueError(f"operator {name} is declared twice")
        if self.name in FAMILIES and name not in FAMILY_OF:
            raise ValueError(f"operator {name} is missing in relax_lang/ops/core/families.py")
        made = Operator(name, self, params, attrs, doc, example)
        made.kernel = kernel
        made.tier = self.tier
        made.since = self.since
        for key, value in more.items():
            setattr(made, key, value)
        OPERATORS[name] = made
        return made

    def operator(
        self, name: str, params: str, attrs: str = "", *, example: str, **more: Any
    ) -> Callable[[Kernel], Kernel]:
        """Declare an operator by its kernel, whose docstring is the documentation."""

        def declare(kernel: Kernel) -> Kernel:
            self.declare(
                name, params, attrs, kernel=kernel, doc=kernel.__doc__ or "", example=example, **more
            )
            return kernel

        return declare

    def planned(
        self, name: str, params: str, attrs: str = "", *, example: str, **more: Any
    ) -> Callable[[Kernel], Kernel]:
        """Declare an operator by a planned kernel, which returns what does the work; see `ops.planning`."""
        return self.operator(name, params, attrs, example=example, planned=True, **more)


def lookup(name: str) -> Operator | None:
    """Return the operator of that name, or None; loads the module that declares it. [OP.1]"""
    found = OPERATORS.get(name)
    if found is None and name in FAMILY_OF:
        _load(FAMILY_OF[name])
        found = OPERATORS[name]
    return found


_forgotten: list[str] = []


def forget(operator: Operator) -> None:
    """Take back an operator that a user declared: it does not work, or is declared anew."""
    del OPERATORS[operator.name]
    _forgotten.append(operator.name)


def revision() -> int:
    """Return a number that grows when an operator is taken back: what was compiled before may call it."""
    return len(_forgotten)


def names() -> list[str]:
    """Return the names of all operators, in order; loads none of them."""
    return sorted({*FAMILY_OF, *OPERATORS})


def all_operators() -> list[Operator]:
    """Return all operators, family by family."""
    for family in FAMILIES:
        _load(family)
    return list(OPERATORS.values())


def _load(family: str) -> None:
    __import__(f"relax_lang.ops.definitions.{family}")
