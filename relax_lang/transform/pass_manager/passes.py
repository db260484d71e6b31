"""Passes: their declaration, and how one is applied to a program.

    @function_pass("RenameAll", options="prefix: str")
    def rename_all(function, run, prefix):
        \"\"\"Give every variable a prefix. …what it does, when it refuses, a before and an after…\"\"\"

makes `rename_all` a `PassKind`: `rename_all(prefix="x")` is a `Pass`, and `rename_all(prefix="x")(program)` the
changed program. A pass never changes its program: what it is given stays as it was.

There are three kinds. A *module pass* gets the program and returns one. A *function pass* is called for every Relax
function of the module and returns a function; what is not changed is returned as the same node. A *dataflow-block
pass* is called for every dataflow block and may only change its inside: what the block outputs keeps its names and
struct infos.
"""

from __future__ import annotations

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.python_callers import raising_line
from relax_lang.base.relax_error import RelaxError
from relax_lang.format.fields import Unprintable
from relax_lang.ops.core.attributes import attribute_problems
from relax_lang.ops.core.signature import Signature
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager import diagnostics as diag
from relax_lang.transform.pass_manager.context import PassContext
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassError, PassFailed, PassRefused
from relax_lang.typed import IllTyped, Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn, TypeVar

    from relax_lang.base.node import Node

    _Made = TypeVar("_Made", Typed, tree.Function, tree.DataflowBlock)

MODULE, FUNCTION, DATAFLOW = "module", "function", "dataflow block"


class PassKind:
    """A declared pass: its name, its kind, its options, the forms it needs and gives, and its documentation.

    Calling it with options makes a `Pass`. `needs` are forms that a program must have; `gives` those it has
    afterwards; `loses` those it may not have afterwards, all others are kept. An `idempotent` pass changes nothing
    the second time.
    """

    def __init__(self, name: str, kind: str, apply: Callable[..., Any], options: str) -> None:
        self.name = name
        self.kind = kind
        self.apply = apply
        self.__wrapped__ = apply
        self.__doc__ = apply.__doc__
        self.extra = ""
        self.any_option = False
        if options.rpartition("**")[1]:
            options, _, rest = options.rpartition("**")
            self.any_option = True
            self.extra = rest.partition(":")[2].strip()
        self.signature = Signature(name, "", options.strip().rstrip(","))
        self.needs: tuple[str, ...] = ()
        self.gives: tuple[str, ...] = ()
        self.loses: tuple[str, ...] = ()
        self.idempotent = False

    def __repr__(self) -> str:
        """Show the declaration."""
        return self.declaration

    @property
    def declaration(self) -> str:
        """The name with the options: `FoldConstant(limit: int>=0 = 1024)`."""
        shown = [repr(spec) for spec in self.signature.attrs]
        if self.any_option:
            shown.append(f"NAME: {self.extra}")
        return f"{self.name}({', '.join(shown)})" if shown else self.name

    @property
    def doc(self) -> str:
        """The documentation without indentation."""
        from inspect import cleandoc

        return cleandoc(self.apply.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first sentence of the documentation."""
        return " ".join(self.doc.split("\n\n")[0].split())

    def __call__(self, **options: object) -> Pass:
        """Return the pass with these options. Raises PassError for one that it does not have, or of another type."""
        return Pass(self, options)


class Pass:
    """A pass with its options; a program goes in, a program comes out."""

    __slots__ = ("given", "kind", "options")

    def __init__(self, kind: PassKind, given: dict[str, object]) -> None:
        self.kind = kind
        self.given = given
        """The options that were given; those of a context fill in others."""
        self.options: dict[str, Any] = _checked(kind, given)

    @property
    def name(self) -> str:
        """The name, without options."""
        return self.kind.name

    @property
    def gives(self) -> tuple[str, ...]:
        """The forms that a program has afterwards."""
        return self.kind.gives

    def __repr__(self) -> str:
        """Show the pass as `relax opt --passes` takes it."""
        from relax_lang.ops.core.signature import show_value

        shown = [
            f"{key}={'…' if hasattr(value, 'shape') else show_value(value)}"
            for key, value in self.given.items()
        ]
        return f"{self.name}({', '.join(shown)})" if shown else self.name

    def __call__(self, program: Typed | tree.IRModule, context: PassContext | None = None) -> Typed:
        """Return the program after the pass; see `PassContext` for who watches. Raises PassError."""
        typed = program if isinstance(program, Typed) else Typed.of_tree(program)
        context = context or PassContext.current()
        if self.name in context.disabled or not context.should_run(typed, self):
            return typed
        context.before(typed, self)
        try:
            after = self._guarded(typed, context)
            context.after(typed, self, after)
        except PassError as error:
            error.before = error.before or typed
            context.failed(self, error)
            raise
        except (IllTyped, Unprintable) as error:
            # What a pass asks of the program that it was given is fine, so that this is what it made.
            found = error.diagnostics if isinstance(error, IllTyped) else [error.diagnostic()]
            broken = PassBrokeProgram(diag.pass_broke_program(repr(self), found), typed)
            context.failed(self, broken)
            raise broken from error
        return after

    def _guarded(self, typed: Typed, context: PassContext) -> Typed:
        """Return the program after the pass. What the pass raises is an error that names it."""
        try:
            with no_collection():  # trees have no cycles, and collections would walk all of them
                return self._applied(typed, context)
        except (PassError, IllTyped, Unprintable):
            raise
        except RelaxError as error:  # what it builds does not fit
            for one in error.diagnostics:
                one.note(f"while `{self!r}` worked")
            raise
        except Exception as error:
            line = raising_line(error, self.kind.apply)
            raise PassFailed(diag.pass_failed(repr(self), error, line), typed) from error

    def _applied(self, typed: Typed, context: PassContext) -> Typed:
        kind = self.kind
        options = self.options
        extra = context.options_of(self.name)
        if extra:
            options = _checked(kind, {**extra, **self.given})
        run = Run(self, typed, context)
        if kind.kind == MODULE:
            return _made(run, Typed, kind.apply(typed, run, **options))
        changed: dict[tree.Item, tree.Item | None] = {}
        for function in typed.functions:
            run.function = function
            made = (
                _made(run, tree.Function, kind.apply(function, run, **options))
                if kind.kind == FUNCTION
                else _blocks(kind, function, run, options)
            )
            if made is not function:
                changed[function] = made
        return typed.with_items(changed, run.added)


class Run:
    """One application of a pass: the program it works on, who watches, and what it adds to the module."""

    __slots__ = ("added", "context", "function", "itself", "typed")

    def __init__(self, itself: Pass, typed: Typed, context: PassContext) -> None:
        self.itself = itself
        self.typed = typed
        self.context = context
        self.added: list[tree.Item] = []
        """Items to be added to the module: for passes that see one function at a time."""
        self.function: tree.Function | None = None

    @property
    def infos(self) -> dict[Node, tree.StructInfo]:
        """Definition of a variable to its struct info, in the program before the pass."""
        return self.typed.infos

    def refuse(self, node: Node | None, message: str, help: str = "") -> NoReturn:  # noqa: A002
        """Give up on a program that the pass cannot work on. Raises PassRefused."""
        raise PassRefused(diag.pass_refused(node, self.itself.name, message, help), self.typed)

    def remark(self, node: Node, message: str) -> None:
        """Say why a node of the program stays as it is; `relax opt --explain` shows it."""
        self.context.remarked(self.typed, self.itself, node, message)


def _checked(kind: PassKind, given: dict[str, object]) -> dict[str, Any]:
    """Return all options, defaults filled in. Raises PassError."""
    known = {spec.name for spec in kind.signature.attrs}
    own = {name: value for name, value in given.items() if name in known or not kind.any_option}
    problems = attribute_problems(kind.signature, 0, own)
    if problems:
        raise PassError(diag.pass_option(kind.name, problems[0]))
    return {**{spec.name: spec.default for spec in kind.signature.attrs}, **given}


def _made(run: Run, kind: type[_Made], made: object) -> _Made:
    """Return what a pass made. Raises PassBrokeProgram if it is not of the kind that the pass is for."""
    if isinstance(made, kind):
        return made
    wanted, found = kind.__name__, "nothing" if made is None else f"a value of type {type(made).__name__}"
    why = f"it returned {found}, not a {wanted}"
    if kind is Typed and isinstance(made, tree.IRModule):
        why += ": `typed.with_module(module)` makes one"
    raise PassBrokeProgram(diag.pass_broke_program(repr(run.itself), (), why), run.typed)


def _blocks(kind: PassKind, function: tree.Function, run: Run, options: dict[str, Any]) -> tree.Function:
    """Apply a dataflow-block pass to the blocks of a function, those of branches and local functions as well."""
    from relax_lang.transform.core.rebuild import with_blocks

    def block(one: tree.BlockOfBindings) -> tree.BlockOfBindings:
        if not isinstance(one, tree.DataflowBlock):
            return one
        made = _made(run, tree.DataflowBlock, kind.apply(one, run, **options))
        outputs = [var.name_hint for var in one.outputs]
        if [var.name_hint for var in made.outputs] != outputs:
            raise PassBrokeProgram(
                diag.pass_broke_program(repr(run.itself), (), "it changed the outputs of a dataflow block"),
                run.typed,
            )
        return made

    return with_blocks(function, block)


def _declare(
    kind: str, name: str, options: str, more: dict[str, Sequence[str] | bool]
) -> Callable[[Callable[..., Any]], PassKind]:
    def declare(apply: Callable[..., Any]) -> PassKind:
        made = PassKind(name or _camel(apply.__name__), kind, apply, options)
        for key, value in more.items():
            setattr(made, key, value)
        return made

    return declare


def _camel(name: str) -> str:
    return "".join([part.capitalize() for part in name.split("_")])


def module_pass(name: str = "", options: str = "", **more: Any) -> Callable[[Callable[..., Any]], PassKind]:
    """Declare a pass on modules: `f(typed, run, **options) -> Typed`. The name is the function's, unless it is given.

    `options` is written as in `relax ops`: `"limit: int>=0 = 1024, only: list[str] = []"`; `**` before a last one
    takes options of any name. `more` sets `needs`, `gives`, `loses` (forms) and `idempotent`.
    """
    return _declare(MODULE, name, options, more)


def function_pass(name: str = "", options: str = "", **more: Any) -> Callable[[Callable[..., Any]], PassKind]:
    """Declare a pass on functions: `f(function, run, **options) -> Function`; see `module_pass`."""
    return _declare(FUNCTION, name, options, more)


def dataflow_pass(name: str = "", options: str = "", **more: Any) -> Callable[[Callable[..., Any]], PassKind]:
    """Declare a pass on dataflow blocks: `f(block, run, **options) -> DataflowBlock`; see `module_pass`."""
    return _declare(DATAFLOW, name, options, more)
