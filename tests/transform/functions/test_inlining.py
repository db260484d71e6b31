"""InlinePrivateFunctions: names, sizes, blocks, checks that stay, and what is left alone."""

from __future__ import annotations

import pytest

from relax_lang import api, transform
from relax_lang.transform.catalogue import parse_passes
from relax_lang.transform.pass_manager.errors import PassRefused
from tests.transform.core.changes import after

TWICE = "private def @f(y: Tensor[(m,), float32]) -> Tensor[(m,), float32] { let z = y + y; z }\n"
MAIN = "def @main(x: Tensor[(n,), float32]) "


def inlined(text: str, options: str = "") -> str:
    """Return a program on one line, after the pass was verified and compared on made-up arguments."""
    return " ".join(after(f"InlinePrivateFunctions{options}", text).split())


def test_two_calls_get_names_of_their_own() -> None:
    text = inlined(TWICE + MAIN + "{ let z = @f(x); let w = @f(z); w }")
    assert "let z = add(x, x); let w = add(z, z); w" in text
    assert "@f" not in text


def test_functions_that_call_others_come_first() -> None:
    text = inlined(TWICE + "private def @g(a: Tensor[(k,), float32]) { @f(@f(a)) }" + MAIN + "{ @g(x) }")
    assert "@f" not in text
    assert "@g" not in text
    assert text.count("add(") == 2


def test_sizes_of_the_callee_are_those_of_the_argument() -> None:
    callee = "private def @f(y: Tensor[(m, 2), float32]) { reshape(y, shape(m * 2)) }"
    text = inlined(callee + "def @main(x: Tensor[(n + 1, 2), float32], n: Shape[(n,)]) { @f(x) }")
    assert "reshape(x, shape((n + 1) * 2))" in text


def test_what_a_call_checks_is_still_checked() -> None:
    callee = "private def @f(y: Tensor[(a, a), float32]) { y + y }"
    text = unchecked(callee + "def @main(x: Tensor[(n, m), float32]) { @f(x) }")
    assert "let y = match_cast(x, Tensor[(a, a), float32]); let gv = add(y, y); gv" in text


def test_a_declared_result_that_is_not_known_to_fit_is_checked() -> None:
    callee = "private def @f(y: Tensor[(a, b), float32]) -> Tensor[(b, a), float32] { let r = y + y; r }"
    text = unchecked(callee + "def @main(x: Tensor[(n, m), float32]) { @f(x) }")
    assert "let r = add(x, x); let gv = match_cast(r, Tensor[(m, n), float32]); gv" in text


def unchecked(text: str) -> str:
    """Return a program on one line after the pass: what fails as an argument before fails as a match_cast after."""
    return " ".join(str(parse_passes("InlinePrivateFunctions")(api.typed(text))).split())


def test_blocks_stay_what_they_are() -> None:
    callee = (
        "private def @f(y: Tensor[(m,), float32]) { dataflow { let a = exp(y); let b = -a; output b; } b }"
    )
    text = inlined(callee + MAIN + "{ let q = @f(x); let r = @f(q); (q, r) }")
    assert text.count("dataflow {") == 1  # neighbours are merged
    text = inlined(callee + MAIN + "{ dataflow { let q = @f(x); let r = @f(q); output r; } r }")
    assert "output r;" in text
    assert "let q = negative(a);" in text


def test_branches_and_local_functions() -> None:
    text = inlined(
        TWICE + "def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {"
        " let g = fn (a: Tensor[(n,), float32]) { @f(a) }; let r = if c { @f(x) } else { g(x) }; r }"
    )
    assert "@f" not in text


def test_branches_do_not_go_into_dataflow_blocks() -> None:
    callee = "private def @f(y: Tensor[(m,), float32], c: Tensor[(), bool]) { let r = if c { y } else { y + y }; r }"
    head = "def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) "
    assert "@f(x, c)" in inlined(callee + head + "{ dataflow { let q = @f(x, c); output q; } q }")
    assert "@f" not in inlined(callee + head + "{ @f(x, c) }")


RECURSIVE = (
    "private def @f(y: Tensor[(), int32]) -> Tensor[(), int32] { if y <= 0 { y } else { @f(y - 1) } }\n"
)


def test_recursive_functions_are_left_alone() -> None:
    assert "private def @f" in inlined(RECURSIVE + "def @main(x: Tensor[(), int32]) { @f(x) }")


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (RECURSIVE + MAIN + "{ x }", "f", "@f cannot be inlined: it is recursive"),
        (MAIN + "{ x }", "main", "@main cannot be inlined: it is not private"),
        (TWICE + MAIN + "{ @f(x) }", "g", "there is no function `g`"),
    ],
)
def test_names_that_cannot_be_inlined(text: str, name: str, message: str) -> None:
    with pytest.raises(PassRefused, match=message):
        parse_passes(f'InlinePrivateFunctions(only=["{name}"])')(api.typed(text))


def test_only_some() -> None:
    callees = TWICE + TWICE.replace("@f", "@g")
    text = inlined(callees + MAIN + "{ @f(@g(x)) }", '(only=["g"])')
    assert "@f(" in text
    assert "@g" not in text


def test_infos_are_as_declared_where_with_better_ones_the_checker_would_see_what_fails() -> None:
    """In `@f` nothing says that `y` is float32; the run that compares it with an int32 fails, before and after."""
    typed = api.typed(
        """
        def @main(x: Tensor[(n, m), float32], k: Tensor[(), int32]) {
          @f(x, k)
        }
        private def @f(y: Tensor[ndim=2], k: Tensor[(), int32]) {
          maximum(k, y)
        }
        """
    )
    made = transform.InlinePrivateFunctions()(typed)
    assert "@f" not in str(made)
    assert "match_cast(x, Tensor[ndim=2])" in str(made)
    assert not api.check(str(made)).has_errors
    assert transform.InlinePrivateFunctions()(made) is made
