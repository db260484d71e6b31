"""Images and regions of them."""

from __future__ import annotations

from tests.fuzz.operators.drawing import (
    KINDS,
    Call,
    Dim,
    Draw,
    Drawer,
    S,
    T,
    Word,
    call,
    data,
    fits,
    is_kind,
    need,
    number,
    product,
)
from tests.fuzz.operators.windows import SPACE, image, numbers, positive, spatial, spread


def _resize(count: int) -> Drawer:
    letters = SPACE[count]

    def draw(source: Draw) -> Call:
        layout = source.one(f"NC{letters}", f"NC{letters}", f"N{letters}C")
        x = image(source, layout)
        sizes = [
            source.one(number(source.int(1, 5)), Dim("n + 1", lambda at: at["n"] + 1)) for _ in range(count)
        ]
        size = source.shape([*sizes, number(2)] if source.slip() else sizes)
        attrs = source.some(
            method=source.one("linear", "nearest_neighbor", "cubic"),
            coordinate_transformation_mode=source.one("half_pixel", "align_corners", "asymmetric"),
            out_dtype=source.one(Word(source.dtype("number")), None),
        )
        if layout[1] != "C":
            attrs["layout"] = layout
        to = attrs.get("out_dtype")

        def rule(a: T, b: S) -> T:
            is_kind(a, "number")
            need(a.rank == count + 2 and len(b.dims) == count)
            need(to is None or to in KINDS["number"])
            shape = list(a.shape)
            for letter, extent in zip(letters, b.dims, strict=True):
                place = layout.index(letter)
                data(shape[place] > 0)
                shape[place] = extent
            return T(tuple(shape), to or a.dtype)

        return call(f"image.resize{count}d", [x, size], attrs, rule, may_fail=True)

    return draw


def _affine_grid(source: Draw) -> Call:
    count = source.int(2, 3)
    rows: Dim = number(count) if not source.slip(0.3) else source.dim()
    x = source.tensor([source.dim(), rows, number(count + 1)], source.dtype("float"))
    size = source.shape([source.dim(positive=True) for _ in range(count + source.slip(0.1))])
    attrs = source.some(align_corners=source.one(True, False))

    def rule(a: T, b: S) -> T:
        is_kind(a, "float")
        need(a.rank == 3 and len(b.dims) in (2, 3))
        n = len(b.dims)
        fits(a.shape[1:] == (n, n + 1))
        return T((a.shape[0], n, *b.dims), a.dtype)

    return call("image.affine_grid", [x, size], attrs, rule, may_fail=True)


def _grid_sample(source: Draw) -> Call:
    count = source.int(2, 3)
    batch = source.dim()
    dtype = source.dtype("float")
    x = source.tensor([batch, source.dim(), *spatial(source, count)], dtype)
    rows: Dim = source.dim() if source.slip(0.2) else number(count)
    other = source.dim() if source.slip(0.2) else batch
    grid = source.tensor(
        [other, rows, *[source.dim() for _ in range(count)]], source.dtype() if source.slip(0.1) else dtype
    )
    attrs = source.some(
        method=source.one("bilinear", "nearest", "bicubic"),
        padding_mode=source.one("zeros", "border", "reflection"),
        align_corners=source.one(True, False),
    )
    if count == 3 or source.slip(0.1):
        attrs["layout"] = "NCDHW"
    n = 3 if "layout" in attrs else 2

    def rule(a: T, b: T) -> T:
        is_kind(a, "float")
        is_kind(b, "float")
        need(a.rank == b.rank == n + 2)
        need(n == 2 or attrs.get("method") != "bicubic")
        fits(a.shape[0] == b.shape[0] and b.shape[1] == n)
        data(product(a.shape[2:]) > 0 or not product(b.shape[2:]))
        return T((*a.shape[:2], *b.shape[2:]), a.dtype)

    return call("image.grid_sample", [x, grid], attrs, rule, may_fail=True)


def _roi(word: str, kind: str) -> Drawer:
    def draw(source: Draw) -> Call:
        layout = source.one("NCHW", "NCHW", "NHWC")
        x = image(source, layout, kind)
        columns: Dim = source.dim() if source.slip(0.3) else number(5)
        rois = source.tensor(
            [source.dim(), columns], source.dtype() if source.slip(0.1) else source.params[0].dtype, "zeros"
        )
        size = numbers(source, 2, 1 - source.slip(0.1), 3)
        attrs = {"pooled_size": size, "spatial_scale": 1.0}
        if layout != "NCHW":
            attrs["layout"] = layout

        def rule(a: T, b: T) -> T:
            is_kind(a, kind)
            is_kind(b, kind)
            need(a.rank == 4 and b.rank == 2)
            sizes = spread(size, 2)
            positive(sizes)
            fits(b.shape[1] == 5)
            extents = {"N": b.shape[0], "C": a.shape[layout.index("C")], "H": sizes[0], "W": sizes[1]}
            return T(tuple([extents[one] for one in layout]), a.dtype)

        return call(word, [x, rois], attrs, rule, may_fail=True)

    return draw


DRAWERS: dict[str, Drawer] = {
    "image.resize2d": _resize(2),
    "image.resize3d": _resize(3),
    "image.affine_grid": _affine_grid,
    "image.grid_sample": _grid_sample,
    "vision.roi_align": _roi("vision.roi_align", "float"),
    "vision.roi_pool": _roi("vision.roi_pool", "any"),
}
