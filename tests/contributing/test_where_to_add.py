"""The table "Where to add what" of ARCHITECTURE.md: each row is done in a copy of the checkout, as the table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contributing.checkout import ROOT, Checkout

TABLE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Where to add what")[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def named(*paths: str) -> None:
    """Check that the table sends contributors to these files."""
    for path in paths:
        assert f"`{path}`" in TABLE, path


OPERATOR = '''

@family.planned("nn.halved", "data: tensor(float)", infer=unary.same, example="nn.halved(const([1.0, 3.0]))")
def halved(data: TensorSpec) -> Run1:
    """Halve every element.

    The result has the shape and dtype of `data`.
    """
    half = constant(0.5, data.dtype)
    return lambda data: data * half
'''


def test_an_operator(checkout: Checkout) -> None:
    named("ops/definitions/")
    checkout.append("relax_lang/ops/definitions/nn/activation.py", OPERATOR)
    stale = checkout.run("tools/make_operators.py", "--check", status=1)
    assert "make_operators.py" in stale
    checkout.run("tools/make_operators.py")
    checkout.run("tools/make_docs.py")
    assert "nn.halved" in (checkout.folder / "docs/operators.md").read_text(encoding="utf-8")
    path = checkout.program("def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { nn.halved(x) }\n")
    assert "No problems" in checkout.relax("check", path)
    assert "[0.5 1.5]" in checkout.relax("run", path, "--args", "[1, 3]")
    assert "Halve every element." in checkout.relax("ops", "nn.halved")
    path = checkout.program("def @main(x: Tensor[(n,), int32]) { nn.halved(x) }\n")
    assert "op-dtype-mismatch" in checkout.relax("check", path, status=1)


DIAGNOSTIC = '''

@rule("RLX0999", "scratch-finding", WARNING)
def scratch_finding(rule: Rule, place: Location) -> Diagnostic:
    """A scratch diagnostic that nothing reports.

    It has an explanation like every other one.
    """
    return rule.at(place, "a scratch finding")
'''


def test_a_diagnostic(checkout: Checkout) -> None:
    named("diagnostics/")
    checkout.append("relax_lang/check/diagnostics/calls.py", DIAGNOSTIC)
    assert "A scratch diagnostic that nothing reports." in checkout.relax("explain", "scratch-finding")
    checkout.run("tools/make_docs.py")
    assert "## scratch-finding" in (checkout.folder / "docs/diagnostics.md").read_text(encoding="utf-8")


LINT = '''"""long-name: variables with names of more than 20 letters."""

from __future__ import annotations

from relax_lang.base.diagnostic import OFF, rule
from relax_lang.check.lints.core.registry import lint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.check.lints.core.node_index import NodeIndex


@rule("RLX0899", "long-name", OFF)
def report(rule: Rule, place: Location) -> Diagnostic:
    """A name of a variable has more than 20 letters.

    ```relax wrong
    def @main(x: Tensor) {
      let a_name_that_has_no_end_at_all = x;
      a_name_that_has_no_end_at_all
    }
    ```
    """
    return rule.at(place, "this name is long")


@lint("long-name")
def check(index: NodeIndex) -> list[Diagnostic]:
    """Return the bindings of variables with long names."""
    return [report(one.var) for one in index.bindings if one.var is not None and len(one.var.name_hint) > 20]
'''


def test_a_lint(checkout: Checkout) -> None:
    named("check/lints/")
    checkout.create("relax_lang/check/lints/long_name.py", LINT)
    path = checkout.program(
        "def @main(x: Tensor) {\n  let a_name_that_has_no_end_at_all = x;\n  a_name_that_has_no_end_at_all\n}\n"
    )
    assert "No problems" in checkout.relax("check", path)
    shown = checkout.relax("check", path, "--extend-select", "long-name", "--output-format", "concise")
    assert "program.rlx:2:7: hint[RLX0899 long-name] this name is long" in shown
    assert "A name of a variable has more than 20 letters." in checkout.relax("explain", "long-name")
    checkout.run("tools/make_docs.py")
    assert "long-name" in (checkout.folder / "docs/language.md").read_text(encoding="utf-8")


def test_a_function_of_PrimFuncs(checkout: Checkout) -> None:
    named("tir/ir/intrinsics.py")
    checkout.insert_before(
        "relax_lang/tir/ir/intrinsics.py",
        '    Intrinsic("popcount",',
        '    Intrinsic("cbrt", (FLOAT,), SAME, "the cube root of x"),\n',
    )
    path = checkout.program(
        "prim_func @f(X: Buffer[(n,), float64], Y: Buffer[(n,), float64]) {\n"
        "  for i in 0..n {\n    Y[i] = cbrt(X[i]);\n  }\n}\n\n"
        "def @main(x: Tensor[(n,), float64]) { call_tir(@f, (x,)) -> Tensor[(n,), float64] }\n"
    )
    assert "No problems" in checkout.relax("check", path)
    for engine in ("compiled", "interpreter"):
        assert "[2. 3.]" in checkout.relax("run", path, "--args", "[8, 27]", "--engine", engine)


INSTRUMENT = '''"""Counts the bindings of a run."""

import numpy as np

from relax_lang import api
from relax_lang.runtime.instrument.observer import Instrumentation, Observer


class Count(Observer):
    n = 0

    def bound(self, moment, value, scope):
        self.n += 1


count = Count()
session = api.start("def @main(x: Tensor[(n,), float32]) { x + x * x }", watch=Instrumentation([count]))
session.call("main", [np.ones(2, np.float32)])
print(count.n, "bindings")
'''


def test_an_instrument(checkout: Checkout) -> None:
    named("runtime/instrument/")
    checkout.create("count.py", INSTRUMENT)
    assert "2 bindings" in checkout.run("count.py")


def test_an_operator_by_NumPy_alone(checkout: Checkout) -> None:
    named("ops/numpy_kernels/ufuncs.py")
    checkout.append("relax_lang/ops/definitions/nn/activation.py", OPERATOR.replace("halved", "rooted"))
    checkout.run("tools/make_operators.py")
    path = checkout.program("def @main(x: Tensor[(4,), float32]) -> Tensor[(4,), float32] { nn.rooted(x) }\n")
    assert "np.cbrt" not in checkout.relax("compile", path, "--emit", "functions")
    checkout.insert_before(
        "relax_lang/ops/numpy_kernels/ufuncs.py",
        '    "abs": Ufunc("abs", _NUMBERS),\n',
        '    "nn.rooted": Ufunc("cbrt", FLOATS),\n',
    )
    assert "cbrt(" in checkout.relax("compile", path, "--emit", "functions")


BUILDER_METHOD = '''    def null_value(self, pos: int, end: int) -> tree.Tuple:
        """`null` as a value: the tuple of nothing."""
        return tree.Tuple((), pos, end)

'''


def test_syntax(checkout: Checkout) -> None:
    named("grammar/*.lark", "docs/language.md")
    path = checkout.program("def @main() -> () {\n  null\n}\n")
    assert "`null` is a value of attributes only" in checkout.relax("check", path, status=1)
    production = '       | "null"                                                -> null_value\n'
    unit = '       | "(" ")"                                                 -> unit '
    checkout.insert_before("grammar/relax.lark", unit, production)
    checkout.run("tools/make_table.py", "--check", status=1)
    checkout.run("tools/make_table.py")
    method = "    def unit(self, pos: int, end: int)"
    checkout.insert_before("relax_lang/syntax/builders/expressions.py", method, BUILDER_METHOD)
    assert "No problems" in checkout.relax("check", path)
    assert checkout.relax("run", path).strip() == "()"
    assert "Tuple @22:26" in checkout.relax("parse", path)


PASS = '''"""KeepAsIt: a pass that changes nothing."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.passes import Run, function_pass


@function_pass("KeepAsIt", idempotent=True)
def keep_as_it(function: tree.Function, run: Run) -> tree.Function:
    """Change nothing at all.

    ```relax before
    def @main(x: Tensor) {
      x
    }
    ```

    ```relax after
    def @main(x: Tensor) {
      x
    }
    ```
    """
    return function
'''


def test_a_pass(checkout: Checkout) -> None:
    named("transform/bindings/", "transform/catalogue.py")
    (checkout.folder / "relax_lang/transform/bindings/keep_as_it.py").write_text(PASS, encoding="utf-8")
    catalogue = checkout.folder / "relax_lang/transform/catalogue.py"
    text = catalogue.read_text(encoding="utf-8")
    before = "_MODULES = (\n"
    assert before in text
    catalogue.write_text(text.replace(before, before + '    "bindings.keep_as_it",\n'), encoding="utf-8")
    assert "KeepAsIt" in checkout.relax("opt", "--list")
    path = checkout.program("def @main(x: Tensor[(n,), float32]) {\n  x\n}\n")
    assert (
        checkout.relax("opt", path, "-p", "keep-as-it") == "def @main(x: Tensor[(n,), float32]) {\n  x\n}\n"
    )
    checkout.run("tools/make_docs.py")
    assert "Change nothing at all." in (checkout.folder / "docs/passes.md").read_text(encoding="utf-8")
