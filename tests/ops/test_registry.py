"""The registry as a whole: every operator is declared completely, its example runs, nothing imports numpy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lang.ops import documentation, registry
from relax_lang.ops.core.operator import BY_KERNEL, BY_RUNTIME, OPERATORS, Family, Operator
from relax_lang.ops.core.signature import KINDS
from relax_lang.ops.operator_index import MODULES
from relax_lang.ops.registry import all_operators, lookup, names
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure
from tests.ops.harness import called_name, evaluate, f32, run, run_operator

ALL = all_operators()
BY_NAME = {operator.name: operator for operator in ALL}


TVM = [
    line.split()
    for line in Path(__file__).with_name("tvm_operators.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("name", "purity", "since"), TVM, ids=[row[0] for row in TVM])
def test_P_3_operators_of_tvm_are_known_with_their_purity(name: str, purity: str, since: str) -> None:
    operator = BY_NAME[name]
    assert operator.since == since
    if name == "call_dps_packed":  # pure in TVM; here it may change its arguments unless `pure=true` [P.3]
        assert not operator.pure
    else:
        assert operator.pure == (purity == "pure")


def test_the_index_lists_what_the_modules_declare() -> None:
    assert names() == sorted(BY_NAME)
    for module, listed in MODULES.items():
        assert listed.split() == sorted(o.name for o in ALL if o.family.name == module)


def test_a_stale_index_is_refused_with_the_command_that_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODULES, "tensor.linear", "einsum linear matmul gone")
    monkeypatch.setattr(registry, "_loaded", set())
    with pytest.raises(
        ValueError, match=r"gone, outer in tensor\.linear; run `python tools/make_operators\.py`"
    ):
        registry.load("tensor.linear")


def test_lookup_knows_nothing_else() -> None:
    assert lookup("matmul") is BY_NAME["matmul"]
    assert lookup("nn.matmul") is None
    assert lookup("") is None


@pytest.mark.parametrize("operator", ALL, ids=repr)
def test_O_11_declared_completely(operator: Operator) -> None:
    assert len(operator.doc) > 15
    assert operator.doc.endswith(".")
    assert "{" not in operator.doc.replace("`{}`", "")
    assert all(param.kind in KINDS for param in operator.params)
    assert len({p.name for p in operator.params} | {a.name for a in operator.attrs}) == len(
        operator.params
    ) + len(operator.attrs)
    assert (operator.kernel is not None) == (operator.evaluated == BY_KERNEL)
    assert set(operator.aliases) <= {param.name for param in operator.params}
    optional = [param.optional for param in operator.params]
    assert optional == sorted(optional), "what may be left out comes last"
    assert not any(param.variadic for param in operator.params[:-1])


@pytest.mark.parametrize("operator", [o for o in ALL if o.evaluated == BY_KERNEL], ids=repr)
def test_example_runs(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    parsed = parse(operator.example, start="expr")
    assert isinstance(parsed.tree, tree.Call)
    assert called_name(parsed.tree) == operator.name
    evaluate(operator.example)


@pytest.mark.parametrize("operator", [o for o in ALL if o.evaluated == BY_RUNTIME], ids=repr)
def test_example_of_the_runtime_parses(operator: Operator) -> None:
    parsed = parse(operator.example, start="expr")
    assert not parsed.diagnostics
    assert isinstance(parsed.tree, tree.Call)
    assert called_name(parsed.tree) == operator.name


@pytest.mark.parametrize("operator", [o for o in ALL if o.evaluated != BY_KERNEL], ids=repr)
def test_what_has_no_kernel_says_so(operator: Operator) -> None:
    required = {spec.name: _some(spec.type) for spec in operator.attrs if spec.required}
    with pytest.raises(TypeError, match=rf"{re.escape(operator.name)}: only a running program"):
        run_operator(operator, [None] * len(operator.params), required)


def _some(type_: str) -> object:
    from relax_lang.ops.core.signature import DTypeName

    return {"i": 1, "f": 1.0, "s": "x", "d": DTypeName("float32")}[type_[0]]


@pytest.mark.parametrize("operator", ALL, ids=repr)
def test_described(operator: Operator) -> None:
    text = documentation.describe(operator)
    assert operator.signature in text
    assert ("impure" in text) == (not operator.pure)
    assert all(len(line) <= 90 or line.startswith((operator.name, "  ")) for line in text.splitlines())


def test_markdown_has_every_operator_once() -> None:
    page = documentation.markdown()
    assert [line[4:] for line in page.splitlines() if line.startswith("### ")] == [
        name for listed in MODULES.values() for name in sorted(listed.split())
    ]
    assert page == documentation.markdown()


def test_names_signatures_and_documentation_need_no_numpy() -> None:
    program = (
        "import sys; from relax_lang.ops import documentation, registry; documentation.markdown(); "
        "from relax_lang.ops.core.attributes import check_call; "
        "[check_call(o, 1, {}) for o in registry.all_operators()]; "
        "bad = {'numpy', 'dataclasses', 'typing', 'enum', 'inspect'} & set(sys.modules); "
        "sys.exit(' '.join(sorted(bad)) or 0)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_declaring_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        Family("elementwise", "x").declare("abs", "x: tensor", doc="", example="")


def test_what_a_kernel_raises_becomes_a_failure() -> None:
    family = Family("outside", "An operator of a user")

    @family.operator("user.broken", "x: tensor", example="")
    def broken(x: object) -> None:
        """Fail, and fail badly."""
        raise IndexError(f"no {type(x).__name__}")

    @family.operator("user.huge", "x: tensor", example="")
    def huge(x: object) -> None:
        """Need more memory than there is."""
        raise MemoryError

    try:
        for name, slug in (("user.broken", "op-runtime-value"), ("user.huge", "out-of-memory")):
            with pytest.raises(RunFailure, match=name) as caught:
                run(name, f32(1.0))
            assert caught.value.slug == slug
    finally:
        del OPERATORS["user.broken"], OPERATORS["user.huge"]
