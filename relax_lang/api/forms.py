"""A program in its other forms: formatted, normal, as TVMScript, as a graph; and two programs compared."""

from __future__ import annotations

from relax_lang.api.programs import RelaxError, check_sound, source_of
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import PythonFile, RelayFile, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from relax_lang.api.programs import AnyProgram, Program
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.graph.model import Graph
    from relax_lang.scope.alpha.equality import Difference
    from relax_lang.syntax.tree import IRModule
    from relax_lang.tvmscript.writer.module import Exported


def format_text(program: Program, line_length: int | None = None) -> str:
    """Return a program as the formatter lays it out; raises RelaxError if it has syntax errors. [G.42]

    Lines have up to `line_length` columns, 100 if it is not given.

    >>> print(format_text("def @f( ){1}"), end="")
    def @f() {
      1
    }
    """
    from relax_lang.base.diagnostic import has_errors
    from relax_lang.format import safe

    source = source_of(program)
    if isinstance(source, RelayFile):
        return format_relay(source, line_length)
    with deep_recursion():
        formatted = safe.format_text(source.text, line_length or safe.WIDTH)
    if has_errors(formatted.diagnostics):
        raise RelaxError(source, formatted.diagnostics)
    return formatted.text


def format_relay(source: RelayFile, line_length: int | None = None, *, strip_types: bool = False) -> str:
    """Return a program in Relay as the formatter lays it out; raises RelaxError if it has syntax errors.

    `strip_types` leaves out the comments in which printers put types and places.

    >>> print(format_relay(RelayFile("def @main(%x:float32){%x  /* ty=float32 */}"), strip_types=True), end="")
    def @main(%x: float32) {
      %x
    }
    """
    from relax_lang.base.diagnostic import has_errors
    from relax_lang.format.safe import WIDTH
    from relax_lang.relay.syntax.formatting import format_text as format_program  # only for programs in Relay

    with deep_recursion():
        formatted = format_program(source.text, line_length or WIDTH, strip_types=strip_types)
    if has_errors(formatted.diagnostics):
        raise RelaxError(source, formatted.diagnostics)
    return formatted.text


def relay_form(source: RelayFile, form: Literal["anf", "graph"], line_length: int | None = None) -> str:
    """Return a program in Relay in A-normal form (`anf`) or in the form of a graph; raises RelaxError if it has errors.

    >>> print(relay_form(RelayFile("def @main(%x: float32) { exp(%x) * exp(%x) }"), "graph"), end="")
    def @main(%x: float32) {
      %0 = exp(%x);
      %1 = exp(%x);
      %0 * %1
    }
    """
    from relax_lang.base.diagnostic import has_errors
    from relax_lang.format.safe import WIDTH
    from relax_lang.relay.forms.program import a_normal_form, graph_form  # only for programs in Relay

    with deep_recursion():
        made = (a_normal_form if form == "anf" else graph_form)(source, line_length or WIDTH)
    if has_errors(made.diagnostics):
        raise RelaxError(source, made.diagnostics)
    return made.text


def print_tree(node: IRModule) -> str:
    """Return a module built by `parse`, `normalize` or in Python as text; raises RelaxError if no text means the same.

    >>> from relax_lang.api import parse
    >>> print(print_tree(parse("def @f( ){1}").tree), end="")
    def @f() {
      1
    }
    """
    from relax_lang.format.printer import Unprintable
    from relax_lang.format.printer import print_tree as print_node
    from relax_lang.scope.hidden_operators import check_names

    try:
        with deep_recursion():
            text = print_node(node)
            check_names(node)
            return text
    except Unprintable as refused:
        raise RelaxError(SourceFile("", "<tree>"), [refused.diagnostic()]) from None


def normalize(program: AnyProgram) -> IRModule:
    """Return a program in normal form; raises RelaxError if it has errors. [N.0]

    >>> print(print_tree(normalize("def @f(x: Tensor) { x + x * x }")), end="")
    def @f(x: Tensor) {
      let gv = multiply(x, x);
      let gv_1 = add(x, gv);
      gv_1
    }
    """
    checked = check_sound(program)
    with deep_recursion():
        return checked.normal


def differences(left: AnyProgram, right: AnyProgram) -> list[Difference]:
    """Return where two programs differ in normal form: nothing if they are the same up to names. Raises RelaxError.

    >>> differences("def @f(x: Tensor) { x + x }", "def @f(a: Tensor) { let b = add(a, a); b }")
    []
    """
    from relax_lang.scope.alpha.equality import differences

    trees = normalize(left), normalize(right)
    with deep_recursion():
        return differences(*trees)


def verify(module: IRModule, *, normal: bool = False) -> list[Diagnostic]:
    """Return what is wrong with a tree built in Python: names, well-formedness, and what no text can get wrong.

    The last are the rules about shared nodes and contradicting fields [W.1.a, W.2.a, W.2.c, W.9, W.15]; with
    `normal` the tree must also be in normal form [N.1-N.10]. Places are -1 where nodes have none.

    >>> from relax_lang.syntax.tree import Constant, Function, GlobalVar, IntLit, IRModule
    >>> verify(IRModule((), (Function(GlobalVar("f"), False, None, (), None, (), Constant(IntLit(1))),)), normal=True)
    [error[RLX0544 not-normal] -1:-1 not in normal form: the body of a function is not a SeqExpr]
    """
    from relax_lang.base.diagnostic import in_order
    from relax_lang.normalize.verify import verify_normal_form
    from relax_lang.scope.resolve import resolve
    from relax_lang.scope.verify import verify as verify_nodes

    with deep_recursion():
        found = [*verify_nodes(module), *resolve(module).diagnostics]
        if normal:
            found += verify_normal_form(module)
    return in_order(found)


def graph(program: AnyProgram) -> Graph:
    """Return the graph of a program, which `relax_lang.graph.svg`, `dot` and `mermaid` draw. Raises RelaxError.

    >>> [node.label for node in graph("def @f(x: Tensor) { exp(x) }").functions[0].blocks[0].nodes]
    ['', 'exp(x)', 'returns gv']
    """
    from relax_lang.graph.model import graph_of

    checked = check_sound(program)
    with deep_recursion():
        return graph_of(checked.normal, checked.inferred.infos, checked.source)


def to_tvmscript(
    program: AnyProgram,
    *,
    version: str = "0.27",
    name: str = "Module",
    archive: str = "",
    absolute: bool = False,
) -> Exported:
    """Return a program, in normal form, as a Python file with TVMScript; `name` is that of its class.

    `version` is the TVM that it is written for, "0.27" or "0.20". Constants of more than 32 elements are in
    `.constants` of the result, by their keys in a file `archive` beside the Python file, if one is named; otherwise
    they are written out. With `absolute`, files of constants that the program names have paths from the root.
    Raises RelaxError if the program has errors, or says what TVMScript cannot; ValueError for another version.

    >>> print(to_tvmscript("def @main(x: Tensor[(n,), float32]) { x * 2.0 }").text, end="")
    from tvm.script import ir as I, relax as R, tirx as T
    <BLANKLINE>
    <BLANKLINE>
    @I.ir_module
    class Module:
        @R.function
        def main(x: R.Tensor(("n",), dtype="float32")):
            n = T.int64()
            gv: R.Tensor((n,), dtype="float32") = R.multiply(x, R.const(2.0, "float32"))
            return gv
    """
    from relax_lang.tvmscript.writer.module import write_module

    checked = check_sound(program)
    with deep_recursion():
        exported = write_module(checked, version=version, name=name, archive=archive, absolute=absolute)
    if exported.diagnostics:
        raise RelaxError(checked.source, exported.diagnostics)
    return exported


def from_tvmscript(text: str, *, unit: str = "", defines: Mapping[str, object] | None = None) -> str:
    r"""Return a unit of a Python text with TVMScript as Relax text; nothing of the text is executed.

    `unit` is the name or the line of the class or function that is meant, if there are several; `defines` are values
    for names of the Python around it. Raises RelaxError if it cannot be read whole.

    >>> text = "@R.function\ndef main(x: R.Tensor(('n',), 'float32')):\n    return R.nn.relu(x)\n"
    >>> print(from_tvmscript(text), end="")
    def @main(x: Tensor[(n,), float32]) {
      nn.relu(x)
    }
    """
    from relax_lang.tvmscript.check_script import read_unit
    from relax_lang.tvmscript.importing import relax_text

    source = PythonFile(text, "<text>")
    source.unit, source.defines = unit, dict(defines or {})
    found, problems = read_unit(source)
    if found is None or problems:
        raise RelaxError(source, problems)
    made, unprintable = relax_text(found.parsed)
    if unprintable:
        raise RelaxError(source, unprintable)
    return made
