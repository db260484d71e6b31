"""Regions of images: what `vision.roi_pool` refuses."""

from __future__ import annotations

from tests.ops.harness import check, f32, fails, random, run

IMAGE = random(1, 2, 3, 3)
REGION = f32([0, 0, 0, 2, 2])


def test_OP_9_roi_pool() -> None:
    check(
        run("vision.roi_pool", IMAGE, REGION, pooled_size=1, spatial_scale=1.0)[0, :, 0, 0],
        IMAGE[0].max(axis=(1, 2)),
    )
    found = fails(
        "op-runtime-shape", "vision.roi_pool", IMAGE, f32([0, 1, 2]), pooled_size=1, spatial_scale=1.0
    )
    assert found.message.endswith("do not fit: a region is 5 numbers, not 3")
    for size in (0, [], [1, 2, 3]):
        fails("op-attribute", "vision.roi_pool", IMAGE, REGION, pooled_size=size, spatial_scale=1.0)
    fails("op-runtime-value", "vision.roi_pool", IMAGE, REGION, pooled_size=1, spatial_scale=float("inf"))
    fails(
        "op-runtime-value", "vision.roi_pool", IMAGE, f32([1, 0, 0, 2, 2]), pooled_size=1, spatial_scale=1.0
    )
