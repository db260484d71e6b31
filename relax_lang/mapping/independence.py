"""Whether a function computes each row of its result from the same row of its arguments alone: see
`analysis.row_independence`.
"""

from __future__ import annotations

from relax_lang.analysis.row_independence import RowAnalysis, state_of_info
from relax_lang.ops.row_rules.states import Divided, Mixed
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.row_rules.states import State
    from relax_lang.typed import Typed


def rows_of_function(program: Typed, name: str, dim: str) -> State:
    """Return where the result of a function has its rows, if its parameters are divided along a dimension.

    `Mixed` has every place that is not known to keep rows apart, as far as the result depends on it.
    """
    function = program.items[name]
    assert isinstance(function, tree.Function)
    divided = Divided([dim])
    states = [parameter_state(param, divided) for param in function.params]
    causes = [cause for state in states if isinstance(state, Mixed) for cause in state.causes]
    return Mixed(causes) if causes else _Inferred(program).function(function, states, divided)


def parameter_state(param: tree.Var, divided: Divided) -> State:
    """Return what a parameter is made of: its rows lie along the one axis that is a multiple of the dimension."""
    return state_of_info(param.struct_info_annotation or tree.ObjectStructInfo(), divided, param)


class _Inferred(RowAnalysis):
    """What inference knows of a program."""

    def __init__(self, program: Typed) -> None:
        super().__init__(program.items)
        self._program = program
        self._infos = program.infos
        self._effects = program.effects

    def has_effect(self, call: tree.Call) -> bool:
        """Return whether a call has an effect."""
        return call in self._effects

    def info(self, definition: tree.Var | tree.DataflowVar) -> tree.StructInfo:
        """Return the struct info of a definition."""
        return self._infos.get(definition) or tree.ObjectStructInfo()

    def constant(self, constant: tree.Constant) -> tree.StructInfo:
        """Return the struct info of a constant."""
        data = constant.data
        if isinstance(data, tree.FileLit):
            known = self._program.headers.get(data)
            if known is None:
                return tree.ObjectStructInfo()
            dtype, shape = known
        else:
            dtype, shape = constant_dtype(constant), constant_shape(constant)
        dims = tree.ShapeExpr(tuple([tree.IntImm(size) for size in shape]))
        return tree.TensorStructInfo(dims, tree.DType(dtype), None)
