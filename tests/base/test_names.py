"""Fresh names: the number at the end of a name is counted on, whatever the name."""

import pytest

from relax_lang.base.names import FreshNames


@pytest.mark.parametrize(
    ("taken", "fresh"),
    [
        ("x", "x_1"),
        ("x_1", "x_2"),
        ("x1", "x_1"),
        ("x_", "x_1"),
        ("x__1", "x__2"),
        ("12", "12_1"),
        ("v1_2_3", "v1_2_1"),
    ],
)
def test_the_next_name(taken: str, fresh: str) -> None:
    assert FreshNames([taken]).fresh(taken) == fresh


def test_names_of_many_digits_are_read_once() -> None:
    """Where each digit is tried as the beginning of the number, this takes minutes."""
    name = "x" + "1" * 200_000 + "a"
    assert FreshNames([name]).fresh(name) == f"{name}_1"
