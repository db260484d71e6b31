"""Attributes with values that do not fit: diagnostics or a failure of the run, and no traceback. [R.6] [R.29]"""

from __future__ import annotations

import os
import random
import re

import pytest

from relax_lang import api
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import RelayFile
from tests.relay.operators.more_operator_cases import CASES
from tests.relay.operators.test_operator_values import program
from tests.relay.operators.test_operators import ONE, TWO, type_text
from tests.relay.support import checked

ODD = (
    "0",
    "-1",
    "7",
    "1000000",
    "[]",
    "[0]",
    "[-1, 2]",
    "[1, 1, 1, 1, 1]",
    "1.5",
    "True",
    "None",
    '"x"',
    '"NHWC"',
    "[[1, 2]]",
)
PROGRAMS = [
    *[program(call, args) for call, args, _ in CASES.values()],
    *[f"def @main(%x: {type_text((2, 3))}) {{ {call} }}" for call in ONE.values()],
    *[f"def @main(%x: {type_text((2, 3))}, %y: {type_text((3,))}) {{ {call} }}" for call in TWO.values()],
    "def @main(%x: Tensor[(1, 8, 9, 9), float32], %w) { nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3], groups=2) }",
    "def @main(%x: Tensor[(1, 8, 4, 4), float32]) { nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2]) }",
    "def @main(%x: Tensor[(1, 8, 4, 4), float32]) { nn.depth_to_space(%x, block_size=2) }",
    "def @main(%x: Tensor[(1, 8, 4, 4), float32]) { nn.upsampling(%x, scale_h=2.0, scale_w=2.0) }",
    "def @main(%x: Tensor[(1, 8, 4, 4), float32]) { image.resize2d(%x, size=[8, 8]) }",
]
VALUE = re.compile(r"(?<==)(\[[^()]*?\]+|-?[\w.]+|\"\w*\")(?=[,)])")
ROUNDS = int(os.environ.get("RELAX_FUZZ_RELAY", "300")) // 300


@pytest.mark.parametrize("part", range(4))
def test_R_6_odd_attributes_give_no_traceback(part):
    rng = random.Random(f"attributes {part}")
    for text in PROGRAMS[part::4]:
        for _ in range(3 * max(ROUNDS, 1)):
            odd = VALUE.sub(lambda found: rng.choice(ODD) if rng.random() < 0.6 else found[0], text)
            try:
                assert slugs_of_translation(odd) <= {"relay-not-translated"}
            except Exception as error:
                raise AssertionError(f"{type(error).__name__}: {error}\n{odd}") from error


def slugs_of_translation(text: str) -> set[str]:
    with deep_recursion():
        if checked(text).has_errors:
            return set()
        try:
            api.check_sound(RelayFile(text))
        except api.RelaxError as refused:
            return {one.slug for one in refused.diagnostics}
    return set()
