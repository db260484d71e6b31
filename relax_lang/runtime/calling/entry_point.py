"""A function that callers run again and again: arguments that fitted once fit again in the same shapes. [RUN.2]"""

from __future__ import annotations

from relax_lang.runtime.calling.arguments import Given, bind_arguments
from relax_lang.runtime.values.plain_signature import PlainSignature
from relax_lang.runtime.values.tensors import Remembered
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from relax_lang.runtime.values.tensors import Memory
    from relax_lang.values import Closure


_CALLS_BEFORE_A_FORM = 128
"""After so many calls with one combination all of them took about as long as making a form of the function."""
_MOST_FORMS = 32
_RUNS_BEFORE_SETTLED = 4
"""Nothing is planned or compiled any more when a form runs so often."""
_MOST_SIZES = 1 << 12
"""Of so many combinations of sizes the calls are counted; then of those that came first no longer."""


class Fitting:
    """A combination of dtypes and shapes that fits: how often it came, and the form of the function for it.

    `settled` is this form once its own first calls are over, in which more is planned and compiled.
    """

    __slots__ = ("_runs", "calls", "form", "settled")

    def __init__(self) -> None:
        self.calls = 0
        self.form: Callable[..., object] | None = None
        self.settled: Callable[..., object] | None = None
        self._runs = 0

    def ran(self) -> None:
        """Note that the form runs once more."""
        self._runs += 1
        if self._runs == _RUNS_BEFORE_SETTLED:
            self.settled = self.form


class EntryPoint:
    """A public function of a session, with the combinations of dtypes and shapes that its parameters took before.

    `code` is what it was compiled to if that is a plain Python function.
    """

    __slots__ = (
        "_by_sizes", "_fitting", "_forms", "_function", "_names", "_signature", "closure", "code", "parameters",
    )  # fmt: skip

    def __init__(self, closure: Closure, function: tree.Function, code: Callable[..., object] | None) -> None:
        self.closure = closure
        self.code = code
        self.parameters = len(function.params)
        self._function = function
        self._forms = 0
        self._names = [param.name_hint for param in function.params]
        infos = [param.struct_info_annotation for param in function.params]
        self._signature = PlainSignature.of(infos)
        self._by_sizes: dict[tuple[int, ...], Fitting] = {}
        self._fitting = Remembered() if all(map(_asks_for_dtype_and_shape, infos)) else None

    def known(
        self, arguments: Sequence[object], named: Mapping[str, object] | None = None
    ) -> tuple[Sequence[object], Fitting] | None:
        """Return one value for each parameter if these arguments are known to fit; None if they have to be bound."""
        if self._fitting is None:
            return None
        if named:
            if arguments or len(named) != len(self._names):
                return None
            try:
                arguments = [named[name] for name in self._names]
            except KeyError:
                return None
        plain = self._signature
        if plain is not None:
            sizes = plain.sizes(arguments)
            if sizes is not None:
                return arguments, self._by_sizes.get(sizes) or self._with_sizes(sizes)
        found = self._fitting.find(arguments)
        return None if found is None else (arguments, found)

    def _with_sizes(self, sizes: tuple[int, ...]) -> Fitting:
        if len(self._by_sizes) >= _MOST_SIZES:
            del self._by_sizes[next(iter(self._by_sizes))]
        made = self._by_sizes[sizes] = Fitting()
        return made

    def count(
        self,
        fitting: Fitting,
        arguments: Sequence[object],
        make: Callable[[Closure, Sequence[object]], Callable[..., object] | None],
    ) -> None:
        """Note a call with a combination that has no form; have one made when it is worth that."""
        if fitting.calls == _CALLS_BEFORE_A_FORM and self._forms < _MOST_FORMS:
            self._forms += 1
            fitting.form = make(self.closure, arguments)
        fitting.calls += 1

    def bind(
        self, arguments: Sequence[object], named: Mapping[str, object] | None, memory: Memory
    ) -> Sequence[object]:
        """Return one value for each parameter. Raises ArgumentsRefused with all that is wrong, or RunFailure."""
        values = bind_arguments(self._function, Given(arguments, named), memory)
        given = [*arguments, *(named or {}).values()]
        # What was converted on the way has to be converted the next time, too.
        if self._fitting is not None and {*map(id, given)} == {*map(id, values)}:
            self._fitting.keep(values, (), Fitting())
        return values


def _asks_for_dtype_and_shape(info: tree.StructInfo | None) -> bool:
    """Return whether an annotation asks nothing of an array but its dtype and shape, in terms of shape variables."""
    if isinstance(info, tree.TensorStructInfo):
        return not isinstance(info.shape, tree.Var)
    return info is None or isinstance(info, tree.ObjectStructInfo)
