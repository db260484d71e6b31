; Written by tools/make_tree_sitter.py. Of two captures of one node the later counts.
(identifier) @variable
(quoted_name) @variable
(param . (identifier) @variable.parameter)
(call . (var (identifier) @function.call))
(call_no_args . (var (identifier) @function.call))
(prim_call . (identifier) @function.call)
(dotted_name) @function.builtin
(global_name) @function
((identifier) @type (#any-of? @type "Tensor" "Shape" "Prim" "Object" "PackedFunc" "Buffer"))
((identifier) @type.builtin (#any-of? @type.builtin "bfloat16" "bool" "float16" "float32" "float64" "int16" "int32" "int64" "int8" "uint16" "uint32" "uint64" "uint8"))
["true" "false" "inf" "nan" "null"] @constant.builtin
["alloc" "assert" "attrs" "bindings" "block" "const" "dataflow" "def" "else" "extern" "fn" "for" "force_pure" "if" "impure" "in" "let" "match_cast" "match_shape" "module" "output" "prim_func" "private" "pure" "shape" "while" "with"] @keyword
[(integer) (float)] @number
(string) @string
(comment) @comment
["!" "!=" "%" "&" "&&" "*" "**" "*=" "+" "+=" "-" "-=" "->" ".." "/" "//" "<" "<<" "<=" "=" "==" ">" ">=" ">>" "^" "|" "||" "~"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" ";"] @punctuation.delimiter
