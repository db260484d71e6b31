"""What plugins import: how to declare an operator, what struct info rules are made of, and the errors of kernels.

    from relax_lang.plugin_api import Inference, StructInfo, bad_shape, infer_same, register_op

The names of this module stay when modules inside of the package move; `docs/plugins.md` describes each. Nothing is
imported before it is used: a plugin that is only checked does not import NumPy.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.errors import (
        OpError,
        bad_argument,
        bad_attribute,
        bad_axis,
        bad_dtype,
        bad_shape,
        bad_value,
        different_dtypes,
        same_axis,
    )
    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.ops.core.specialization import TensorSpec
    from relax_lang.ops.plugins.register import register_op
    from relax_lang.ops.shape_rules.shared.axes import many_axes, one_axis
    from relax_lang.ops.shape_rules.shared.broadcast import binary as infer_binary
    from relax_lang.ops.shape_rules.shared.broadcast import (
        broadcast_all,
        broadcast_info,
        same_dtype,
        same_shape,
    )
    from relax_lang.ops.shape_rules.shared.broadcast import comparison as infer_comparison
    from relax_lang.ops.shape_rules.shared.dims import add as add_dims
    from relax_lang.ops.shape_rules.shared.dims import ceil_divide as ceil_divide_dims
    from relax_lang.ops.shape_rules.shared.dims import floor_divide as floor_divide_dims
    from relax_lang.ops.shape_rules.shared.dims import largest as max_dims
    from relax_lang.ops.shape_rules.shared.dims import multiply as multiply_dims
    from relax_lang.ops.shape_rules.shared.dims import number as dim
    from relax_lang.ops.shape_rules.shared.dims import product as product_of_dims
    from relax_lang.ops.shape_rules.shared.dims import smallest as min_dims
    from relax_lang.ops.shape_rules.shared.dims import subtract as subtract_dims
    from relax_lang.ops.shape_rules.shared.dims import value_of as value_of_dim
    from relax_lang.ops.shape_rules.shared.unary import along_axis as infer_along_axis
    from relax_lang.ops.shape_rules.shared.unary import converted as infer_converted
    from relax_lang.ops.shape_rules.shared.unary import predicate as infer_predicate
    from relax_lang.ops.shape_rules.shared.unary import same as infer_same
    from relax_lang.syntax.tree import StructInfo
    from relax_lang.values import ShapeValue

__all__ = [
    "Inference",
    "Known",
    "OpError",
    "ShapeValue",
    "StructInfo",
    "TensorSpec",
    "add_dims",
    "bad_argument",
    "bad_attribute",
    "bad_axis",
    "bad_dtype",
    "bad_shape",
    "bad_value",
    "broadcast_all",
    "broadcast_info",
    "ceil_divide_dims",
    "different_dtypes",
    "dim",
    "floor_divide_dims",
    "infer_along_axis",
    "infer_binary",
    "infer_comparison",
    "infer_converted",
    "infer_predicate",
    "infer_same",
    "many_axes",
    "max_dims",
    "min_dims",
    "multiply_dims",
    "one_axis",
    "product_of_dims",
    "register_op",
    "same_axis",
    "same_dtype",
    "same_shape",
    "subtract_dims",
    "value_of_dim",
]

_MODULES = {
    "relax_lang.ops.core.errors": """
        OpError bad_argument bad_attribute bad_axis bad_dtype bad_shape bad_value different_dtypes same_axis""",
    "relax_lang.ops.core.inference": "Inference Known",
    "relax_lang.ops.core.specialization": "TensorSpec",
    "relax_lang.ops.plugins.register": "register_op",
    "relax_lang.ops.shape_rules.shared.axes": "many_axes one_axis",
    "relax_lang.ops.shape_rules.shared.broadcast": """
        infer_binary=binary infer_comparison=comparison broadcast_all broadcast_info same_dtype same_shape""",
    "relax_lang.ops.shape_rules.shared.dims": """
        add_dims=add ceil_divide_dims=ceil_divide floor_divide_dims=floor_divide max_dims=largest
        multiply_dims=multiply dim=number product_of_dims=product min_dims=smallest subtract_dims=subtract
        value_of_dim=value_of""",
    "relax_lang.ops.shape_rules.shared.unary": """
        infer_along_axis=along_axis infer_converted=converted infer_predicate=predicate infer_same=same""",
    "relax_lang.syntax.tree": "StructInfo",
    "relax_lang.values": "ShapeValue",
}
"""The modules that define the names, where `public=internal` gives a name of its own to some."""


def __getattr__(name: str) -> object:
    """Fetch a public name from the module that defines it."""
    if name in __all__:
        from importlib import import_module

        for module, names in _MODULES.items():
            for each in names.split():
                public, _, internal = each.partition("=")
                if public == name:
                    found = globals()[name] = getattr(import_module(module), internal or public)
                    return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
