"""What the check of a call costs, in lines that run: operands without a call in them are not looked at. [OP.2]"""

from __future__ import annotations

import pytest

from relax_lang.check.calls import check_calls
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from tests.work import executed_lines


@pytest.mark.parametrize(
    ("value", "limit"),
    [("add(v{p}, x)", 36), ("add(add(v{p}, x), x)", 62), ("v{p} + x", 26)],
)
def test_work_of_a_call(value: str, limit: int) -> None:
    def checked(bindings: int) -> int:
        lines = [f"let v{i} = {value.format(p=i - 1)};" for i in range(1, bindings)]
        head = "def @main(x: Tensor[(n, 4), float32]) { let v0 = x;"
        module = parse(f"{head} {' '.join(lines)} v{bindings - 1} }}").tree
        resolved = resolve(module)
        assert not resolved.diagnostics
        return executed_lines(lambda: check_calls(module, resolved, {}))

    assert checked(200) - checked(100) <= 100 * limit
