"""Write the modules that a clean `relax check` loads into one file: what the build of a wheel does last.

    python tools/make_pack.py FOLDER

FOLDER is the package as it is installed. The modules are those that are loaded by `check` and `fmt` of a program with a
PrimFunc and without a mistake. They are without what only type checkers read, and functions that were not called are
apart (`relax_lang/_pack.py` reads the file and says what is in it).
"""

from __future__ import annotations
import __future__

import ast
import importlib
import marshal
import os
import subprocess
import sys
import tempfile
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_OPTIMIZED
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from setuptools.command.build_py import build_py

Modules = list[tuple[str, int]]
"""Modules of a group, with how many before each it needs when it is loaded."""
Key = tuple[str, str, int]
"""The file, the qualified name and the first line of a function."""
Watched = tuple[dict[tuple[str, int], object], dict[str, bytes], list[Modules], set[Key], dict[Key, str]]
"""Patterns, numbers of tables, groups of modules, with how many of a group each needs, called functions, and functions
that their names lead to, each with the attribute of what has the name that holds it."""

FILE = "start.pack"
PROGRAM = """prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    block relu (vi = spatial(i), vj = spatial(j)) {
      Y[vi, vj] = max(X[vi, vj], 0.0);
    }
  }
}

def @main(x: Tensor[(n, 64), float32], w: Tensor[(64, 64), float32]) -> Tensor[(n, 64), float32] {
  dataflow {
    let lv0 = matmul(x, w);
    let lv1 = add(lv0, x);
    let lv2 = nn.softmax(lv1, axis=-1);
    let gv0 = call_tir(@relu, (lv2,)) -> Tensor[(n, 64), float32];
    output gv0;
  }
  gv0
}
"""
_LIST = """
import _sre
import marshal
import sys
from _frozen_importlib_external import SourceFileLoader
from relax_lang import _main

execute = SourceFileLoader.exec_module
groups, under_way = [], []

def noted(self, module):
    if not module.__name__.startswith("relax_lang."):
        return execute(self, module)
    inner = []
    under_way.append(inner)
    execute(self, module)
    under_way.pop()
    inner.append((module.__name__, len(inner)))
    if under_way:
        under_way[-1].extend(inner)
    else:
        groups.append(inner)

SourceFileLoader.exec_module = noted
from relax_lang.base.python import patterns

compile_pattern, pattern = _sre.compile, patterns.pattern
given, ready = [], {}

def compiled(*values):
    given.append(values)
    return compile_pattern(*values)

def ready_made(text, flags=0):
    given.clear()
    made = pattern(text, flags)
    if given:
        _, all_flags, code, groups, names, numbers = given[-1]
        ready[text, flags] = int(all_flags), [int(one) for one in code], groups, dict(names), tuple(numbers)
    return made

_sre.compile, patterns.pattern = compiled, ready_made
called = set()

def note(frame, event, argument):
    if event == "call":
        code = frame.f_code
        called.add((code.co_filename, code.co_qualname, code.co_firstlineno))

_main._leave = lambda status: None
sys.setprofile(note)
status = _main.main()
sys.setprofile(None)
named = {}
# Only these are asked for parts: a module that is loaded when something is asked of it must not be.
parts = {type(note): ("",), property: ("fget", "fset"), classmethod: ("__func__",), staticmethod: ("__func__",)}

def note_named(owner, space, above):
    for key, value in list(space.items()):
        if type(value) is type and value.__module__ == owner and value.__qualname__ == above + key:
            note_named(owner, vars(value), above + key + ".")
        for part in parts.get(type(value), ()):
            function = getattr(value, part) if part else value
            code = getattr(function, "__code__", None)  # a property may have no setter
            if code and function.__module__ == owner and code.co_qualname == above + key:
                named[code.co_filename, code.co_qualname, code.co_firstlineno] = part

for name, module in list(sys.modules.items()):
    if name.startswith("relax_lang."):
        note_named(name, vars(module), "")

from relax_lang.syntax import table
from relax_lang.syntax.lalr_table import short, unpacked
numbers = {short(text): unpacked(text) for text in (table.ACTION, table.GOTO_KEYS, table.GOTO_TARGETS)}
print(marshal.dumps((ready, numbers, groups, called, named)).hex())
sys.exit(status)
"""
_TRIVIAL = "def @main(x: Tensor) {\n  x\n}\n"
_COMMANDS = (
    (_TRIVIAL, ("check", "--quiet")),
    (PROGRAM, ("check", "--quiet")),
    (PROGRAM, ("fmt", "--check", "--quiet")),
)
_STAGES = {
    "relax_lang.base": True,  # the command line
    "relax_lang.cli.check": True,
    "relax_lang.api": False,
    "relax_lang.check.driver": True,  # what a program needs that is not in the cache
    "relax_lang.check.prim_func_results": True,  # what a program with PrimFuncs needs
}
"""Where groups begin that hold what the command imports from there on, and whether all of it is loaded at once."""
_LINES_ONLY = "PYTHONNODEBUGRANGES"
"""Python's own variable: places in code are lines, without columns."""
_SHORT = "def f(*args, **kwargs): from relax_lang._pack import whole; return whole(-1)(*args, **kwargs)"
"""A function without its code: the number of its code is put in."""
_LEAST = 300
"""Functions of fewer bytes are not worth a place apart."""
_NEEDS_FRAME = {"_getframe", "locals", "currentframe"}


def make_pack(package: Path) -> Path:
    """Write the file for an installed package; return its path. Raises CalledProcessError if the check fails."""
    (package / FILE).unlink(missing_ok=True)
    own = _own(package)
    patterns: dict[tuple[str, int], object] = {}
    numbers: dict[str, bytes] = {}
    groups: list[Modules] = []
    called: set[Key] = set()
    named: dict[Key, str] = {}
    for program, words in _COMMANDS:
        ready, numbers, found, also_called, also_named = _watched(package, program, words)
        patterns |= ready
        called |= also_called
        named |= also_named
        groups += _stages(_new(found, groups), own.WHOLE)
    apart = _Apart(called, named)
    modules: dict[str, tuple[str, bool, int, int, int, int]] = {}
    written: list[tuple[int, int, tuple[str, ...]]] = []
    data = b""
    for group in groups:
        codes: list[CodeType] = []
        for name, needs in group:
            path = _path(package, name)
            below = path.relative_to(package).as_posix()
            text = path.read_bytes()
            is_package = path.name == "__init__.py"
            modules[name] = below, is_package, len(text), len(written), len(codes), needs
            codes.append(apart.module(name, _compiled(text, path), str(path)))
        code = marshal.dumps(codes)
        written.append((len(data), len(data) + len(code), tuple([name for name, _ in group])))
        data += code
    everything = data + apart.data
    about_code = len(data), len(everything), patterns, own.engine_version(), numbers
    head = marshal.dumps((modules, written, *about_code, apart.places, apart.functions))
    length = len(head).to_bytes(8, "little")
    (package / FILE).write_bytes(own.key() + length + head + everything)
    return package / FILE


def _stages(groups: list[Modules], whole: int) -> list[Modules]:
    """Return groups that belong together as one each."""
    made: list[Modules] = []
    in_stage = False
    for group in groups:
        head, needs = group[-1]
        if head in _STAGES:
            in_stage = True
            made.append([*group[:-1], (head, whole if _STAGES[head] else needs)])
        elif in_stage:
            made[-1] += group
        else:
            made.append(group)
    return made


def _new(groups: list[Modules], known: list[Modules]) -> list[Modules]:
    """Return groups without the modules that others hold."""
    names = {name for group in known for name, _ in group}
    made: list[Modules] = []
    for group in groups:
        new = [name not in names for name, _ in group]
        left = [(name, sum(new[at - needs : at])) for at, (name, needs) in enumerate(group) if new[at]]
        names |= {name for name, _ in left}
        if left:
            made.append(left)
    return made


def _watched(package: Path, text: str, words: tuple[str, ...]) -> Watched:
    """Run a command; return what it loads and calls."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.rlx")
        program.write_text(text, encoding="utf-8")
        # What was written there before must not decide what is loaded.
        environment = os.environ | {"PYTHONPATH": str(package.parent), "RELAX_NO_CACHE": "1"}
        command = [sys.executable, "-B", "-c", _LIST, *words, str(program)]
        done = subprocess.run(
            command, env=environment, cwd=folder, check=True, capture_output=True, text=True
        )
    return marshal.loads(bytes.fromhex(done.stdout.split()[-1]))


def _path(package: Path, name: str) -> Path:
    below = package.joinpath(*name.split(".")[1:])
    return below / "__init__.py" if below.is_dir() else below.with_suffix(".py")


def _compiled(text: bytes, path: Path) -> CodeType:
    """Return the code of a module without annotations of functions and of what is under `if TYPE_CHECKING`."""
    bare = _Bare().visit(ast.parse(text))
    return compile(bare, path.name, "exec", __future__.annotations.compiler_flag, dont_inherit=True)


class _Bare(ast.NodeTransformer):
    """Takes away what only type checkers read; places stay."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Leave out what is under `if TYPE_CHECKING`."""
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse or ast.copy_location(ast.Pass(), node)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        """Leave out what the compiler is told by a flag: the module of that name would be looked for on the disk."""
        return None if node.module == "__future__" else node

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Leave out the text about the module."""
        self.generic_visit(node)
        _leave_out_doc(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leave out the text about the class."""
        self.generic_visit(node)
        _leave_out_doc(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave out the annotations, and the text about the function, unless a decorator could ask for it."""
        node.returns = None
        self.generic_visit(node)
        if not node.decorator_list:
            _leave_out_doc(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Leave out the annotation."""
        node.annotation = None
        return node


def _leave_out_doc(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> None:
    first = node.body[0] if node.body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        node.body[:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), first)]


class _Apart:
    """Puts the code of functions that were not called beside the modules.

    Only of functions that their names lead to: so the reader finds them when it has executed their module.
    """

    def __init__(self, called: set[Key], named: dict[Key, str]) -> None:
        self._called = called
        self._named = named
        self.data = b""
        self.places: list[tuple[int, int]] = []
        """Where the code of each function begins, and how long it is."""
        self.functions: dict[str, list[tuple[int, str, str]]] = {}
        """By the name of a module: the numbers of its functions, their names, and the attributes that hold them."""
        self._names: list[tuple[int, str, str]] = []
        space: dict[str, object] = {}
        exec(_SHORT, space)
        short: Any = space["f"]
        self._short: CodeType = short.__code__

    def module(self, name: str, code: CodeType, path: str) -> CodeType:
        """Return the code of a module in which functions that were not called are short."""
        self._names = []
        made = self._split(code, path)
        if self._names:
            self.functions[name] = self._names
        return made

    def _split(self, code: CodeType, path: str) -> CodeType:
        parts = [self._part(one, path) if isinstance(one, CodeType) else one for one in code.co_consts]
        return code.replace(co_consts=tuple(parts))

    def _part(self, code: CodeType, path: str) -> CodeType:
        if not code.co_flags & CO_OPTIMIZED:  # a class
            return self._split(code, path)
        name = code.co_qualname.rpartition(".")[2]
        key = path, code.co_qualname, code.co_firstlineno
        if (
            key in self._called
            or key not in self._named
            or code.co_freevars  # `super()` is one
            or not name.isidentifier()  # a lambda
            or name == "__init__"  # its parameters are looked at
            or code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
            or _NEEDS_FRAME & {*code.co_names}
        ):
            return code
        data = marshal.dumps(code)
        if len(data) < _LEAST:
            return code
        number = len(self.places)
        self.places.append((len(self.data), len(data)))
        self._names.append((number, code.co_qualname, self._named[key]))
        self.data += data
        doc = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else None
        places = {-1: number, None: doc}
        return self._short.replace(
            co_name=code.co_name,
            co_qualname=code.co_qualname,
            co_firstlineno=code.co_firstlineno,
            co_filename=code.co_filename,
            co_consts=tuple([places.get(one, one) for one in self._short.co_consts]),
        )


def _own(package: Path) -> ModuleType:
    """Return the module of a package that reads such a file; this package need not be one that can be imported."""
    sys.path.insert(0, str(package.parent))
    writes_bytecode = not sys.dont_write_bytecode
    sys.dont_write_bytecode = True  # what is there goes into the wheel
    try:
        return importlib.import_module("relax_lang._pack")
    finally:
        sys.path.remove(str(package.parent))
        sys.dont_write_bytecode = not writes_bytecode


def write(package: Path) -> None:
    """Write the file in a process whose code knows lines, but no columns, which are half of what would be read."""
    command = [sys.executable, str(Path(__file__).resolve()), str(package)]
    subprocess.run(command, env=os.environ | {_LINES_ONLY: "1"}, check=True, stdout=subprocess.DEVNULL)


class BuildPy(build_py):
    """Builds the modules, and the file of those that are loaded first."""

    def run(self) -> None:
        """Copy the modules; an editable install has its sources elsewhere, and no file."""
        super().run()
        if not self.editable_mode:
            write(Path(self.build_lib, "relax_lang").resolve())

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Return all files that are built."""
        found = super().get_outputs(include_bytecode)
        return found if self.editable_mode else [*found, str(Path(self.build_lib, "relax_lang", FILE))]


if __name__ == "__main__":
    if os.environ.get(_LINES_ONLY):
        make_pack(Path(sys.argv[1]).resolve())
    else:
        write(Path(sys.argv[1]).resolve())
