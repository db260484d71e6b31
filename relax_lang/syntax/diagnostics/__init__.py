"""Diagnostics of the parser: what can be said of one construct without knowing any scope.

They are declared in the modules here, which are loaded with the first mistake: a clean text needs none of them.
"""

from __future__ import annotations

__all__ = [
    "bad_attribute_value",
    "bad_character",
    "bad_ndim",
    "block_without_value",
    "conflicting_modifiers",
    "confusable_text",
    "duplicate_attribute",
    "fn_type_needs_return",
    "if_needs_else",
    "index_not_constant",
    "inline_primfunc",
    "literal_does_not_fit",
    "ndim_and_dimensions",
    "negative_index",
    "nesting_too_deep",
    "no_return",
    "one_tuple_needs_comma",
    "output_outside_dataflow",
    "packed_has_no_signature",
    "param_needs_annotation",
    "ragged_constant",
    "reserved_word",
    "shape_field_not_var_or_literal",
    "syntax",
    "text_layout",
    "too_many_errors",
    "unexpected_end",
    "unknown_dtype",
    "unknown_type",
    "unterminated_string",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.diagnostics.constructs import (
        bad_attribute_value,
        bad_ndim,
        duplicate_attribute,
        fn_type_needs_return,
        index_not_constant,
        ndim_and_dimensions,
        negative_index,
        one_tuple_needs_comma,
        packed_has_no_signature,
        param_needs_annotation,
        shape_field_not_var_or_literal,
        unknown_dtype,
        unknown_type,
    )
    from relax_lang.syntax.diagnostics.texts import (
        bad_character,
        block_without_value,
        conflicting_modifiers,
        confusable_text,
        if_needs_else,
        inline_primfunc,
        literal_does_not_fit,
        nesting_too_deep,
        no_return,
        output_outside_dataflow,
        ragged_constant,
        reserved_word,
        syntax,
        text_layout,
        too_many_errors,
        unexpected_end,
        unterminated_string,
    )
else:

    def __getattr__(name: str) -> object:
        if not name.startswith("_"):
            from importlib import import_module  # not needed for a clean program

            for module in ("texts", "constructs"):
                found = vars(import_module(f"{__name__}.{module}")).get(name)
                if found is not None:
                    return found
        raise AttributeError(name)
