"""Calls of every operator at random, with what `docs/operators.md` says of shapes, dtypes and values.

Written from that page alone, so that rules of the checker and kernels are held against something that shares nothing
with them. One module for each family; `DRAWERS` of each maps an operator to the function that draws a call of it.
"""

from tests.fuzz.operators import (
    arranging,
    attention,
    creation,
    elementwise,
    images,
    indexing,
    joining,
    machine,
    networks,
    reductions,
    searching,
    windows,
)
from tests.fuzz.operators.drawing import Drawer

FAMILIES: dict[str, Drawer] = {
    **elementwise.DRAWERS,
    **creation.DRAWERS,
    **joining.DRAWERS,
    **arranging.DRAWERS,
    **indexing.DRAWERS,
    **searching.DRAWERS,
    **reductions.DRAWERS,
    **windows.DRAWERS,
    **images.DRAWERS,
    **networks.DRAWERS,
    **attention.DRAWERS,
    **machine.DRAWERS,
}
