"""Rules of the operators on boxes and regions of images."""

from __future__ import annotations

from relax_lang.ops.shape_rules.shared.dims import number, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.inference import Inference
    from relax_lang.syntax import tree


def valid_counts(call: Inference) -> tree.StructInfo:
    """Infer the number of valid boxes, the boxes in order, and their former indices."""
    data = call.tensor(0)
    length = None if data.dims is None else value_of(data.dims[2])
    for name, least in (("score_index", 0), ("id_index", None)):
        index = call.attrs[name]
        if (least is not None and index < least) or (length is not None and index >= length):
            call.bad_attribute(
                name, "a box has no such number" if length is None else f"a box has {length} numbers"
            )
    if data.dims is None:
        parts = call.of_rank(1, "int32"), call.of_rank(2, "int32")
    else:
        parts = call.tensor_of(data.dims[:1], "int32"), call.tensor_of(data.dims[:2], "int32")
    return call.tuple_of([parts[0], call.like(data, data.dtype), parts[1]])


def regions(call: Inference) -> tree.StructInfo:
    """Infer one image of the pooled size for every region. [OP.4]"""
    data, regions = call.tensor(0), call.tensor(1)
    size, layout = call.attrs["pooled_size"], call.attrs["layout"]
    sizes = [size, size] if isinstance(size, int) else size
    if len(sizes) != 2 or min(sizes) < 1:
        call.bad_attribute("pooled_size", "one or two positive numbers are needed")
    if layout not in ("NCHW", "NHWC"):
        call.bad_attribute("layout", f'"{layout}" is neither NCHW nor NHWC')
    if regions.dims is not None:
        length = regions.dims[1]
        call.clash(length, number(5), (1,), lambda: f"a region is 5 numbers, not {call.text(length)}")
    if data.dims is None or regions.dims is None or call.findings:
        return call.of_rank(4, data.dtype)
    spatial = [number(extent) for extent in sizes]
    if layout == "NCHW":
        return call.tensor_of((regions.dims[0], data.dims[1], *spatial), data.dtype)
    return call.tensor_of((regions.dims[0], *spatial, data.dims[3]), data.dtype)
