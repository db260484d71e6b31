"""Arguments bound to the parameters of a function, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from relax_lang.runtime.calling.arguments import ArgumentsRefused, Given
from tests.runtime.harness import session_of


def main(params: str) -> str:
    return f"def @main({params}) {{ () }}"


def bound(params: str, *positional: object, **more: Any) -> list[Any]:
    return session_of(main(params)).arguments("main", Given(positional, **more))


def refused(params: str, *positional: object, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(ArgumentsRefused) as caught:
        bound(params, *positional, **more)
    session = session_of(main(params))
    for failure in caught.value.failures:
        assert session.diagnose(failure).slug == failure.slug
    return [(failure.slug, failure.message) for failure in caught.value.failures]
