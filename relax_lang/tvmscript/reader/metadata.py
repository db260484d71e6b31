"""Constants that TVM's printer puts into a table: `metadata["relax.expr.Constant"][0]`.

The table is JSON in the same file, `metadata = tvm.ir.load_json("…")`: a list of nodes that name each other by number.
Arrays are in base64: a magic number, eight bytes of nothing, device, rank, dtype, shape, number of bytes, bytes. All
lengths are checked before anything is read.
"""

from __future__ import annotations

import ast
import base64
import binascii
import math
import struct
from typing import cast

from relax_lang.base.nested_text import parse_json
from relax_lang.syntax import tree
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript.reader.constants import MAX_ELEMENTS, shortest
from relax_lang.tvmscript.scalar_reader.reading import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.source import Span
    from relax_lang.tvmscript.scalar_reader.reading import Reading

MAGIC = 0xDD5E40F096B4A13F
MAX_JSON = 64_000_000
MAX_RANK = 32
_HEADER = struct.Struct("<QQiiiBBH")
_KINDS = {0: "int", 1: "uint", 2: "float", 6: "bool"}
_FORMATS = {
    "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
    "float16": "e", "float32": "f", "float64": "d", "bool": "?",
}  # fmt: skip


def read_entry(reading: Reading, node: ast.Subscript) -> tree.Constant:
    """Read `metadata["relax.expr.Constant"][0]`. Raises Refused, also where there is no table."""
    assert isinstance(node.value, ast.Subscript)
    kind = reading.string(node.value.slice, "a kind of constants")
    index = reading.integer(node.slice, "the number of a constant")
    table = _table(reading, node)
    try:
        return _constant(table, kind, index, reading.span(node))
    except (KeyError, IndexError, TypeError, ValueError, struct.error, binascii.Error) as error:
        raise reading.wrong(node, f"the table of constants has no such entry: {error}") from None
    except OverflowError:
        raise reading.unsupported(
            node,
            f"a constant of more than {MAX_ELEMENTS} elements in a table",
            "save it as an archive of arrays",
        ) from None


def _table(reading: Reading, node: ast.Subscript) -> dict[str, Any]:
    for definition in reading.env.definitions("metadata"):
        value = definition.value if isinstance(definition, ast.Assign) else None
        if isinstance(value, ast.Call) and value.args and reading.py.shown(value.func).endswith("load_json"):
            text = value.args[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) <= MAX_JSON:
                try:
                    found = parse_json(text.value)
                except ValueError as error:
                    raise reading.wrong(text, f"the table of constants is not JSON: {error}") from None
                if isinstance(found, dict):
                    return cast("dict[str, Any]", found)
    raise Refused(diag.metadata_missing(reading.span(node), reading.py.shown(node)))


def _constant(table: dict[str, Any], kind: str, index: int, span: Span) -> tree.Constant:
    nodes = table["nodes"]
    kinds = nodes[int(table["root"])]
    listed = nodes[int(kinds["data"][kinds["keys"].index(kind)])]
    entry = nodes[int(listed["data"][index])]
    arrays = table.get("b64ndarrays") or table["b64arrays"]
    dtype, shape, data = decoded(base64.b64decode(arrays[int(entry["attrs"]["data"])], validate=True))
    return tree.Constant(_literal(data, shape, span), tree.DType(dtype, *span), *span)


def decoded(data: bytes) -> tuple[str, list[int], list[Any]]:
    """Return dtype, shape and elements of an array in TVM's form. Raises ValueError."""
    magic, _, _, _, rank, code, bits, lanes = _HEADER.unpack_from(data)
    name = "bool" if (code, bits) in ((1, 1), (6, 8)) else f"{_KINDS.get(code, '?')}{bits}"
    if magic != MAGIC or lanes != 1 or name not in _FORMATS or not 0 <= rank <= MAX_RANK:
        raise ValueError("it is not an array of numbers")
    shape = list(struct.unpack_from(f"<{rank}q", data, _HEADER.size))
    at = _HEADER.size + 8 * rank
    (size,) = struct.unpack_from("<q", data, at)
    count = math.prod(shape)
    if (
        any(one < 0 for one in shape)
        or size != count * struct.calcsize(_FORMATS[name])
        or len(data) < at + 8 + size
    ):
        raise ValueError("its shape and its bytes do not fit")
    if count > MAX_ELEMENTS:
        raise OverflowError
    items = list(struct.unpack_from(f"<{count}{_FORMATS[name]}", data, at + 8))
    return name, shape, [shortest(one) for one in items] if name == "float32" else items


def _literal(data: list[Any], shape: list[int], span: Span) -> tree.Literal:
    if not shape:
        return _number(data[0], span)
    step = math.prod(shape[1:])
    rows = [_literal(data[at * step : (at + 1) * step], shape[1:], span) for at in range(shape[0])]
    return tree.ListLit(tuple(rows), *span)


def _number(value: Any, span: Span) -> tree.Literal:
    if isinstance(value, bool):
        return tree.BoolLit(value, *span)
    if isinstance(value, int):
        return tree.IntLit(value, str(value), *span)
    return tree.FloatLit(value, None, *span)
