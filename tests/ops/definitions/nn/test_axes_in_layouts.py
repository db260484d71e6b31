"""Messages of convolution and pooling count the axes as the layouts of the call have them. (OP.4, OP.9)"""

from __future__ import annotations

from typing import Any

import pytest

from relax_lang import api
from tests.ops.harness import fails, random

CALLS: list[tuple[str, tuple[int, ...], tuple[int, ...] | None, dict[str, Any], str]] = [
    (
        "nn.conv2d",
        (1, 2, 9, 3),
        (3, 3, 3, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO"},
        "a window of 3 does not fit axis 1, whose padded extent is 2",
    ),
    (
        "nn.conv2d",
        (9, 2, 3, 1),
        (3, 3, 3, 4),
        {"data_layout": "HWCN", "kernel_layout": "HWIO"},
        "a window of 3 does not fit axis 1, whose padded extent is 2",
    ),
    (
        "nn.conv2d",
        (1, 5, 5, 3),
        (3, 0, 3, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO"},
        "the window has extent 0 on axis 1",
    ),
    (
        "nn.conv2d",
        (1, 5, 5, 4),
        (3, 3, 2, 3),
        {"data_layout": "NHWC", "kernel_layout": "HWIO", "groups": 2},
        "axis 3 of `weight` is 3, which 2 groups do not divide",
    ),
    (
        "nn.conv1d",
        (1, 2, 3),
        (4, 3, 3),
        {"data_layout": "NWC"},
        "a window of 3 does not fit axis 1, whose padded extent is 2",
    ),
    (
        "nn.conv2d_transpose",
        (1, 5, 0, 3),
        (3, 3, 3, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO"},
        "axis 2 of `data` has extent 0",
    ),
    (
        "nn.conv2d_transpose",
        (1, 5, 5, 3),
        (0, 3, 3, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO"},
        "axis 0 of `weight` has extent 0",
    ),
    (
        "nn.conv2d_transpose",
        (1, 3, 1, 3),
        (3, 4, 1, 3),
        {"padding": [1, 0], "out_layout": "NHWC"},
        "axis 1 of the result has no extent: it would be -1",
    ),
    (
        "nn.conv2d_transpose",
        (1, 5, 5, 3),
        (3, 3, 3, 4),
        {"data_layout": "NHWC", "kernel_layout": "HWIO", "groups": 2},
        "axis 2 of `weight` is 3, which 2 groups do not divide",
    ),
    (
        "nn.max_pool2d",
        (1, 4, 9, 3),
        None,
        {"pool_size": 5, "layout": "NHWC"},
        "a window of 5 does not fit axis 1, whose padded extent is 4",
    ),
    (
        "nn.avg_pool3d",
        (1, 9, 9, 2, 3),
        None,
        {"pool_size": 3, "layout": "NDHWC", "ceil_mode": True},
        "a window of 3 does not fit axis 3, whose padded extent is 2",
    ),
    (
        "nn.max_pool1d",
        (1, 1, 4, 3),
        None,
        {"pool_size": 5, "layout": "NCW3c"},
        "a window of 5 does not fit axis 2, whose padded extent is 4",
    ),
    (
        "nn.adaptive_avg_pool2d",
        (1, 0, 4, 3),
        None,
        {"output_size": [2, 2], "layout": "NHWC"},
        "axis 1 has extent 0; there is nothing to average",
    ),
]


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


@pytest.mark.parametrize(("name", "data", "weight", "attrs", "reason"), CALLS)
def test_OP_9_messages_of_runs_count_the_axes_of_the_layouts(
    name: str, data: tuple[int, ...], weight: tuple[int, ...] | None, attrs: dict[str, Any], reason: str
) -> None:
    operands = [random(*data), *([] if weight is None else [random(*weight)])]
    assert reason in fails("op-runtime-value", name, *operands, **attrs).message


@pytest.mark.parametrize(("name", "data", "weight", "attrs", "reason"), CALLS)
def test_OP_4_messages_of_checks_count_the_axes_of_the_layouts(
    name: str, data: tuple[int, ...], weight: tuple[int, ...] | None, attrs: dict[str, Any], reason: str
) -> None:
    params = f"x: Tensor[{data}, float32]" + ("" if weight is None else f", w: Tensor[{weight}, float32]")
    given = [
        "x",
        *([] if weight is None else ["w"]),
        *[f"{key}={shown(value)}" for key, value in attrs.items()],
    ]
    text = f"def @main({params}) -> Object {{\n  {name}({', '.join(given)})\n}}\n"
    (found,) = [one for one in api.check(text).diagnostics if one.severity == "error"]
    assert reason in found.message
