"""Modules in normal form as Python: compiled once per content, linked to a machine per session. [X.O1]

`compile_module(normal_form, source_text)` gives a `Program`: `text` is what `relax compile` shows, and after
`link(machine)` the machine calls compiled functions.
"""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from functools import partial

from relax_lang.analysis.call_graph import Graph
from relax_lang.analysis.proofs import needless
from relax_lang.base.node import same, walk
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.python.generated_source import forget_lines, remember_lines
from relax_lang.ops.registry import revision
from relax_lang.runtime.compiler.call_stubs import LIBRARY
from relax_lang.runtime.compiler.codegen.functions import shown_name, write_function
from relax_lang.runtime.compiler.codegen.writer import ModuleWriter
from relax_lang.runtime.compiler.refinements import NO_CONSTANTS, dtype_of, sizes_of
from relax_lang.runtime.compiler.source_map import SourceMap
from relax_lang.runtime.compiler.tir_sites import Settling
from relax_lang.runtime.interpreter import interpreter
from relax_lang.runtime.interpreter.machine import Activation
from relax_lang.syntax import tree
from relax_lang.values import Closure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from types import CodeType
    from typing import Any

    from relax_lang.analysis.call_graph import Plan
    from relax_lang.runtime.compiler.call_stubs import Stub
    from relax_lang.runtime.compiler.refinements import Constants
    from relax_lang.runtime.compiler.row_blocks import RowGroup
    from relax_lang.runtime.interpreter.machine import Machine, Steps
    from relax_lang.tir.compile import Compiled

_NUMBERS = itertools.count(1)
_KEPT = 32
"""So many programs are found again; then the oldest goes."""
_CACHE: OrderedDict[tuple[object, ...], Program] = OrderedDict()


class Program:
    """A compiled module: `text` is its Python source, `module` the normal form whose nodes it speaks of."""

    __slots__ = (
        "__weakref__",
        "_code",
        "_constants",
        "_functions",
        "_plans",
        "_sites",
        "forms",
        "groups",
        "module",
        "places",
        "prim_funcs",
        "text",
    )

    def __init__(self, module: tree.IRModule, writer: ModuleWriter) -> None:
        self.module = module
        self.prim_funcs: dict[tree.PrimFunc, Compiled] = {}
        """The PrimFuncs that some session has compiled."""
        self.forms: dict[tree.PrimFunc, str] = {}
        head = ["# Functions of a Relax program, as they run", *writer.remarks]
        self.text = "\n".join([*head, *writer.lines, ""])
        self.groups: Mapping[tree.Function, Sequence[RowGroup]] = writer.groups
        """The groups of bindings of each function that may run in blocks of rows."""
        self._constants = writer.constants
        self._functions = {held: name for held, name in writer.functions.items() if held in writer.written}
        self._plans = writer.graph.plans
        self._sites: Mapping[str, Stub] = writer.stubs
        file = f"<relax functions {next(_NUMBERS)}>"
        names = {held: shown_name(self._plans[function]) for function, held in writer.functions.items()}
        lines = {number + len(head): place for number, place in writer.places.items()}
        self.places = SourceMap(file, lines, names)
        self._code: CodeType = compile(self.text, file, "exec", dont_inherit=True)
        # Tracebacks and debuggers can show its lines as long as there is such a program.
        remember_lines(file, self.text)
        weakref.finalize(self, forget_lines, file)

    def link(self, machine: Machine) -> None:
        """Make a machine call these functions."""
        activate = machine.activate = _Activate(self.functions_on(machine), self._plans)
        machine.plain = activate.plain
        machine.explain = self.places.explain
        machine.certain_form = partial(self._certain_form, machine)

    def functions_on(self, machine: Machine) -> Mapping[tree.Function, Callable[..., Any]]:
        """Return the Python functions of a machine."""
        namespace: dict[str, Any] = {"__name__": "relax_functions", **LIBRARY}
        for name, stub in self._sites.items():
            linked = namespace[name] = stub(machine)
            if isinstance(linked, Settling):
                linked.replace = partial(namespace.__setitem__, name)
        exec(self._code, namespace)
        return {function: namespace[name] for function, name in self._functions.items()}

    def _certain_form(
        self, machine: Machine, closure: Closure, arguments: Sequence[object]
    ) -> Callable[..., object] | None:
        from relax_lang.runtime.compiler.certain_sizes import (
            with_certain_sizes,  # few functions are called so often
        )

        function = closure.function
        assert isinstance(function, tree.Function)
        groups = self.groups.get(function, ())
        made = with_certain_sizes(self._plans[function], groups, machine, arguments)
        if made is None:
            return None
        prim_funcs = [item for item in self.module.items if isinstance(item, tree.PrimFunc)]
        with no_collection():
            return compile_form(tree.IRModule((), (*prim_funcs, made)), made, machine, self._constants)


class _Activate:
    """Begins calls of closures: of compiled functions, or by the interpreter. [X.9.2]"""

    __slots__ = ("_functions", "_plans")

    def __init__(
        self, functions: Mapping[tree.Function, Callable[..., Any]], plans: Mapping[tree.Function, Plan]
    ) -> None:
        self._functions = functions
        self._plans = plans

    def plain(self, closure: Closure, arguments: int) -> tuple[Callable[..., object], int] | None:
        """Return the plain Python function of a closure at module level, and how many calls it makes inside at most."""
        function = closure.function
        assert isinstance(function, tree.Function)
        code = self._functions.get(function)
        if code is None or function.name is None or closure.bound or arguments != len(function.params):
            return None
        plan = self._plans[function]
        return None if plan.stepping else (code, plan.inside)

    def __call__(
        self, machine: Machine, closure: Closure, arguments: tuple[object, ...], call: tree.Call | None
    ) -> Activation:
        function = closure.function
        assert isinstance(function, tree.Function)
        code = self._functions.get(function)
        given = (*arguments, *closure.bound)
        if code is None or len(given) != len(function.params):
            return interpreter.activate(machine, closure, arguments, call)
        plan = self._plans[function]
        if function.name is None:
            # Its own name means itself, without arguments that `make_closure` gave. [V.7]
            itself = closure.variables.get(closure.name, closure) if closure.bound else closure
            given = (itself, *given)
        if plan.stepping:
            return Activation(code(*given), closure, call)

        def counted() -> Steps:
            return interpreter.activate(machine, closure, arguments, call).steps

        return Activation(_at_once(code, given), closure, call, plan.inside, counted)


def _at_once(code: Callable[..., object], given: tuple[object, ...]) -> Steps:
    """Run a plain function when the machine asks for it; it never waits for the machine."""
    return code(*given)
    yield


def compile_module(
    module: tree.IRModule,
    text: str | None = None,
    proved: Collection[tree.Node] = frozenset(),
    constants: Constants = NO_CONSTANTS,
) -> Program:
    """Compile a module in normal form; `text` is what it was read from, by which it is found again.

    `proved` are nodes of the module whose checks cannot fail, so that they are left out: a `Function` (its
    arguments, whoever calls it), the `ret_struct_info` of one, a `MatchCast`, the annotation of a binding; others
    are ignored. Shape variables are bound all the same. A proof is relied on only where nothing can belie it.
    `constants` says of constants in files, by path and key, what is certain whenever the program runs.
    """
    known_of = [(place, dtype_of(info), sizes_of(info)) for place, info in constants.items()]
    key = None if text is None else (text, revision(), *known_of)
    known = None if key is None else _CACHE.get(key)
    if known is not None and same(known.module, module):
        return known
    with no_collection():
        program = _compile(module, proved, constants)
    if key is not None:
        _CACHE[key] = program
        while len(_CACHE) > _KEPT:
            _CACHE.popitem(last=False)
    return program


def compile_form(
    module: tree.IRModule, function: tree.Function, machine: Machine, constants: Constants = NO_CONSTANTS
) -> Callable[..., object] | None:
    """Compile a function of a module for arguments that are known to fit; return its Python function on a machine."""
    graph = Graph(module)
    if not graph.plans[function].compiled:
        return None
    program = _written(module, graph, frozenset([function]), constants)
    return program.functions_on(machine)[function]


def _compile(module: tree.IRModule, proved: Collection[tree.Node], constants: Constants) -> Program:
    graph = Graph(module)
    return _written(module, graph, _trusted(module, graph, proved) if proved else frozenset(), constants)


def _written(
    module: tree.IRModule, graph: Graph, proved: Collection[tree.Node], constants: Constants
) -> Program:
    writer = ModuleWriter(module, graph, proved, constants)
    writer.name_functions(graph.plans.values())
    for item in module.items:
        if isinstance(item, tree.Function) and graph.plans[item].compiled:
            write_function(writer, graph.plans[item])
            while writer.waiting:
                write_function(writer, *writer.waiting.pop(0))
            while writer.parts:
                writer.parts.pop(0)()
    return Program(module, writer)


def _trusted(module: tree.IRModule, graph: Graph, proved: Collection[tree.Node]) -> frozenset[tree.Node]:
    """Return the checks that may be left out whatever the embedder does.

    Packed functions can give an array another shape in place, and a file can have changed since it was looked at.
    """
    loud = [plan for plan in graph.plans.values() if not plan.quiet]
    trusted: set[tree.Node] = set()
    for item in module.items:
        if not isinstance(item, tree.Function):
            continue
        nodes = list(walk(item))
        if [node for node in nodes if isinstance(node, tree.FileLit)]:
            return frozenset()
        if not [node for node in nodes if isinstance(node, tree.Function) and not graph.plans[node].quiet]:
            trusted |= needless(nodes, proved, graph)
    return frozenset([node for node in trusted if not loud or not isinstance(node, tree.Function)])
