"""The infos of constants. [T.K3] [D.3] [CF.1]"""

from __future__ import annotations

from relax_lang.check.infer.context.module_state import ASSUMED, PROVEN
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape
from relax_lang.syntax.dtypes import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.context.module_state import Derived
    from relax_lang.check.infer.context.state import State


def derive_constant(state: State, constant: tree.Constant) -> Derived:
    """Return dtype and shape of the data; nothing is known of a file that cannot be read. [D.3]"""
    module = state.module
    data = constant.data
    if type(data) is tree.FileLit:
        header = module.headers.get(data)
        if header is None:
            return REJECTED, ASSUMED  # what fits everywhere proves nothing
    else:
        header = constant_dtype(constant), constant_shape(constant)
    info = module.constants.get(header)
    if info is None:
        dtype, shape = header
        if dtype not in DTYPES:  # which the parser has reported
            return REJECTED, ASSUMED
        dims = tree.ShapeExpr(tuple([tree.IntImm(size) for size in shape]))
        info = module.constants[header] = tree.TensorStructInfo(dims, tree.DType(dtype), None)
    return info, PROVEN
