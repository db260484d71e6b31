"""The public surface: programs in, trees, texts, diagnostics and results out.

A program is given as text or as a `SourceFile` (see `read`). Functions that need a program without errors
also take what `check` returned, so that nothing is checked twice. If there are errors they raise `RelaxError`,
which holds the diagnostics; nothing else is raised on account of a program.

    >>> from relax_lang import api
    >>> text = "def @main(x: Tensor[(n,), float32]) { x+x }"
    >>> print(api.format_text(text), end="")
    def @main(x: Tensor[(n,), float32]) {
      x + x
    }
    >>> api.check(text).diagnostics
    []

Constants in files are looked up beside the program, for bare text in the current folder.
"""

from __future__ import annotations

from relax_lang.base.recursion import deep_recursion
from relax_lang.base.source import PythonFile, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.driver import Checked
    from relax_lang.check.fixes import FixResult
    from relax_lang.files.arrays import Header
    from relax_lang.graph.model import Graph
    from relax_lang.runtime.interpreter.machine import Instrumentation
    from relax_lang.runtime.session import Session
    from relax_lang.scope.alpha_equality import Difference
    from relax_lang.syntax.parser import Parsed
    from relax_lang.syntax.tree import FileLit, IRModule
    from relax_lang.tir.compile import Compiled
    from relax_lang.tvmscript.writer.module import Exported

    Program = str | SourceFile
    AnyProgram = Program | Checked

# The passes are imported by the functions that need them: `relax check` loads no more than it uses.


class RelaxError(Exception):
    """A program that cannot be used as asked, or that failed while running; says why with diagnostics.

    >>> try:
    ...     run("def @main() { y }")
    ... except RelaxError as error:
    ...     print(error)
    <text>:1:15: error[RLX0201 undefined-variable] `y` is not defined
    """

    def __init__(self, source: SourceFile, diagnostics: Iterable[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join([_line(source, one) for one in self.diagnostics]))

    def _repr_html_(self) -> str:
        """Show the diagnostics in a notebook."""
        from relax_lang.html import diagnostics_html

        return diagnostics_html(self.source, self.diagnostics)


def _line(source: SourceFile, one: Diagnostic) -> str:
    place = source.path
    if one.pos >= 0:
        line, column = source.position(one.pos)
        place += f":{line}:{column}"
    return f"{place}: {one.severity}[{one.code} {one.slug}] {one.message}"


def read(path: str) -> SourceFile:
    """Read a program from a file (`-`: from standard input). Raises RelaxError if that is not possible.

    >>> read("none.rlx")
    Traceback (most recent call last):
      ...
    relax_lang.api.RelaxError: none.rlx: error[RLX0001 file-not-found] there is no file `none.rlx`
    """
    from relax_lang.files import programs

    source, problem = programs.read(path)
    if problem is not None:
        raise RelaxError(source, [problem])
    return source


def parse(program: Program) -> Parsed:
    """Parse a program; whatever the text, there is a tree, and what is wrong is in `.diagnostics`.

    >>> parsed = parse("def @main() { (1, 2) }")
    >>> [type(item).__name__ for item in parsed.tree.items]
    ['Function']
    """
    source = _source(program)
    if isinstance(source, PythonFile):
        from relax_lang.tvmscript.check_script import parse_script  # only for Python files

        return parse_script(source)
    from relax_lang.syntax.parser import parse as parse_text

    with deep_recursion():
        return parse_text(source.text)


def check(program: Program, *, lints: Sequence[str] = ()) -> Checked:
    """Check a program; what is wrong is in `.diagnostics`, in the order of the text.

    `lints` names rules that are off and are to be applied all the same, by code, slug or group (`lints`, `all`);
    their diagnostics have the severity `off`. Those of other rules that are off are left out.

    >>> [one.slug for one in check("def @main() { let y = x; z }").diagnostics]
    ['undefined-variable', 'undefined-variable']
    """
    with deep_recursion():
        return _check(_source(program), lints)


def fix_text(
    program: Program,
    *,
    unsafe: bool = False,
    lints: Sequence[str] = (),
    want: Callable[[list[Diagnostic]], list[Diagnostic]] | None = None,
) -> FixResult:
    r"""Apply the safe fixes of a program, with `unsafe` the others too, as long as one helps.

    `want` picks the diagnostics that are to be fixed and reported: all that are not off, if it is not given;
    `lints` is that of `check`.

    >>> result = fix_text("def @f(x: Tensor) { let y = add(x, x)\n y }")
    >>> result.text
    'def @f(x: Tensor) { let y = add(x, x);\n y }'
    >>> [one.slug for one in result.fixed], result.left
    (['syntax'], [])
    """
    from relax_lang.check.fixes import fix_text as fix

    source = _source(program)

    def find(text: str) -> list[Diagnostic]:
        return _check(source.with_text(text), lints).diagnostics

    with deep_recursion():
        return fix(source.text, unsafe, find=find, want=want)


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

    source = _source(program)
    with deep_recursion():
        formatted = safe.format_text(source.text, line_length or safe.WIDTH)
    if has_errors(formatted.diagnostics):
        raise RelaxError(source, formatted.diagnostics)
    return formatted.text


def print_tree(node: IRModule) -> str:
    """Return a module built by `parse`, `normalize` or in Python as text; raises RelaxError if no text means the same.

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


def to_tvmscript(
    program: AnyProgram, *, version: str = "0.27", name: str = "Module", archive: str = ""
) -> Exported:
    """Return a program, in normal form, as a Python file with TVMScript; `name` is that of its class.

    `version` is the TVM that it is written for, "0.27" or "0.20". Constants of more than 32 elements are in
    `.constants` of the result, by their keys in a file `archive` beside the Python file, if one is named; otherwise
    they are written out. Raises RelaxError if the program has errors, or says what TVMScript cannot; ValueError for
    another version.

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
        exported = write_module(checked, version=version, name=name, archive=archive)
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
    from relax_lang.scope.alpha_equality import differences

    trees = normalize(left), normalize(right)
    with deep_recursion():
        return differences(*trees)


def graph(program: AnyProgram) -> Graph:
    """Return the graph of a program, which `relax_lang.graph.svg`, `dot` and `mermaid` draw. Raises RelaxError.

    >>> [node.label for node in graph("def @f(x: Tensor) { exp(x) }").functions[0].blocks[0].nodes]
    ['', 'exp(x)', 'returns gv']
    """
    from relax_lang.graph.model import graph_of

    checked = check_sound(program)
    with deep_recursion():
        return graph_of(checked.normal, checked.inferred.infos, checked.source)


def compile(program: AnyProgram) -> dict[str, Compiled]:  # noqa: A001 - the verb everybody expects
    """Return the NumPy code of every PrimFunc by name; raises RelaxError if the program has errors.

    >>> text = "prim_func @f(X: Buffer[(2,), int32]) { for i in 0..2 { X[i] = 0; } }"
    >>> "def " in compile(text)["f"].source
    True
    """
    from relax_lang.syntax.tree import PrimFunc
    from relax_lang.tir.compile import compile_prim_func

    checked = check_sound(program)
    with deep_recursion():
        return {
            item.name.name_hint: compile_prim_func(item)
            for item in checked.tree.items
            if isinstance(item, PrimFunc)
        }


def numpy_module(program: AnyProgram) -> str:
    """Return one Python module with the NumPy code of all PrimFuncs, that needs NumPy only; raises RelaxError if the
    program has errors.

    >>> text = "prim_func @double(X: Buffer[(n,), int32]) { for i in 0..n { X[i] = X[i] * 2; } }"
    >>> "def double(X: np.ndarray) -> None:" in numpy_module(text)
    True
    """
    from relax_lang.tir.compile import module_of

    return module_of(compile(program).values())


def dump_passes(program: AnyProgram, passes: Collection[str]) -> dict[str, list[tuple[str, list[str]]]]:
    """Return what passes of the compilation make of every PrimFunc: by its name, names of passes with lines of text.

    Raises RelaxError if the program has errors.

    >>> text = "prim_func @f(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = X[i] * 2.0 + 1.0; } }"
    >>> for line in dump_passes(text, ["destination-passing"])["f"][0][1]:
    ...     print(line)
    # loop over i: elementwise over i
    into X = X * 2.0
    into X = X + 1.0
    """
    from relax_lang.syntax.tree import PrimFunc
    from relax_lang.tir import compile as compiler

    checked = check_sound(program)
    with deep_recursion():
        return {
            item.name.name_hint: compiler.dump_passes(item, passes)
            for item in checked.tree.items
            if isinstance(item, PrimFunc)
        }


def compile_functions(program: AnyProgram) -> str:
    """Return the Python code that a program's functions run as; raises RelaxError if the program has errors.

    >>> print(compile_functions("def @main(x: Tensor[(n,), float32]) { exp(x) }"), end="")
    # Functions of a Relax program, as they run
    # check_arguments_of_main: what the annotations of @main say
    <BLANKLINE>
    <BLANKLINE>
    def main(x):
        n = check_arguments_of_main(x)
        gv = np.exp(x)
        del x
        return gv
    """
    from relax_lang.runtime.compiler.program import compile_module

    checked = check_sound(program)
    with deep_recursion():
        return compile_module(checked.normal, checked.source.text, checked.inferred.proved).text


def run(
    program: AnyProgram,
    *arguments: object,
    entry: str = "main",
    named: Mapping[str, object] | None = None,
    packed: Mapping[str, Callable[..., object]] | None = None,
    engine: str = "compiled",
) -> object:
    """Run a function of a program and return its value. [RUN.1-RUN.5]

    Tensors are `numpy.ndarray`s of exactly the dtype and shape that the parameter asks for; numbers and
    lists become tensors of its dtype. Tuples are Python tuples, shapes are `relax_lang.ShapeValue`s, the
    unit is `()`. Arrays are passed as they are, so that a program that changes its arguments changes them.
    `named` are arguments by the names of their parameters, `packed` are functions for `extern` to find,
    beside those registered with `register_packed_func`. Functions run as Python and PrimFuncs as NumPy code, or,
    with the engine `interpreter`, step by step and one element after the other; both mean the same.

    Raises RelaxError if the program has errors, the arguments do not fit, or it fails while it runs; its
    `diagnostics` say why. Raises ValueError for an engine that does not exist.

    >>> run("def @main(x: Tensor[(n,), int32]) { x * x }", [1, 2, 3])
    array([1, 4, 9], dtype=int32)
    >>> run("def @main(x: Tensor[(), int32]) { x }")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    relax_lang.api.RelaxError: <text>:1:11: error[RLX0931 argument-missing] @main needs a value for ...
    """
    return run_session(start(program, packed=packed, engine=engine), entry, arguments, named)


def run_session(
    session: Session,
    entry: str,
    arguments: Sequence[object],
    named: Mapping[str, object] | None = None,
    convert: Callable[[object], object] | None = None,
) -> object:
    """Run a function of a program that was started, with arguments as `run` takes them. Raises RelaxError.

    `convert` makes values of arguments that are not NumPy's; it may raise RunFailure.
    """
    try:
        return session.run(entry, arguments, named, convert)
    except Exception as error:
        from relax_lang.runtime.calling.arguments import ArgumentsRefused
        from relax_lang.values import RunFailure

        if isinstance(error, ArgumentsRefused):
            failures = error.failures
        elif isinstance(error, RunFailure):
            failures = [error]
        else:
            raise
        assert session.source is not None
        raise RelaxError(session.source, [session.diagnose(failure) for failure in failures]) from None


def start(
    program: AnyProgram,
    *,
    packed: Mapping[str, Callable[..., object]] | None = None,
    engine: str = "compiled",
    write: Callable[[str], object] | None = None,
    max_bytes: int | None = None,
    watch: Instrumentation | None = None,
    strict_effects: bool = False,
) -> Session:
    """Make a program ready to be run any number of times. [RUN.3]

    `packed` and `engine` are those of `run`; `write` gets what the program prints, standard output if it is
    not given. `max_bytes` bounds what is allocated in one piece. `watch` is told of every binding, see
    `relax_lang.runtime.instrument`. With `strict_effects` packed functions are held to what their calls promise. Raises
    RelaxError if the program has errors, ValueError for an engine that does
    not exist. The session's `call` takes values as they are, one for each parameter, and raises
    `relax_lang.values.RunFailure`, which `diagnose` turns into a diagnostic.

    >>> session = start("def @twice(x: Tensor[(), int32]) { x + x }")
    >>> session.entries()
    ['twice']
    """
    checked = check_sound(program)
    from relax_lang.files.constants import constant_loader
    from relax_lang.runtime.session import Session  # imports NumPy, after the errors of the program
    from relax_lang.runtime.values.tensors import DEFAULT_MAX_BYTES

    most = DEFAULT_MAX_BYTES if max_bytes is None else max_bytes
    with deep_recursion():
        return Session(
            checked.normal,
            checked.source,
            packed=packed,
            load_constant=constant_loader(checked.source, most),
            write=write,
            engine=engine,
            max_bytes=most,
            watch=watch,
            strict_effects=strict_effects,
            proved=checked.inferred.proved,
        )


def test(program: Program) -> list[Diagnostic]:
    """Compare a program with the expectations in its comments; return what differs, in order.

    >>> test("def @f() { y }  # error: undefined-variable")
    []
    >>> [one.slug for one in test("def @f() { y }")]
    ['unexpected-finding']
    """
    from relax_lang.runtime.expectation_tests import differences

    checked = check(program, lints=["all"])
    return differences(checked, lambda write: start(checked, write=write))


def explain(word: str) -> str | None:
    """Return what a diagnostic means, as Markdown, by its code or slug; None if there is no such diagnostic.

    >>> print(explain("undefined-variable").splitlines()[0])
    ## undefined-variable
    """
    from relax_lang.check.explain import find_rule, markdown_of

    found = find_rule(word)
    return markdown_of(found) if found else None


def check_sound(program: AnyProgram) -> Checked:
    """Check a program unless it is checked; raises RelaxError if it has errors, also those that comments silence."""
    from relax_lang.check.driver import Checked

    if isinstance(program, Checked):
        checked = program
    else:
        source = _source(program)
        if isinstance(source, PythonFile):
            return _one_unit(source)
        checked = check(source)
    if checked.has_errors:
        from relax_lang.base.diagnostic import in_order

        raise RelaxError(checked.source, in_order([*checked.diagnostics, *checked.ignored]))
    return checked


def _check(source: SourceFile, lints: Sequence[str]) -> Checked:
    if isinstance(source, PythonFile):
        from relax_lang.tvmscript.check_script import check_script  # only for Python files

        return check_script(source, _constant_checker(source), lints)
    from relax_lang.check.driver import check_source

    return check_source(source, _constant_checker(source), lints)


def _one_unit(source: PythonFile) -> Checked:
    """Check the one unit of a Python file that is meant. Raises RelaxError if there is more than one."""
    from relax_lang.tvmscript.check_script import refuse_several

    whole = source.with_text(source.text)
    whole.whole = True
    refused = refuse_several(whole)
    if refused is not None:
        raise RelaxError(source, [refused])
    with deep_recursion():
        return check_sound(_check(whole, ()))


def _source(program: Program) -> SourceFile:
    if isinstance(program, str):
        return SourceFile(program)
    if not isinstance(program, SourceFile):  # pyright: ignore[reportUnnecessaryIsInstance] - for those who do not type
        kind = type(program).__name__  # pyright: ignore[reportUnreachable]
        raise TypeError(f"a program is text, or what `read(path)` returns, not {kind}")
    return program


def _constant_checker(source: SourceFile) -> Callable[[FileLit], Diagnostic | Header]:
    def check_constant(literal: FileLit) -> Diagnostic | Header:
        from relax_lang.files.constants import constant_files  # most programs have no constants in files

        return constant_files(source).check(literal)

    return check_constant
