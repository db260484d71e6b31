"""Compare: runs the program before and after every pass, and stops at the first pass that changes what it does."""

from __future__ import annotations

import re

import numpy as np

from relax_lang.arith.evaluate import names_in
from relax_lang.format.lexemes import global_name
from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from relax_lang.runtime.session import Session
from relax_lang.runtime.values.tensors import is_tensor
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager import diagnostics as diag
from relax_lang.transform.pass_manager.context import Instrument
from relax_lang.transform.pass_manager.errors import PassBrokeProgram, PassRefused
from relax_lang.transform.pass_manager.finding import no_shape_var
from relax_lang.values import RunFailure, ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from relax_lang.runtime.values.tensors import LoadConstant
    from relax_lang.transform.pass_manager.context import AnyPass
    from relax_lang.typed import Typed

    Packed = Mapping[str, Callable[..., object]]

CLOSE = 1e-4
"""How far floats may be apart, relative to the largest of a tensor: sums may be made in another order."""
ROUNDED = 16
"""How far they may be apart all the same, in units in the last place of the largest number that went in: what is left
where terms cancel, as in `mean(x - mean(x))`, is how these were rounded.
"""


class Outcome:
    """What one function did: its value or the kind of its failure, what it printed, and its arguments afterwards."""

    __slots__ = ("arguments", "failure", "given", "printed", "value")

    def __init__(self) -> None:
        self.given = 0.0
        """The largest number among its arguments before the call."""
        self.value: object = None
        self.failure = ""
        self.printed: list[str] = []
        self.arguments: list[object] = []


class Compare(Instrument):
    """Runs every public function on made-up arguments; `seed` and `dims` are those of `relax run`.

    Dimensions without a value in `dims` are made up, too. Functions whose arguments cannot be made up are left out: see
    `skipped`. `load` reads constants in files; `engine` is "interpreter", the meaning of programs, or "compiled".
    """

    def __init__(
        self,
        seed: int = 0,
        dims: Mapping[str, int] | None = None,
        packed: Packed | None = None,
        load: LoadConstant | None = None,
        engine: str = "interpreter",
    ) -> None:
        self.engine = engine
        self.seed = seed
        self.dims = dims or {}
        self.packed = packed
        self.load = load
        self.skipped: dict[str, str] = {}
        """Functions that could not be compared, with the reason."""
        self.compared: set[str] = set()
        self._known: tuple[Typed, dict[str, Outcome]] | None = None

    def before(self, typed: Typed, one: AnyPass) -> None:
        """Run the program as it is, unless it ran as the result of the pass before."""
        if self._known is None:
            self._check_dims(typed)
        if self._known is None or self._known[0] is not typed:
            self._known = typed, self._outcomes(typed)

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """Run the changed program. Raises PassBrokeProgram for the first function that does something else."""
        if result is typed:
            return
        assert self._known is not None
        expected, found = self._known[1], self._outcomes(result)
        for name, outcome in expected.items():
            difference = _difference(outcome, found.get(name))
            if difference:
                shown = global_name(name)
                raise PassBrokeProgram(diag.pass_changed_result(repr(one), shown, difference), typed)
        self._known = result, found

    def table(self) -> str:
        """Return a line for each function that could not be compared."""
        lines = [f"{global_name(name)} was not compared: {why}" for name, why in self.skipped.items()]
        return "\n".join(lines)

    def _check_dims(self, typed: Typed) -> None:
        """Raise PassRefused for sizes of shape variables that no public function has."""
        known = [name for function in _public(typed).values() for name in _shape_vars(function)]
        for name in self.dims:
            if name not in known:
                raise PassRefused(diag.pass_refused(None, "Compare", *no_shape_var(name, known)))

    def _outcomes(self, typed: Typed) -> dict[str, Outcome]:
        arrays = typed.source.arrays

        def load(path: str, key: str | None) -> object:
            held = arrays.get((path, key))
            if held is not None:
                return held.copy()
            if self.load is None:
                raise RunFailure("constant-file-missing", f"there is no file `{path}`")
            return self.load(path, key)

        found: dict[str, Outcome] = {}
        for name, function in _public(typed).items():
            outcome = Outcome()
            session = Session(
                typed.module,
                typed.source,
                packed=self.packed,
                load_constant=load,  # pyright: ignore[reportArgumentType] - held arrays are tensors
                write=outcome.printed.append,
                engine=self.engine,
                proved=typed.inferred.proved if self.engine == "compiled" else frozenset(),
            )
            own = _shape_vars(function)
            dims = {key: size for key, size in self.dims.items() if key in own}
            try:
                outcome.arguments = session.arguments(name, Given(dims=dims, seed=self.seed))
            except ArgumentsRefused as refused:
                self.skipped[name] = refused.failures[0].message
                continue
            except RunFailure as failure:
                self.skipped[name] = failure.message
                continue
            self.compared.add(name)
            outcome.given = magnitude(outcome.arguments)
            try:
                outcome.value = session.call(name, outcome.arguments)
            except RunFailure as failure:
                outcome.failure = failure.slug
            found[name] = outcome
        return found


def _public(typed: Typed) -> dict[str, tree.Function]:
    return {
        function.name.name_hint: function
        for function in typed.functions
        if function.name is not None and not function.private
    }


def _shape_vars(function: tree.Function) -> set[str]:
    infos = [param.struct_info_annotation for param in function.params]
    return {use.name for info in infos if info is not None for use in names_in(info)}


def _difference(before: Outcome, after: Outcome | None) -> str:
    """Return what a function does differently, in words; empty if it does the same."""
    if after is None:
        return "it is gone, or takes other arguments"
    if before.failure:
        # In dataflow blocks failures may vanish, with what depends on them. [X.O2]
        same = after.failure in ("", before.failure)
        return "" if same else f"it failed with {before.failure}, and fails with {after.failure}"
    if after.failure:
        return f"it fails with {after.failure}"
    given = before.given
    if not same_output("".join(before.printed), "".join(after.printed), given):
        return "it prints something else"
    if not same_values(before.value, after.value, given):
        return f"its result was {_brief(before.value)}, and is {_brief(after.value)}"
    alike = same_values(before.arguments, after.arguments, given)
    return "" if alike else "it leaves other values in its arguments"


def magnitude(value: object) -> float:
    """Return the largest absolute value of a finite number in the tensors of a value."""
    if isinstance(value, tuple | list):
        fields: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        return max(map(magnitude, fields), default=0.0)
    if not is_tensor(value) or value.dtype.kind not in "fiu":
        return 0.0
    finite: Any = value[np.isfinite(value)].astype(np.float64)
    return float(np.abs(finite).max()) if finite.size else 0.0


def same_values(left: object, right: object, given: float = 0.0) -> bool:
    """Return whether two values are the same, up to the order in which floats were summed.

    `given` is the largest number that they were computed of.
    """
    alike = type(left) is type(right)
    if is_tensor(left) and is_tensor(right):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype.kind != "f":
            return bool(np.array_equal(left, right))
        with np.errstate(all="ignore"):
            rounding = ROUNDED * float(np.finfo(left.dtype).eps) * given
            apart = max(CLOSE * magnitude(left), rounding)
            return bool(np.allclose(left, right, rtol=CLOSE, atol=apart, equal_nan=True))
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        ones: list[object] = list(left)  # pyright: ignore[reportUnknownArgumentType]
        others: list[object] = list(right)  # pyright: ignore[reportUnknownArgumentType]
        if len(ones) != len(others):
            return False
        return all(same_values(one, other, given) for one, other in zip(ones, others, strict=True))
    if isinstance(left, ShapeValue) and isinstance(right, ShapeValue):
        return left.values == right.values
    return alike


_NUMBER = re.compile(r"[-+]?(?:(?<!\d)\d++\.\d*+(?:e[-+]?\d++)?|inf|nan)")


def same_output(left: str, right: str, given: float = 0.0) -> bool:
    """Return whether two printed texts are the same, up to the order in which floats were summed."""
    if left == right:
        return True
    if _NUMBER.sub("", left) != _NUMBER.sub("", right):
        return False
    ones = np.array([float(found[0]) for found in _NUMBER.finditer(left)])
    others = np.array([float(found[0]) for found in _NUMBER.finditer(right)])
    return same_values(ones, others, given)


def _brief(value: object) -> str:
    from relax_lang.runtime.values.display import show_brief

    return show_brief(value)
