"""Trees in normal form get the infos that their texts get; so does one function beside a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.api import check_sound, read
from relax_lang.check.infer.drivers.trees import infer_function, infer_tree
from relax_lang.format.printer import show
from relax_lang.typed import Typed

SAMPLES = sorted(Path("samples").glob("*.rlx")) + sorted(Path("samples/models").glob("*.rlx"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_trees_have_the_infos_of_their_texts(path: Path) -> None:
    checked = check_sound(read(str(path)))
    if checked.parsed.features.files:
        pytest.skip("constants in files are known to the api only")
    expected = {var: show(info) for var, info in checked.inferred.infos.items()}
    found = infer_tree(checked.normal, text=checked.source.text)
    assert {var: show(info) for var, info in found.infos.items()} == expected
    assert found.proved == checked.inferred.proved
    for function in [
        item for item in checked.normal.items if item in checked.inferred.proved or item.pos >= 0
    ]:
        if type(function).__name__ != "Function":
            continue
        one = infer_function(found, function)  # pyright: ignore[reportArgumentType]
        assert {var: show(info) for var, info in one.infos.items()}.items() <= expected.items()
        assert show(one.info) == show(found.functions[function.name.name_hint])  # pyright: ignore[reportOptionalMemberAccess]
        assert not [each for each in one.diagnostics if each.severity == "error"]
    again = Typed.of_tree(checked.normal)
    assert str(again) == str(Typed.of_checked(checked))


def test_a_function_that_does_not_fit_beside_its_module_is_reported() -> None:
    typed = Typed.of_checked(
        check_sound("def @f(x: Tensor[(2,), float32]) { x } def @g(y: Tensor[(2,), float32]) { @f(y) }")
    )
    other = Typed.of_checked(
        check_sound("def @f(x: Tensor[(2,), float32]) { x } def @g(y: Tensor[(2,), float32]) { @f(y) }")
    )
    found = infer_function(typed.inferred, other.functions[1])
    assert found.diagnostics == []
    assert found.is_pure
    wide = Typed.of_checked(
        check_sound("def @f(x: Tensor[(3,), float32]) { x } def @g(y: Tensor[(3,), float32]) { @f(y) }")
    )
    found = infer_function(typed.inferred, wide.functions[1])
    assert [one.slug for one in found.diagnostics] == ["argument-mismatch"]
