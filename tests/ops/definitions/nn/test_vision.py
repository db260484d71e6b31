"""Boxes and regions of images: cases whose results are known, and what is refused."""

from __future__ import annotations

import numpy as np

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


def test_OP_9_roi_align_of_a_plane_is_the_plane() -> None:
    """Samples between the pixels of a plane are on it, so that a mean is its value in the middle of the cell."""
    plane = np.add.outer(np.arange(6), 10 * np.arange(6)).astype(np.float32).T[None, None]
    found = run("vision.roi_align", plane, f32([0, 1, 1, 5, 3]), pooled_size=[1, 2], spatial_scale=1.0)
    check(found, np.array([[[[22.0, 24.0]]]], np.float32))
    most = run("vision.roi_align", plane, f32([0, 1, 1, 5, 3]), pooled_size=1, spatial_scale=1.0, mode="max")
    check(most, np.array([[[[29.5]]]], np.float32))


def test_OP_9_roi_align_does_not_take_samples_that_no_image_has() -> None:
    """A region of a billion pixels has a quintillion samples; those near the image are few."""
    plane = np.ones((1, 1, 2, 2), np.float32)
    huge = f32([0, -1e9, -1e9, 1e9, 1e9])
    assert run("vision.roi_align", plane, huge, pooled_size=2, spatial_scale=1.0).max() < 1e-6
    assert run("vision.roi_align", plane, huge, pooled_size=2, spatial_scale=1.0, mode="max").max() == 1
    fails(
        "op-runtime-value", "vision.roi_align", plane, f32([1, 0, 0, 2, 2]), pooled_size=1, spatial_scale=1.0
    )
    nothing = run(
        "vision.roi_align", plane, f32([0, 2, 2, 1, 1]), pooled_size=1, spatial_scale=1.0, aligned=True
    )
    assert nothing.tolist() == [[[[0.0]]]]


BOXES = f32(
    [0, 0.9, 0, 0, 2, 2],
    [0, 0.8, 0, 0, 2, 1.5],
    [1, 0.7, 0, 0, 2, 2],
    [0, 0.6, 5, 5, 6, 6],
    [0, 0.0, 9, 9, 8, 8],
)[None]
COUNT, PLACES = np.array([5], np.int32), np.arange(10, 15, dtype=np.int32)[None]


def test_OP_9_non_max_suppression() -> None:
    places, counts = run("vision.non_max_suppression", BOXES, COUNT, PLACES)
    assert (places.tolist(), counts.tolist()) == ([[10, 12, 13, -1, -1]], [[3]])
    places, _ = run(
        "vision.non_max_suppression", BOXES, COUNT, PLACES, force_suppress=True, max_output_size=1
    )
    assert places.tolist() == [[10, -1, -1, -1, -1]]
    kept = run("vision.non_max_suppression", BOXES, COUNT, PLACES, return_indices=False)
    assert kept[0, :, 1].tolist() == f32(0.9, -1, 0.7, 0.6, -1).tolist()
    front = run(
        "vision.non_max_suppression", BOXES, COUNT, PLACES, return_indices=False, invalid_to_bottom=True
    )
    assert front[0, :, 1].tolist() == f32(0.9, 0.7, 0.6, -1, -1).tolist()
    boxes, places, counts = run(
        "vision.non_max_suppression", BOXES, COUNT, PLACES, iou_threshold=0.8, soft_nms_sigma=0.5
    )
    assert (places.tolist(), counts.tolist()) == ([[10, 12, 13, 11, -1]], [[4]])
    check(boxes[0, 3:4, 1], f32(0.8 * np.exp(-0.75 * 0.75)), 1e-6)


def test_OP_9_non_max_suppression_refuses() -> None:
    fails("op-runtime-value", "vision.non_max_suppression", BOXES, COUNT + 1, PLACES)
    fails("op-runtime-shape", "vision.non_max_suppression", BOXES, COUNT, PLACES[:, :4])
    fails("op-attribute", "vision.non_max_suppression", BOXES, COUNT, PLACES, coord_start=3)


def test_OP_9_all_class_non_max_suppression() -> None:
    scores, limits = (
        f32([0.9, 0.8, 0.7, 0.6, 0.0], [0.1, 0.2, 0.3, 0.0, 0.5])[None],
        (np.asarray(0.5), np.asarray(0.05)),
    )
    args = BOXES[:, :, 2:], scores, np.asarray(2), *limits
    rows, total = run("vision.all_class_non_max_suppression", *args)
    assert (rows[: int(total[0])].tolist(), rows[int(total[0]) :].any()) == (
        [[0, 0, 0], [0, 0, 3], [0, 1, 4], [0, 1, 2]],
        False,
    )
    pairs, values, totals = run("vision.all_class_non_max_suppression", *args, output_format="tensorflow")
    assert (pairs[0, :4].tolist(), totals.tolist()) == ([[0, 0], [0, 3], [1, 4], [1, 2]], [4])
    assert values[0, :5].tolist() == f32(0.9, 0.6, 0.5, 0.3, 0.0).tolist()


def test_OP_9_multibox_transform_loc() -> None:
    classes, anchor = f32([0.0], [0.0])[None], f32([0, 0, 2, 4])[None]
    boxes, scores = run("vision.multibox_transform_loc", classes, f32([0.5, 0.25, 0, np.log(2)]), anchor)
    check(boxes, f32([-1, 1, 7, 3])[None], 1e-6)
    check(scores, f32([0.5], [0.5])[None])
    boxes, scores = run(
        "vision.multibox_transform_loc", classes, f32([0, 0, 0, 0]), anchor, clip=True, keep_background=False
    )
    assert (boxes.tolist(), scores.tolist()) == ([[[0, 0, 1, 1]]], [[[0], [0.5]]])
    fails("op-runtime-shape", "vision.multibox_transform_loc", classes, f32([0, 0, 0]), anchor)
