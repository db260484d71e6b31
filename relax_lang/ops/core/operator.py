"""Operators and how they are declared: signature, struct info rule, kernel, documentation, in one place. [O.11] [OP.1]

A module of `ops.definitions` declares a family of operators, each by a decorator on its kernel:

    family = Family(__name__, "Sorting")

    @family.operator(
        "sort", "data: tensor", "axis: int = -1, descending: bool = false", infer=…, example="sort(const([2, 1]))"
    )
    def sort(data, axis, descending):
        \"\"\"Sort along one axis. …the meaning, the shape rule, the corner cases…\"\"\"

A kernel gets its positional arguments as `ops.core.signature` describes them, and all attributes by name with their
defaults filled in. It returns the result or raises `ops.core.errors.OpError`; NumPy's warnings are off while it runs.
A kernel that is declared with `@family.planned(…)` works in two steps; see `ops.core.specialization`. `ops.calls`
runs operators.

Declarations import no numpy; kernels import it when they first run.
"""

from __future__ import annotations

from relax_lang.ops.core.signature import Signature
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax.tree import StructInfo

    Kernel = TypeVar("Kernel", bound=Callable[..., Any])

BY_KERNEL = "kernel"
BY_RUNTIME = "runtime"

OPERATORS: dict[str, Operator] = {}
"""The operators that are declared so far, by name. `ops.registry` finds those of modules that are not loaded yet."""

DEFINITIONS = "relax_lang.ops.definitions."


class Operator(Signature):
    """An operator: its signature, purity, struct info rule, kernel and documentation.

    `evaluated` is BY_KERNEL or BY_RUNTIME (it calls functions, which only the runtime can).
    `aliases` names the parameters whose memory the result may share; all other results are new memory. [X.9.1]
    `writes` names the parameters whose memory the operator changes; all others stay as they are.
    `since` is "spec" if the prototype of the specification has it, "later" if only later revisions of TVM have it.
    """

    __slots__ = (
        "_doc",
        "aliases",
        "also",
        "evaluated",
        "example",
        "family",
        "infer",
        "kernel",
        "make_calls",
        "planned",
        "pure",
        "rows",
        "since",
        "tvm",
        "writes",
    )

    def __init__(self, name: str, family: Family, params: str, attrs: str, doc: str, example: str) -> None:
        super().__init__(name, params, attrs)
        self.family = family
        self.example = example
        self.pure = True
        self.since = "spec"
        self.rows = ""
        """The rule of `ops.row_rules` that gives where rows are in the result; empty if the operator may mix rows."""
        self.aliases: tuple[str, ...] = ()
        self.writes: tuple[str, ...] = ()
        self.also: tuple[str, ...] = ()
        """The names of other frameworks for it, such as `torch.bmm`."""
        self.evaluated = BY_KERNEL
        self.kernel: Callable[..., Any] | None = None
        self.planned = False
        """Whether the kernel makes a plan; see `ops.core.specialization`."""
        self.infer: Callable[[Inference], StructInfo] | None = None
        """The struct info rule; see `ops.core.inference`."""
        self.make_calls: Callable[..., Callable[..., Any]] | None = None
        """The factory of its calls, which `ops.calls` keeps here after the first."""
        self.tvm = ""
        """The parameters of TVM's Python function in order, where they are not ours: parameters, then attributes."""
        self._doc = doc

    def __repr__(self) -> str:
        """Show the name; `documentation.describe` shows everything."""
        return f"Operator({self.name})"

    @property
    def doc(self) -> str:
        """What the operator means: one paragraph with its shape rule and corner cases."""
        return " ".join(self._doc.split())

    def options(self, attrs: Mapping[str, object]) -> dict[str, Any]:
        """Check attributes and return all of them, defaults filled in. Raises RunFailure. [OP.4]"""
        from relax_lang.ops.core.attributes import attribute_problems  # not needed to look an operator up

        for problem in attribute_problems(self, 0, attrs):
            raise RunFailure(problem.slug, problem.message, operator=self.name, attribute=problem.attribute)
        filled: dict[str, Any] = {spec.name: spec.default for spec in self.attrs}
        filled.update(attrs)
        return filled

    def check_arity(self, count: int) -> None:
        """Check the number of positional arguments. Raises RunFailure. [OP.2]"""
        from relax_lang.ops.core.attributes import arity_problem

        problem = arity_problem(self, count, ())
        if problem is not None and self.kernel is not None:
            raise RunFailure(problem.slug, problem.message, operator=self.name)


class Family:
    """The operators that one module declares: a title for readers, and shared defaults.

    `name` is the module, relative to `ops.definitions` (`nn.conv`). `rows` is the rule about rows of those that
    name none (`Operator.rows`).
    """

    __slots__ = ("name", "rows", "since", "title")

    def __init__(self, module: str, title: str, since: str = "spec", rows: str = "") -> None:
        self.name = module.removeprefix(DEFINITIONS)
        self.title = title
        self.since = since
        self.rows = rows

    def declare(
        self,
        name: str,
        params: str,
        attrs: str = "",
        *,
        kernel: Callable[..., Any] | None = None,
        doc: str,
        example: str = "",
        **more: Any,
    ) -> Operator:
        """Declare an operator; `more` sets infer, pure, since, rows, aliases, writes, evaluated, planned where they
        are not the usual.

        Raises ValueError if there is an operator of that name.
        """
        if name in OPERATORS:
            raise ValueError(f"operator {name} is declared twice")
        made = Operator(name, self, params, attrs, doc, example)
        made.kernel = kernel
        made.since = self.since
        made.rows = self.rows
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
        """Declare an operator by a kernel that returns the function that does the work; see
        `ops.core.specialization`.
        """
        return self.operator(name, params, attrs, example=example, planned=True, **more)
