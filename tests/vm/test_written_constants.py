"""What an operator writes into is never a constant of the program itself: a second call finds it as it was. [X.1]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.analysis.escape import only_looks
from relax_lang.ops.registry import all_operators

STORES = """
impure def @main(x: Tensor[(n,), float32]) {{
  let heap = const([7, 8], int64);
  let before = vm.make_shape(heap, codes=["slot"], operands=[0]);
  {how}
  (before, vm.make_shape(heap, codes=["slot"], operands=[0]))
}}
"""
STORE = 'vm.match_shape(x, {}, codes=["store"], operands=[0]);'


@pytest.mark.parametrize(
    "how",
    [
        STORE.format("heap"),
        f"let other = heap; {STORE.format('other')}",
        f"let pair = (heap, x); let other = pair[0]; {STORE.format('other')}",
        'let store = impure fn () { vm.match_shape(x, heap, codes=["store"], operands=[0]); () }; let _ = store();',
        f"let _ = if (const(true)) {{ {STORE.format('heap')} () }} else {{ () }};",
    ],
    ids=["directly", "by another name", "in a tuple", "in a closure", "in a branch"],
)
def test_X_1_a_heap_that_is_a_constant(how: str) -> None:
    text = STORES.format(how=how)
    built = api.build(text)
    sessions = [
        api.start(text, engine="interpreter"),
        api.start(text),
        api.start_executable(built),
        api.start_executable(built, mode="generated"),
    ]
    for session in sessions:
        for _ in range(3):
            before, after = session.run("main", [np.ones(2, np.float32)])
            assert (before.values, after.values) == ((7,), (2,))


def test_X_1_no_operator_only_looks_at_what_it_writes() -> None:
    writing = [one for one in all_operators() if one.writes]
    assert writing
    for one in writing:
        at = [param.name in one.writes for param in one.params]
        assert not [index for index, written in enumerate(at) if written and only_looks(one, index)]
