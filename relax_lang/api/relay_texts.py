"""What `relax_lang.relay` offers: texts in Relay, checked, laid out, run and translated."""

from __future__ import annotations

from typing import cast

import numpy as np

from relax_lang.api.forms import format_relay, relay_form
from relax_lang.api.programs import source_of
from relax_lang.api.relay import read_metadata, translated
from relax_lang.api.running import run as run_program
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import RelayFile
from relax_lang.base.wording import counted
from relax_lang.runtime.values.relay_values import AdtValue as Adt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from relax_lang.api.programs import Program
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.relay.checking import Analysed
    from relax_lang.relay.scope.resolved import CtorInfo
    from relax_lang.relay.syntax.parser import Parsed

__all__ = ["Adt", "CheckedRelay", "check", "format_text", "parse", "run", "translate", "translate_file"]


class CheckedRelay:
    """What is known of a program: `diagnostics`, the `types` of its functions as Relay writes them, and its `tree`."""

    __slots__ = ("diagnostics", "tree", "types")

    def __init__(self, found: Analysed) -> None:
        from relax_lang.relay.checking import as_checked
        from relax_lang.relay.unification.model import Func, find_type
        from relax_lang.relay.unification.printing import show

        self.diagnostics: list[Diagnostic] = as_checked(found).diagnostics
        self.tree = found.parsed.tree
        own = [name for name in found.resolved.functions if name not in found.resolved.imported]
        self.types: dict[str, str] = {}
        for name in own:
            scheme = found.typed.functions.get(name)
            known = None if scheme is None else find_type(scheme.type)
            if scheme is not None and isinstance(known, Func):
                self.types[name] = show(Func(known.params, known.result, scheme.quantified))


def parse(program: Program) -> Parsed:
    """Return the tree of a program as written (`.tree`), with `.diagnostics` of its syntax and `.comments`.

    >>> [type(item).__name__ for item in parse("def @main() { (1, 2f) }").tree.items]
    ['Def']
    """
    from relax_lang.relay.syntax.parser import parse as parse_text

    with deep_recursion():
        return parse_text(_source(program).text)


def check(program: Program, meta: str | None = None) -> CheckedRelay:
    """Return everything that is found in a program, and the types of its functions.

    `meta` is a file with objects for `meta[…]`, as for `relax check --meta`; RelaxError is raised if it cannot be read.

    >>> check("def @twice(%f, %x) { %f(%f(%x)) }").types
    {'twice': 'fn[A] (fn (A) -> A, A) -> A'}
    >>> [one.slug for one in check("def @main(%x: float32) { %x + %y }").diagnostics]
    ['relay-undefined-variable']
    """
    from relax_lang.relay.checking import analyse

    with deep_recursion():
        return CheckedRelay(analyse(_source(program, meta)))


def format_text(
    program: Program,
    line_length: int | None = None,
    *,
    form: Literal["anf", "graph"] | None = None,
    strip_types: bool = False,
) -> str:
    """Return a program as `relax fmt` lays it out; raises RelaxError if it has errors.

    `form` writes it in A-normal form (`anf`) or as a graph; `strip_types` leaves out comments such as `/* ty=int32 */`.

    >>> print(format_text("def @main(%x:float32){%x*%x /* ty=float32 */}", strip_types=True), end="")
    def @main(%x: float32) {
      %x * %x
    }
    """
    source = _source(program)
    if form is None:
        return format_relay(source, line_length, strip_types=strip_types)
    made = relay_form(source, form, line_length)
    return format_relay(source.with_text(made), line_length, strip_types=True) if strip_types else made


def run(
    program: Program,
    *arguments: object,
    entry: str = "main",
    meta: str | None = None,
    engine: str = "compiled",
) -> object:
    """Run a function of a program and return its value.

    Tensors are `numpy.ndarray`s, tuples are tuples, values of types of the module are `Adt(constructor, fields)`; in
    arguments, numbers in their fields are int32, float32 and bool, as in the text. The engines are those of `api.run`,
    and `relay`, which runs the program as it is written; the others run its translation. Raises RelaxError if the
    program has errors, the arguments do not fit, or it fails while it runs, ValueError for a constructor that the
    program does not have, or has with another number of fields.

    >>> run("def @main(%x: Tensor[(?), float32]) { %x * 2f }", [1, 2])
    array([2., 4.], dtype=float32)
    >>> run('import "std/prelude.relay" def @main(%n: int32) { @rev(@range(%n)) }', 3)
    Cons(2, Cons(1, Cons(0, Nil)))
    >>> run('import "std/prelude.relay" def @main(%l: List[int32]) { @sum(%l) }', Adt("Cons", (3, Adt("Nil"))))
    array(3, dtype=int32)
    """
    source = _source(program, meta)
    if any(isinstance(one, Adt | tuple) for one in arguments):
        from relax_lang.relay.scope.resolve import resolve
        from relax_lang.relay.syntax.parser import parse as parse_text

        with deep_recursion():
            ctors = resolve(parse_text(source.text), ()).ctors
            arguments = tuple([_tagged(one, ctors) for one in arguments])
    return run_program(source, *arguments, entry=entry, engine=engine)


def _tagged(value: object, ctors: Mapping[str, CtorInfo], *, is_field: bool = False) -> object:
    """Return a value with the tags of its constructors in a program."""
    if isinstance(value, tuple):
        return tuple([_tagged(one, ctors, is_field=is_field) for one in cast("tuple[object, ...]", value)])
    if not isinstance(value, Adt):
        if is_field and isinstance(value, bool | int | float):
            return np.asarray(value, "bool" if isinstance(value, bool) else f"{type(value).__name__}32")
        return value
    info = ctors.get(value.ctor)
    if info is None:
        raise ValueError(f"the program has no constructor `{value.ctor}`")
    if len(info.ctor.fields) != len(value.fields):
        raise ValueError(
            f"`{value.ctor}` has {counted(len(info.ctor.fields), 'field')}, not {len(value.fields)}"
        )
    fields = tuple([_tagged(one, ctors, is_field=True) for one in value.fields])
    return Adt(value.ctor, fields, info.index)


def translate(program: Program, meta: str | None = None) -> str:
    """Return a program as text of Relax; raises RelaxError with all parts that have no translation.

    Constants of the metadata are said to be in `constants.npz`; `translate_file` returns them, too.

    >>> print(translate("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }"), end="")
    def @main(x: Tensor[(2,), float32]) -> Tensor[(2,), float32] {
      let gv = nn.relu(x);
      gv
    }
    """
    return translate_file(program, meta).text


def translate_file(program: Program, meta: str | None = None) -> SourceFile:
    """Return a program as one of Relax, which `api` and `relax_lang.loads` take, with its constants in `.arrays`."""
    return translated(_source(program, meta))


def _source(program: Program, meta: str | None = None) -> RelayFile:
    source = RelayFile(program) if isinstance(program, str) else source_of(program)
    if not isinstance(source, RelayFile):
        if source.path == "<module>":
            raise TypeError("a program in Relay is text, or what `api.read(path)` returns")
        source = RelayFile(source.text, source.path, source.allowed)
    if meta is not None:
        source = source.with_text(source.text)
        source.metadata = read_metadata(meta)
    return source
