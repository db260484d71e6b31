"""A program that is ready to run: the way in for the api. [X.0] [RUN.*]

    session = Session(checked.normal_form(), source)
    result = session.call("main", [np.ones((2, 3), np.float32)])

A session is made once and called often; calls share nothing but the program.
"""

from __future__ import annotations

import json

from relax_lang.base.names import nearest
from relax_lang.base.recursion import deep_recursion
from relax_lang.fmt.names import global_name
from relax_lang.runtime.arguments import Given, bind_arguments
from relax_lang.runtime.failures import to_diagnostic
from relax_lang.runtime.interpreter import activate
from relax_lang.runtime.machine import DEFAULT_MAX_CALLS, Links, Machine
from relax_lang.runtime.packed import PackedFuncs
from relax_lang.runtime.prim_funcs import COMPILED, ENGINES, PrimFuncs
from relax_lang.runtime.printing import to_stdout
from relax_lang.runtime.tensors import DEFAULT_MAX_BYTES, Memory
from relax_lang.syntax import tree
from relax_lang.values import Closure, PackedFunc, RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.runtime.tensors import LoadConstant, Tensor


class Session:
    """A module in normal form with its links to the outside; everything outside is passed in.

    `packed` are packed functions for this program alone, beside those that are registered.
    `load_constant` reads an array file beside the program, given path and key. `write` is where `print`
    goes. `engine` says how PrimFuncs run: `compiled`, or by the scalar `interpreter`. `max_bytes` bounds
    a single tensor, `max_calls` how deep functions may call each other.
    """

    __slots__ = ("_machine", "_module", "source")

    def __init__(
        self,
        module: tree.IRModule,
        source: SourceFile | None = None,
        *,
        packed: Mapping[str, Callable[..., object] | PackedFunc] | None = None,
        load_constant: LoadConstant | None = None,
        write: Callable[[str], object] | None = None,
        engine: str = COMPILED,
        max_bytes: int = DEFAULT_MAX_BYTES,
        max_calls: int = DEFAULT_MAX_CALLS,
    ) -> None:
        if engine not in ENGINES:
            raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
        self.source = source
        self._module = module
        externs = PackedFuncs(packed)
        memory = Memory(max_bytes)
        prim_funcs = PrimFuncs(externs, memory, engine)
        links = Links(externs, prim_funcs, load_constant or _no_files, write or to_stdout)
        self._machine = Machine(links, memory, max_calls)
        self._link()

    def _link(self) -> None:
        """Make every global ready before anything runs. [X.0.1] [X.8]"""
        machine = self._machine
        for item in self._module.items:
            if isinstance(item, tree.PrimFunc):
                name = item.name.name_hint
                machine.globals[name] = item
                if not item.private:
                    machine.packed.link(name, machine.prim_funcs.as_packed(item))
            elif isinstance(item, tree.Function) and item.name is not None:
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

    def call(self, entry: str, arguments: Sequence[object] = ()) -> object:
        """Run a function and return its value. Raises RunFailure if the program fails. [RUN.5]"""
        function = self.entry(entry)
        assert function.name is not None
        closure = self._machine.globals[function.name.name_hint]
        assert isinstance(closure, Closure)
        with deep_recursion():
            return self._machine.run(activate(self._machine, closure, tuple(arguments), None))

    def diagnose(self, failure: RunFailure) -> Diagnostic:
        """Return the diagnostic of a failure of this program. [RUN.5]"""
        with deep_recursion():
            return to_diagnostic(failure, self.source)


def _no_files(path: str, key: str | None) -> Tensor:
    raise RunFailure("constant-file-missing", f"there is no file `{path}`: this program was given no folder")


def _unquoted(name: str) -> str:
    """Return the name that `"fused.add 1"` is in quotes, as programs write it; any other as it is. [Y.11]"""
    if len(name) > 1 and name[0] == name[-1] == '"':
        try:
            return str(json.loads(name))
        except ValueError:
            pass
    return name
