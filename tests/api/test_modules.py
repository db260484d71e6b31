"""Programs that are trees: every function of the api that takes a text takes them, too."""

from __future__ import annotations

import numpy as np
import pytest

import relax_lang
from relax_lang import api, transform
from relax_lang.api.programs import constant_checker
from relax_lang.base.source import SourceFile
from relax_lang.syntax import tree
from relax_lang.typed import IllTyped, Typed

HEAD = "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32]"
TEXT = f"{HEAD} {{ x + x }}"


def built() -> tree.IRModule:
    """Return a module that never had a text, with a nested call."""
    n, f32 = tree.PrimVar("n"), tree.DType("float32")
    info = tree.TensorStructInfo(tree.ShapeExpr((n,)), f32, None)
    x = tree.Var("x", None)
    call = tree.Call(tree.Op("add"), (tree.Call(tree.Op("exp"), (x,), (), None), x), (), None)
    main = tree.Function(
        tree.GlobalVar("main"), False, None, (tree.Var("x", info),), None, (), tree.SeqExpr((), call)
    )
    return tree.IRModule((), (main,))


def test_a_tree_is_checked_run_printed_and_loaded() -> None:
    module = built()
    assert api.check(module).diagnostics == []
    x = np.array([0, 1], np.float32)
    expected = np.exp(x) + x
    assert np.array_equal(api.run(module, x), expected)
    assert np.array_equal(relax_lang.loads(module)["main"](x), expected)
    assert api.format_text(module) == "def @main(x: Tensor[(n,), float32]) {\n  add(exp(x), x)\n}\n"
    assert relax_lang.loads(module).script() == api.format_text(module)
    assert api.differences(module, "def @main(y: Tensor[(k,), float32]) { add(exp(y), y) }") == []


def test_what_is_wrong_with_a_tree_has_a_place_in_its_text() -> None:
    bad = api.parse("def @main(x: Tensor[(3,), float32]) { matmul(x, reshape(x, shape(4))) }").tree
    found = api.check(bad)
    assert found.source.path == "<module>"
    assert [one.slug for one in found.diagnostics] == ["op-shape-mismatch"]
    with pytest.raises(relax_lang.RelaxError) as caught:
        api.typed(bad)
    assert [one.slug for one in caught.value.diagnostics] == ["op-shape-mismatch"]
    assert caught.value.diagnostics[0].pos > 0


def test_a_typed_program_is_taken_by_everything() -> None:
    typed = api.typed(TEXT)
    assert isinstance(typed, Typed)
    assert api.typed(typed) is typed
    assert np.array_equal(api.run(typed, [1, 2]), np.array([2, 4], np.float32))
    assert api.check(typed).diagnostics == []
    assert api.normalize(typed).items[0].name.name_hint == "main"  # pyright: ignore[reportOptionalMemberAccess]
    assert api.format_text(typed) == str(typed)
    assert "def main" in api.compile_functions(typed)
    assert relax_lang.loads(typed).typed.items.keys() == {"main"}


def test_deep_programs_are_printed_derived_and_checked_outside_of_commands() -> None:
    body = "x"
    for at in reversed(range(100)):
        body = f"let f{at} = fn (y{at}: Tensor[(n,), float32]) {{ {body} }}; f{at}(x)"
    made = api.optimize(f"def @main(x: Tensor[(n,), float32]) {{ {body} }}", "DeadCodeElimination")
    fresh = Typed(made.module)
    assert len(fresh.graph.plans) == 101
    assert "@main" in str(fresh)
    assert len(fresh.infos) == len(made.checked().inferred.infos)


def test_infos_are_derived_when_they_are_asked_for() -> None:
    typed = api.typed(TEXT)
    other = typed.with_module(tree.IRModule((), (*typed.module.items,)))
    assert other._inferred is None
    assert {var.name_hint for var in other.infos} == {"x", "gv"}  # pyright: ignore[reportAttributeAccessIssue]
    assert typed.with_items({}) is typed
    removed = typed.with_items({typed.functions[0]: None})
    assert removed.items == {}


def test_a_tree_that_is_no_program_is_refused() -> None:
    x = tree.Var("x", None)
    bad = tree.Function(tree.GlobalVar("main"), False, None, (x, x), None, (), x)
    with pytest.raises(IllTyped, match="x"):
        Typed.of_tree(tree.IRModule((), (bad,)))
    item = tree.SeqExpr(
        (
            tree.BindingBlock(
                (
                    tree.VarBinding(
                        tree.Var("y", None), tree.Call(tree.Op("exp"), (tree.ShapeExpr(()),), (), None)
                    ),
                ),
                False,
            ),
        ),
        tree.Var("y", None),
    )
    wrong = api.typed(TEXT).with_module(
        tree.IRModule((), (tree.Function(tree.GlobalVar("main"), False, None, (), None, (), item),))
    )
    with pytest.raises(IllTyped):
        _ = wrong.infos


def test_arrays_of_constants_need_no_files() -> None:
    text = 'def @main(x: Tensor[(2,), float32]) { x + const(file("none.npz", "w")) }'
    module = api.parse(text).tree
    weights = np.array([1, 2], np.float32)
    source = SourceFile("", "<module>")
    source.arrays = {("none.npz", "w"): weights}
    typed = Typed.of_tree(module, source, constant_checker(source))
    assert np.array_equal(api.run(typed, [1, 1]), weights + 1)
    again = api.typed(TEXT).with_arrays({("none.npz", "w"): weights}).with_module(api.normalize(typed))
    assert np.array_equal(api.run(again, [1, 1]), weights + 1)


def test_other_values_are_no_programs() -> None:
    with pytest.raises(TypeError, match="a program is text, what `read"):
        api.run(3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("program", [TEXT, api.typed(TEXT), api.optimize(TEXT, "Normalize")])
def test_a_loaded_module_is_a_program(program: object) -> None:
    module = relax_lang.loads(program)
    x = np.array([1, 2], np.float32)
    assert api.check(module).diagnostics == []
    assert api.format_text(module) == module.script()
    assert len(api.parse(module).tree.items) == 1
    assert np.array_equal(api.run(module, x), x + x)
    assert np.array_equal(relax_lang.loads(module).main(x), x + x)
    assert np.array_equal(relax_lang.VirtualMachine(relax_lang.build(module))["main"](x), x + x)
    assert api.differences(module, TEXT) == []
    assert api.typed(module).module.items[0].name.name_hint == "main"
    assert relax_lang.to_tvmscript(module) == relax_lang.to_tvmscript(TEXT)


@pytest.mark.parametrize(
    "passes",
    [
        "DeadCodeElimination",
        ["Normalize", "DeadCodeElimination"],
        [transform.Normalize, transform.DeadCodeElimination()],
        transform.DeadCodeElimination,
        transform.Sequential([transform.DeadCodeElimination]),
    ],
)
def test_passes_are_names_or_passes_or_lists_of_them(passes: object) -> None:
    body = "dataflow {{ {} let z = exp(x); output z; }} z"
    module = relax_lang.loads(f"{HEAD} {{ {body.format('let y = x + x;')} }}")
    assert api.differences(api.optimize(module, passes), f"{HEAD} {{ {body.format('')} }}") == []


def test_what_is_not_a_pass() -> None:
    with pytest.raises(TypeError, match=r"a pass is a name or a pass of `relax_lang.transform`, not int"):
        api.optimize(TEXT, [3])
    with pytest.raises(api.RelaxError, match="there is no pass `Normalise`"):
        api.optimize(TEXT, ["DeadCodeElimination", "Normalise"])


def test_a_list_with_an_array_is_no_list_of_numbers() -> None:
    with pytest.raises(api.RelaxError, match="expected a list of numbers, found a tensor in it"):
        api.run(TEXT, [np.ones(2, np.float32)])
