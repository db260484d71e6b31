"""LegalForms: calls of operators that are alike are legalized once."""

from __future__ import annotations

from typing import Any

import pytest

from relax_lang import api
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.legal import core
from relax_lang.transform.catalogue import parse_passes
from relax_lang.transform.operators import legal_forms
from relax_lang.transform.pass_manager.context import PassContext
from relax_lang.transform.pass_manager.instruments import Explain


def test_calls_that_differ_in_operands_only_are_legalized_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def counting(operator: Operator, *rest: Any) -> core.Legalized:
        tried.append(operator.name)
        return core.legalize(operator, *rest)

    monkeypatch.setattr(legal_forms, "legalize", counting)
    text = """
    def @main(x: Tensor[(n, 8), float32], y: Tensor[(8, n), float32], z: Tensor) {
      let a = add(x, x); let b = add(a, x);
      let c = sum(b, axis=[0]); let d = sum(b, axis=[1]); let e = sum(a, axis=[0]); let f = sum(y, axis=[0]);
      let g = sort(x); let h = sort(a); let i = exp(z); let j = exp(z);
      let k = broadcast_to(x, shape(3, n, 8)); let l = broadcast_to(a, shape(4, n, 8));
      (c, d, e, f, g, h, i, j, k, l)
    }
    """
    remarks = Explain()
    with PassContext(instruments=[remarks]):
        parse_passes("LegalizeOps")(api.typed(text))
    wanted = ["add", "broadcast_to", "broadcast_to", "exp", "sort", "sum", "sum", "sum"]
    assert sorted(tried) == wanted
    assert len(remarks.remarks) == 4  # a reason for each call that stays
