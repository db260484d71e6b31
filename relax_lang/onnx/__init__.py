"""ONNX models as Relax programs.

`model` decodes a file, `conversion` walks its graph, `operators` has a rule for each operator, `builder` makes
bindings of what the rules ask for, and `program` puts the text together. Nothing here touches the file system:
`files.models` reads, and the package `onnx` is imported where a model is decoded.
"""
