"""Programs as models of ONNX."""

from __future__ import annotations

from relax_lang.api.modules import typed
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.relax_error import RelaxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.api.programs import AnyProgram
    from relax_lang.syntax import tree

OPSETS = range(18, 29)
"""The versions of ONNX's operators that are written."""


def to_onnx(program: AnyProgram, *, entry: str = "main", opset: int = 18, beside: bool = False) -> Any:
    """Return a function of a program, with all that it calls, as a model of ONNX (an `onnx.ModelProto`).

    Parameters become inputs of the graph, shape variables its symbolic dimensions, constants its weights; what a
    match_cast or an annotation checks is not checked there. A model of more than 2 GiB, which no file holds, is
    refused unless `beside` promises that its weights get a file of their own, as by
    `onnx.save_model(model, path, save_as_external_data=True)`. Raises RelaxError if the program has errors, or with
    everything that has no counterpart; ValueError for another opset; ImportError without the package `onnx`.

    >>> model = to_onnx("def @main(x: Tensor[(n, 4), float32]) { nn.relu(x) }")
    >>> [node.op_type for node in model.graph.node]
    ['Relu', 'Identity']
    """
    if opset not in OPSETS:
        raise ValueError(f"opset is one of {OPSETS[0]} to {OPSETS[-1]}, not {opset}")
    from relax_lang.files.arrays.constants import constant_loader  # here and below: loads NumPy
    from relax_lang.onnx.exporting.module import export_function
    from relax_lang.runtime.session import Session
    from relax_lang.runtime.values.tensors import constant_tensor
    from relax_lang.values import RunFailure

    known = typed(program)
    session = Session(known.module, known.source, engine="interpreter")
    load = constant_loader(known.source)

    def constant(node: tree.Constant) -> Any:
        return constant_tensor(node, load)

    try:
        with deep_recursion():
            function = session.entry(entry)
            assert function.name is not None
            found = export_function(known, function.name.name_hint, opset, constant, beside=beside)
    except RunFailure as failure:
        raise RelaxError(known.source, [session.diagnose(failure)]) from None
    if found.diagnostics:
        raise RelaxError(known.source, found.diagnostics)
    return found.model
