"""Texts that are large in one way: what is found in them, and that the work does not grow out of bounds. [Y.9]"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from tests.work import executed_lines

HEAD = "def @main(x: Tensor[(2,), float32]) {\n"


def found_in(text: str) -> list[Diagnostic]:
    with deep_recursion():
        return check_source(SourceFile(text, "hostile.rlx")).diagnostics


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("let _ = valeu{0};", HEAD + "let value = x;", "x }"),
        ("let _ = mtmul{0}(x);", HEAD, "x }"),
        ("let _ = @helpre{0}(x);", HEAD, "x }\ndef @helper1(x: Tensor) { x }"),
        ("let _: Tensor[(size{0} + 1,)] = x;", "def @main(x: Tensor[(size,), float32]) {\n", "x }"),
        ("let y{0} = valeu{0};", "prim_func @g(A: Buffer[(4,), int32]) {\n let value = 1;", "}"),
    ],
    ids=["variables", "operators", "functions", "dimensions", "PrimFuncs"],
)
def test_similar_names_are_looked_for_at_the_first_hundreds_of_mistakes(
    line: str, before: str, after: str
) -> None:
    text = before + "\n".join([line.format(i) for i in range(1000)]) + after
    asked = [one.message + one.help for one in found_in(text)]
    asked = ["nearest" in one or "did you mean" in one or "write `" in one for one in asked]
    assert len(asked) >= 1000
    assert any(asked[:200])
    assert not any(asked[300:1000])


def test_a_name_that_is_very_long_is_like_no_other() -> None:
    text = HEAD + ".".join(["a"] * 20_000) + "(x) }"
    assert executed_lines(lambda: found_in(text)) < 5_000
    assert [one.slug for one in found_in(text)] == ["unknown-operator"]


def ring(size: int) -> str:
    return "".join([f"def @f{i}(x: Tensor) {{ @f{(i + 1) % size}(x) }}\n" for i in range(size)])


def test_W_6_1_long_cycles_are_shown_in_part() -> None:
    messages = [one.message for one in found_in(ring(40)) if "recursive" in one.message]
    assert messages[0] == (
        "`@f0` is recursive (@f0 → @f1 → @f2 → @f3 → @f4 → 31 more functions → @f36 → @f37 → @f38 → @f39 → @f0)"
        " and needs `-> S`"
    )
    messages = [one.message for one in found_in(ring(400)) if "recursive" in one.message]
    assert messages[0] == "`@f0` is recursive (@f0 → … → @f0) and needs `-> S`"


def test_W_6_1_the_work_for_cycles_is_bounded() -> None:
    assert executed_lines(lambda: found_in(ring(1_600))) < 3 * executed_lines(lambda: found_in(ring(800)))


def test_Y_9_blanks_at_the_end_are_not_read_again_and_again() -> None:
    assert found_in(HEAD + "x }" + " " * 3_000_000 + "\n" * 10) == []
    assert [one.slug for one in found_in(HEAD + "x ]" + " " * 3_000_000)] == ["syntax"]


def closures(count: int) -> str:
    functions = [f"let f{at} = fn(y: Tensor[(n, m), float32]) {{ f{at - 1} }};" for at in range(1, count)]
    first = "let f0 = fn(y: Tensor[(n, 4), float32]) { x };"
    return f"def @main(x: Tensor[(n, 4), float32]) {{ {first} {' '.join(functions)} f{count - 1} }}"


def nested_functions(depth: int) -> str:
    heads = "".join([f"let f{at} = fn(y{at}: Tensor[(n, m{at}), float32]) {{ " for at in range(depth)])
    tails = "".join([f" }}; f{at}" for at in reversed(range(depth))])
    return f"def @main(x: Tensor[(n, 4), float32]) {{ {heads}x{tails} }}"


@pytest.mark.parametrize(("text", "size"), [(closures, 200), (nested_functions, 100)])
def test_E_8_types_of_functions_that_return_functions_are_looked_at_once(
    text: Callable[[int], str], size: int
) -> None:
    def work(count: int) -> int:
        return executed_lines(lambda: found_in(text(count)))

    assert not [one for one in found_in(text(size)) if one.severity == "error"]
    assert work(2 * size) < 2.5 * work(size)
