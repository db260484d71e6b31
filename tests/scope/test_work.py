"""What resolving and normalizing a binding costs, in lines that are executed. [S.3 N.1]"""

from __future__ import annotations

import pytest

from relax_lang.normalize.normalize import normalize
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from tests.work import executed_lines

FORMS = {
    "values": ("let v{i} = add(v{p}, x);", 55, 89),
    "annotated": ("let v{i}: Tensor[(n, 4), float32] = multiply(v{p}, const(0.5, float32));", 77, 100),
    "infix": ("let v{i} = nn.softmax(v{p} + x, axis=-1);", 72, 188),
    "shape": ("let v{i} = reshape(permute_dims(v{p}), shape(n, 4));", 94, 204),
}
"""A binding, and how many lines resolving and normalizing one executes at most."""


def written(form: str, bindings: int) -> str:
    """Return a function of so many bindings of one form."""
    lines = [form.format(i=i, p=i - 1) for i in range(1, bindings)]
    head = ["def @main(x: Tensor[(n, 4), float32]) {", "let v0 = x;"]
    return "\n".join([*head, *lines, f"v{bindings - 1}", "}"])


@pytest.mark.parametrize("kind", FORMS)
def test_work_of_a_binding(kind: str) -> None:
    form, resolving, normalizing = FORMS[kind]
    small, large = (parse(written(form, bindings)).tree for bindings in (100, 200))
    few, many = resolve(small), resolve(large)
    assert not many.diagnostics
    resolved = executed_lines(lambda: resolve(large)) - executed_lines(lambda: resolve(small))
    normalized = executed_lines(lambda: normalize(large, many)) - executed_lines(
        lambda: normalize(small, few)
    )
    assert resolved <= 100 * resolving
    assert normalized <= 100 * normalizing
