"""A program that is ready to run: the way in for the api. [X.0] [RUN.*]

    session = Session(checked.normal, source)
    result = session.call("main", [np.ones((2, 3), np.float32)])

A session is made once and called often; calls share nothing but the program.
"""

from __future__ import annotations

from relax_lang.base.names import nearest
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.lexemes import global_name
from relax_lang.runtime.calling.arguments import Given, bind_arguments
from relax_lang.runtime.calling.entry_point import EntryPoint
from relax_lang.runtime.calling.packed import PackedFuncs
from relax_lang.runtime.calling.prim_funcs import COMPILED, ENGINES, PrimFuncs
from relax_lang.runtime.calling.print_output import to_stdout
from relax_lang.runtime.interpreter.interpreter import activate
from relax_lang.runtime.interpreter.machine import DEFAULT_MAX_CALLS, Links, Machine
from relax_lang.runtime.values.file_constants import FileConstants
from relax_lang.runtime.values.tensors import DEFAULT_MAX_BYTES, Memory
from relax_lang.syntax import tree
from relax_lang.tir.options.sequential import AUTO, NUMBA, SEQUENTIAL
from relax_lang.values import Closure, PackedFunc, RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.runtime.calling.entry_point import Fitting
    from relax_lang.runtime.interpreter.machine import Instrumentation
    from relax_lang.runtime.values.file_constants import ReadHeader
    from relax_lang.runtime.values.tensors import LoadConstant, Tensor
    from relax_lang.tir.compile import Compiled
    from relax_lang.tir.options.keeping import KeptCodes

    class ReadyProgram(Protocol):
        """A program that was made ready by other means than the engines of this package.

        `module` has its functions by name, which need no bodies; `link` makes a machine call them. `forms` says under
        what the code of PrimFuncs is kept, where that is known.
        """

        module: tree.IRModule
        prim_funcs: dict[tree.PrimFunc, Compiled]
        forms: dict[tree.PrimFunc, str]

        def link(self, machine: Machine) -> None:
            """Make a machine call these functions."""
            ...


SMALLEST_LIMIT = 1 << 16
"""Under a lower limit of memory, even what compiled code makes without asking may be too much."""


class Session:
    """A module in normal form with its links to the outside; everything outside is passed in.

    `packed` are packed functions for this program alone, beside those that are registered.
    `load_constant` reads an array file beside the program, given path and key, `constant_header` its dtype and shape
    alone, which are then those of the whole session. `write` is where `print` goes. `engine` is `compiled` (functions
    become Python, PrimFuncs NumPy) or `interpreter`, which goes by the specification step by step; both mean the same.
    `max_bytes` bounds a single tensor, `max_calls` how deep
    functions may call each other. `watch` is notified of every binding; then the interpreter runs the functions.
    `proved` are the checks that the compiled form may leave out, `kept_code` has code of earlier processes, `forms`
    says under what that of a PrimFunc is kept, where that is known. With `strict_effects` packed functions are held
    to what their calls promise; that, too, the interpreter does. Then, and if an observer asks for it, new tensors
    are poisoned: a result that nothing was written into is a failure.
    `program` runs in place of the functions of the module if it is given. `sequential` decides what runs loops of
    PrimFuncs that stay sequential: `numba`, `numpy`, or `auto`, which is numba where it is installed and that pays.
    PrimFuncs compute rows of large arrays on `threads`: 0 are as many as processors, from a million elements on.
    """

    __slots__ = ("_entry_points", "_machine", "_module", "source")

    def __init__(  # noqa: PLR0913 - what a program can be given
        self,
        module: tree.IRModule,
        source: SourceFile | None = None,
        *,
        packed: Mapping[str, Callable[..., object] | PackedFunc] | None = None,
        load_constant: LoadConstant | None = None,
        constant_header: ReadHeader | None = None,
        write: Callable[[str], object] | None = None,
        engine: str = COMPILED,
        max_bytes: int = DEFAULT_MAX_BYTES,
        max_calls: int = DEFAULT_MAX_CALLS,
        watch: Instrumentation | None = None,
        proved: Collection[tree.Node] = frozenset(),
        strict_effects: bool = False,
        kept_code: KeptCodes | None = None,
        forms: Mapping[tree.PrimFunc, str] | None = None,
        program: ReadyProgram | None = None,
        sequential: str = AUTO,
        threads: int = 0,
    ) -> None:
        if engine not in ENGINES:
            raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
        if sequential not in SEQUENTIAL:
            raise ValueError(f"sequential is one of {', '.join(SEQUENTIAL)}, not {sequential!r}")
        if threads < 0:
            raise ValueError(f"threads is a number of threads, or 0, not {threads}")
        if sequential == NUMBA:
            from importlib.util import find_spec  # only for those who ask for it

            if find_spec(NUMBA) is None:
                raise ImportError("numba is not installed: pip install 'relax-lang[numba]'")
        self.source = source
        self._entry_points: dict[str, EntryPoint] = {}
        """The functions that were called already."""
        # Those who watch see every binding, and small limits every allocation: only the interpreter shows them.
        watched = watch is not None or strict_effects
        constants = FileConstants(module, load_constant or _no_files, constant_header)
        if program is None and engine == COMPILED and not watched and max_bytes >= SMALLEST_LIMIT:
            from relax_lang.runtime.compiler.program import compile_module  # only for those who want it

            text = source.text if source is not None else None
            program = compile_module(module, text, proved, constants.infos)
        self._module = module if program is None else program.module
        externs = PackedFuncs(packed)
        memory = Memory(max_bytes, poisons=strict_effects or (watch is not None and watch.poisons))
        prim_funcs = PrimFuncs(
            externs,
            memory,
            engine,
            None if program is None else program.prim_funcs,
            kept_code,
            sequential,
            threads,
            forms if forms or program is None else program.forms,
        )
        links = Links(externs, prim_funcs, constants.load, write or to_stdout)
        self._machine = Machine(links, memory, max_calls)
        self._machine.watch = watch
        self._machine.strict_effects = strict_effects
        self._machine.activate = activate
        self._link()
        if program is not None:
            program.link(self._machine)

    def _link(self) -> None:
        """Make every global ready before anything runs. [X.0.1] [X.8]"""
        machine = self._machine
        for item in self._module.items:
            if isinstance(item, tree.PrimFunc):
                name = item.name.name_hint
                machine.globals[name] = item
                if not item.private:
                    machine.packed.link(name, machine.prim_funcs.as_packed(item))
            elif item.name is not None:
                machine.globals[item.name.name_hint] = Closure(item, item.name.name_hint, {}, {})

    def entries(self) -> list[str]:
        """Return the names of the functions that can be run, in the order of the text. [X.0.2]"""
        functions = [item for item in self._module.items if isinstance(item, tree.Function)]
        return [one.name.name_hint for one in functions if one.name is not None and not one.private]

    def entry(self, name: str) -> tree.Function:
        """Return the function to run. Raises RunFailure if there is none of that name. [RUN.1]"""
        name = _unquoted(name.removeprefix("@"))
        found = self._machine.globals.get(name)
        if not isinstance(found, Closure):
            raise self._not_found(name, found)
        function = found.function
        assert isinstance(function, tree.Function)
        if function.private:
            raise RunFailure("private-function", f"{global_name(name)} is private", function.name)
        return function

    def _not_found(self, name: str, found: object) -> RunFailure:
        written = global_name(name)
        names = self.entries()
        there = (
            f"there are {', '.join([global_name(one) for one in names])}" if names else "the module has none"
        )
        failure = RunFailure("entry-not-found", f"there is no function {written} to run; {there}")
        like = nearest(name, names)
        if isinstance(found, tree.PrimFunc):
            failure.node = found.name
            failure.facts["note"] = (
                f"{written} is a prim_func: it writes into its buffers and returns nothing"
            )
        elif like is not None:
            failure.facts["help"] = f"did you mean {global_name(like)}?"
        return failure

    def arguments(self, entry: str, given: Given) -> list[object]:
        """Return values for the parameters of an entry. Raises ArgumentsRefused, or RunFailure. [RUN.2]"""
        with deep_recursion():
            return bind_arguments(self.entry(entry), given, self._machine.memory)

    def run(
        self,
        entry: str,
        arguments: Sequence[object],
        named: Mapping[str, object] | None = None,
        convert: Callable[[object], object] | None = None,
    ) -> object:
        """Run a function on what a caller gave, in order and by name. Raises ArgumentsRefused, or RunFailure. [RUN.2]

        `convert` makes values of what is not known to fit as it is.
        """
        point = self._entry_points.get(entry)
        if point is not None:
            known = point.known(arguments, named)
            if known is not None:
                values, fitting = known
                if fitting.settled is not None and point.code is not None:
                    return self._machine.run_settled(point.code, point.closure, values, fitting.settled)
                with deep_recursion():
                    return self._run_known(point, values, fitting)
        with deep_recursion():
            point = self._entry_point(entry)
            if convert is not None:
                arguments = [convert(value) for value in arguments]
                named = {name: convert(value) for name, value in (named or {}).items()}
            return self.call(entry, point.bind(arguments, named, self._machine.memory))

    def call(self, entry: str, arguments: Sequence[object] = ()) -> object:
        """Run a function and return its value. Raises RunFailure if the program fails. [RUN.5]"""
        machine = self._machine
        point = self._entry_points.get(entry) or self._entry_point(entry)
        code, closure = point.code, point.closure
        if code is None or len(arguments) != point.parameters:
            with deep_recursion():
                return machine.run(machine.activate(machine, closure, tuple(arguments), None))
        known = point.known(arguments)
        if known is not None and known[1].settled is not None:
            return machine.run_settled(code, closure, known[0], known[1].settled)
        with deep_recursion():
            if known is not None:
                return self._run_known(point, *known)
            return machine.run_plain(code, closure, arguments)

    def _run_known(self, point: EntryPoint, values: Sequence[object], fitting: Fitting) -> object:
        """Run a function on values that are known to fit."""
        machine, code = self._machine, point.code
        if code is None:
            return machine.run(machine.activate(machine, point.closure, tuple(values), None))
        if fitting.form is None:
            point.count(fitting, values, machine.certain_form)
        else:
            fitting.ran()
        return machine.run_plain(code, point.closure, values, fitting.form)

    def _entry_point(self, entry: str) -> EntryPoint:
        found = self._entry_points.get(entry)
        if found is None:
            function = self.entry(entry)
            assert function.name is not None
            closure = self._machine.globals[function.name.name_hint]
            assert isinstance(closure, Closure)
            plain = self._machine.plain(closure, len(function.params))
            code = plain[0] if plain is not None and plain[1] < self._machine.max_calls else None
            found = self._entry_points[entry] = EntryPoint(closure, function, code)
        return found

    def diagnose(self, failure: RunFailure) -> Diagnostic:
        """Return the diagnostic of a failure of this program. [RUN.5]"""
        from relax_lang.runtime.failures import to_diagnostic  # most runs succeed

        with deep_recursion():
            return to_diagnostic(failure, self.source)


def _no_files(path: str, key: str | None) -> Tensor:
    raise RunFailure("constant-file-missing", f"there is no file `{path}`: this program was given no folder")


def _unquoted(name: str) -> str:
    """Return the name that `"fused.add 1"` is in quotes, as programs write it; any other as it is. [Y.11]"""
    if len(name) > 1 and name[0] == name[-1] == '"':
        import json  # only for such names

        try:
            return str(json.loads(name))
        except ValueError:
            pass
    return name
