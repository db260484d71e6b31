// Written by tools/make_editors.py.
export const keywords = new Set(["alloc", "assert", "attrs", "bindings", "block", "const", "dataflow", "def", "else", "extern", "fn", "for", "force_pure", "if", "impure", "in", "let", "match_cast", "match_shape", "module", "output", "prim_func", "private", "pure", "shape", "while"]);
export const types = new Set(["Tensor", "Shape", "Prim", "Object", "PackedFunc", "Buffer"]);
export const constants = new Set(["true", "false", "inf", "nan", "null"]);
export const dtypes = new Set(["bfloat16", "bool", "float16", "float32", "float64", "int16", "int32", "int64", "int8", "uint16", "uint32", "uint64", "uint8"]);
