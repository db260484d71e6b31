"""The machine on its own: code made by hand, deep recursion, large programs, and what the verifier refuses."""

from __future__ import annotations

import numpy as np
import pytest

import relax_lang
from relax_lang import api
from relax_lang.syntax import tree
from relax_lang.vm.compiler.exec_builder import ExecBuilder
from relax_lang.vm.instructions import Call, register
from relax_lang.vm.verify import BadExecutable, verify


def test_code_that_is_made_by_hand() -> None:
    ib = ExecBuilder()
    with ib.code("main", ["x"]):
        ib.emit_call("add", [ib.r(0), ib.r(0)], ib.r(1))
        ib.emit_call("@twice", [ib.r(1)], ib.r(2))
        ib.emit_ret(ib.r(2))
    with ib.code("twice", ["y"]):
        ib.emit_call("multiply", [ib.r(0), ib.emit_constant(np.array(2, np.float32))], ib.r(1))
        ib.emit_ret(ib.r(1))
    machine = relax_lang.VirtualMachine(ib.get())
    assert list(machine) == ["main", "twice"]
    assert np.array_equal(machine["main"](np.array([1, 2], np.float32)), [4, 8])
    with pytest.raises(KeyError, match="the executable has no function 'none'; there are: main, twice"):
        machine["none"]


def test_recursion_is_as_deep_as_the_limit_allows() -> None:
    text = """
    def @count(n: Tensor[(), int64]) -> Tensor[(), int64] {
      if n <= const(0, int64) { const(0, int64) } else { const(1, int64) + @count(n - const(1, int64)) }
    }
    """
    machine = relax_lang.VirtualMachine(api.build(text))
    assert machine["count"](np.array(100_000)) == 100_000
    with pytest.raises(api.RelaxError, match="recursion deeper than 200000"):
        machine["count"](np.array(250_000))


def test_a_program_of_many_bindings_and_one_of_many_prim_funcs() -> None:
    lines = [f"  let v{at + 1} = add(v{at}, v{at});" for at in range(5000)]
    text = "\n".join(["def @main(v0: Tensor[(2,), int64]) {", *lines, "  v5000", "}"])
    executable = api.build(text)
    (code,) = [row.code for row in executable.functions if row.code is not None]
    assert code.registers <= 3
    value = api.start_executable(executable).call("main", [np.zeros(2, np.int64)])
    assert np.array_equal(value, [0, 0])
    funcs = [
        f"prim_func @f{at}(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{\n"
        f"  for i in 0..n {{ Y[i] = X[i] + {at}.0; }}\n}}"
        for at in range(100)
    ]
    calls = [f"  let v{at + 1} = call_tir(@f{at}, (v{at},)) -> Tensor[(n,), float32];" for at in range(100)]
    text = "\n".join([*funcs, "def @main(v0: Tensor[(n,), float32]) {", *calls, "  v100", "}"])
    value = api.start_executable(api.build(text)).call("main", [np.zeros(2, np.float32)])
    assert np.array_equal(value, [4950, 4950])


def test_values_that_nothing_needs_are_forgotten() -> None:
    text = "def @main(x: Tensor[(n,), float32]) { let a = exp(x); let b = exp(a); let c = exp(b); c }"
    executable = api.build(text)
    kills = [
        one
        for row in executable.functions
        if row.code is not None
        for one in row.code.instructions
        if isinstance(one, Call) and executable.functions[one.function].name == "vm.kill"
    ]
    assert len(kills) == 3


# What the verifier refuses.


@pytest.mark.parametrize(
    ("emit", "why"),
    [
        ([("ret", register(1))], "register %1 is read before it has a value"),
        ([("goto", 0)], "a jump leads out of the function, or back"),
        ([("goto", 2)], "a jump leads out of the function, or back"),
        ([("if", register(0), -1)], "a jump leads out of the function, or back"),
        ([("ret", register(0)), ("ret", register(0))], "nothing leads here"),
        ([("call", "vm.tuple_getitem", [register(0)])], "`vm.tuple_getitem` takes 2 operands, not 1"),
        ([("call", "vm.constant", [register(0)])], "an operand of `vm.constant` is not a tensor"),
        ([("call", "vm.read_if_cond", [register(0)])], "`vm.read_if_cond` has no site"),
        ([("call", "@none", [register(0)])], "function @none is called and has no code"),
    ],
)
def test_code_that_is_refused(emit: list[tuple[object, ...]], why: str) -> None:
    ib = ExecBuilder()
    with ib.code("main", ["x"]):
        for name, *others in emit:
            getattr(ib, f"emit_{name}")(*others)
    with pytest.raises(BadExecutable, match=why.replace("(", r"\(")):
        ib.get()


def test_a_register_that_only_one_way_writes() -> None:
    ib = ExecBuilder()
    with ib.code("main", ["x"]):
        ib.emit_if(ib.r(0), 2)
        ib.emit_call("add", [ib.r(0), ib.r(0)], ib.r(1))
        ib.emit_ret(ib.r(1))
    with pytest.raises(BadExecutable, match="register %1 is read before it has a value"):
        ib.get()


def test_a_name_that_two_functions_have() -> None:
    ib = ExecBuilder()
    with ib.code("f", ["x"]):
        ib.emit_ret(ib.r(0))
    made = ib.get()
    doubled = type(made)([*made.functions, *made.functions], made.constants, made.sites)
    with pytest.raises(BadExecutable, match="there are two functions @f"):
        verify(doubled)
    assert isinstance(made.functions[0].code, tuple)
    assert isinstance(made.functions[0].code.signature, tree.Function)


def test_generated_python_and_code_that_is_not_structured() -> None:
    text = "def @main(x: Tensor[(n,), float32]) { if const(true) { let y = x * 2.0; y } else { exp(x) } }"
    x = np.array([1, 2], np.float32)
    assert np.array_equal(relax_lang.VirtualMachine(api.build(text), mode="generated")["main"](x), [2, 4])
    ib = ExecBuilder()
    with ib.code("main", ["x"]):
        ib.emit_goto(1)
        ib.emit_ret(ib.r(0))
    assert relax_lang.VirtualMachine(ib.get(), mode="generated")["main"](x) is x
    with pytest.raises(ValueError, match="mode is one of loop, generated, not 'fast'"):
        relax_lang.VirtualMachine(api.build(text), mode="fast")
