"""What the fields of nodes hold. Generated from grammar/tree.asdl by tools/make_tree.py: do not edit."""

from __future__ import annotations

# fmt: off
SPECS: dict[str, str] = {
    "IRModule": "attrs:Attr* items:Item*",
    "Attr": "key:string value:Literal",
    "PrimFunc": (
        "name:GlobalVar private:bool params:PrimParam* attrs:Attr* body:Stmt* "
        "ret_dtype:DType? result:PrimExpr? "
    ),
    "Constant": "data:Literal dtype:DType?",
    "Var": "name_hint:string struct_info_annotation:StructInfo?",
    "DataflowVar": "name_hint:string struct_info_annotation:StructInfo?",
    "GlobalVar": "name_hint:string",
    "Tuple": "fields:Expr*",
    "SeqExpr": "blocks:BlockOfBindings* body:Expr",
    "Function": (
        "name:GlobalVar? private:bool purity:string? params:Var* "
        "ret_struct_info:StructInfo? attrs:Attr* body:Expr purity_pos:place "
    ),
    "If": "cond:Expr true_branch:Expr false_branch:Expr",
    "ExternFunc": "global_symbol:string",
    "Call": "op:Expr args:Expr* attrs:Attr* struct_info:StructInfo?",
    "ShapeExpr": "values:PrimExpr*",
    "TupleGetItem": "tuple_value:Expr index:int index_pos:place index_end:place",
    "MissingField": "tuple_value:Expr several:bool index_pos:place index_end:place",
    "Op": "op_name:string",
    "PrimValue": "value:PrimExpr",
    "BinaryOp": "op:string lhs:Expr rhs:Expr",
    "UnaryOp": "op:string operand:Expr",
    "Missing": "",
    "BindingBlock": "bindings:Binding* explicit:bool",
    "DataflowBlock": "bindings:Binding* outputs:Var* outputs_pos:place outputs_end:place",
    "VarBinding": "var:Binder value:Expr",
    "MatchCast": "var:Binder? struct_info:StructInfo value:Expr cast_pos:place cast_end:place",
    "TensorStructInfo": "shape:Expr? dtype:DType? ndim:int?",
    "ShapeStructInfo": "values:PrimExpr*? ndim:int?",
    "PrimStructInfo": "dtype:DType",
    "ObjectStructInfo": "",
    "TupleStructInfo": "fields:StructInfo*",
    "FuncStructInfo": "params:StructInfo*? ret:StructInfo? derive_func:string? pure:bool",
    "MatchShapeInfo": "values:PrimExpr*",
    "MissingStructInfo": "part:StructInfo?",
    "IntLit": "value:int text:string?",
    "FloatLit": "value:float text:string?",
    "BoolLit": "value:bool",
    "StrLit": "value:string",
    "NullLit": "",
    "ListLit": "items:Literal*",
    "MapLit": "items:Attr*",
    "DType": "name:string",
    "FileLit": "path:string key:string?",
    "PrimVar": "name:string",
    "IntImm": "value:int dtype:DType? text:string?",
    "FloatImm": "value:float dtype:DType? text:string?",
    "BoolImm": "value:bool",
    "Add": "a:PrimExpr b:PrimExpr",
    "Sub": "a:PrimExpr b:PrimExpr",
    "Mul": "a:PrimExpr b:PrimExpr",
    "Div": "a:PrimExpr b:PrimExpr",
    "FloorDiv": "a:PrimExpr b:PrimExpr",
    "FloorMod": "a:PrimExpr b:PrimExpr",
    "Min": "a:PrimExpr b:PrimExpr",
    "Max": "a:PrimExpr b:PrimExpr",
    "EQ": "a:PrimExpr b:PrimExpr",
    "NE": "a:PrimExpr b:PrimExpr",
    "LT": "a:PrimExpr b:PrimExpr",
    "LE": "a:PrimExpr b:PrimExpr",
    "GT": "a:PrimExpr b:PrimExpr",
    "GE": "a:PrimExpr b:PrimExpr",
    "And": "a:PrimExpr b:PrimExpr",
    "Or": "a:PrimExpr b:PrimExpr",
    "Not": "a:PrimExpr",
    "Neg": "a:PrimExpr",
    "Select": "condition:PrimExpr true_value:PrimExpr false_value:PrimExpr",
    "BitAnd": "a:PrimExpr b:PrimExpr",
    "BitOr": "a:PrimExpr b:PrimExpr",
    "BitXor": "a:PrimExpr b:PrimExpr",
    "ShiftLeft": "a:PrimExpr b:PrimExpr",
    "ShiftRight": "a:PrimExpr b:PrimExpr",
    "BitNot": "a:PrimExpr",
    "Cast": "value:PrimExpr dtype:DType",
    "TypeLimit": "name:string dtype:DType",
    "BufferLoad": "buffer:PrimVar indices:PrimExpr*",
    "PrimCall": "name:string args:PrimExpr*",
    "Buffer": "name:string shape:PrimExpr* dtype:DType",
    "ScalarParam": "name:string dtype:DType",
    "For": (
        "kind:string thread:string? loop_vars:PrimVar* ranges:Range* body:Stmt* "
        "attrs:Attr* grid:bool "
    ),
    "Block": (
        "name:string axes:IterVar* predicate:PrimExpr? reads:BufferRegion*? "
        "writes:BufferRegion*? attrs:Attr* init:Stmt*? body:Stmt* "
    ),
    "Allocate": "buffer:Buffer scope:string? attrs:Attr*",
    "BufferView": "buffer:Buffer source:PrimVar region:RegionIndex*? attrs:Attr*",
    "LetStmt": "var:PrimVar dtype:DType? value:PrimExpr",
    "BufferStore": "buffer:PrimVar indices:PrimExpr* op:string value:PrimExpr",
    "IfThenElse": "condition:PrimExpr then_case:Stmt* else_case:Stmt*",
    "While": "condition:PrimExpr body:Stmt*",
    "AssertStmt": "condition:PrimExpr message:string",
    "Break": "",
    "Continue": "",
    "CallExtern": "name:string args:ExternArg*",
    "Range": "min:PrimExpr stop:PrimExpr",
    "IterVar": "var:PrimVar kind:string value:PrimExpr dom:Range?",
    "BufferRegion": "buffer:PrimVar region:RegionIndex*",
}
"""Class to its fields: `name:type`; with `?` nothing is allowed too, with `*` there are several."""

GROUPS: dict[str, str] = {
    "Module": (
        "IRModule "
    ),
    "Attribute": (
        "Attr "
    ),
    "Item": (
        "PrimFunc Function "
    ),
    "Expr": (
        "Constant Var DataflowVar GlobalVar Tuple SeqExpr Function If ExternFunc Call "
        "ShapeExpr TupleGetItem MissingField Op PrimValue BinaryOp UnaryOp Missing "
    ),
    "BlockOfBindings": (
        "BindingBlock DataflowBlock "
    ),
    "Binding": (
        "VarBinding MatchCast "
    ),
    "StructInfo": (
        "TensorStructInfo ShapeStructInfo PrimStructInfo ObjectStructInfo TupleStructInfo "
        "FuncStructInfo MatchShapeInfo MissingStructInfo "
    ),
    "Literal": (
        "IntLit FloatLit BoolLit StrLit NullLit ListLit MapLit DType FileLit "
    ),
    "PrimExpr": (
        "PrimVar IntImm FloatImm BoolImm Add Sub Mul Div FloorDiv FloorMod Min Max EQ NE "
        "LT LE GT GE And Or Not Neg Select BitAnd BitOr BitXor ShiftLeft ShiftRight "
        "BitNot Cast TypeLimit BufferLoad PrimCall "
    ),
    "PrimParam": (
        "Buffer ScalarParam "
    ),
    "Stmt": (
        "For Block Allocate BufferView LetStmt BufferStore IfThenElse While AssertStmt "
        "Break Continue CallExtern "
    ),
    "TirPart": (
        "Range IterVar BufferRegion "
    ),
    "Binder": (
        "Var DataflowVar "
    ),
    "ExternArg": (
        "PrimVar IntImm FloatImm BoolImm Add Sub Mul Div FloorDiv FloorMod Min Max EQ NE "
        "LT LE GT GE And Or Not Neg Select BitAnd BitOr BitXor ShiftLeft ShiftRight "
        "BitNot Cast TypeLimit BufferLoad PrimCall StrLit "
    ),
    "RegionIndex": (
        "PrimVar IntImm FloatImm BoolImm Add Sub Mul Div FloorDiv FloorMod Min Max EQ NE "
        "LT LE GT GE And Or Not Neg Select BitAnd BitOr BitXor ShiftLeft ShiftRight "
        "BitNot Cast TypeLimit BufferLoad PrimCall Range "
    ),
}
"""Type of a field to the classes that it may hold; a class stands for itself."""
