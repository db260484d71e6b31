"""No gradients of images yet."""

from __future__ import annotations

WITHOUT: dict[str, str] = dict.fromkeys(
    ("image.affine_grid", "image.grid_sample", "image.resize2d", "image.resize3d"), "it has no rule yet"
)
