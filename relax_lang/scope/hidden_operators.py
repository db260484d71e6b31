"""Whether names in the text of a tree mean what they mean in the tree. [G.34] [G.43]"""

from __future__ import annotations

from relax_lang.format.fields import Unprintable
from relax_lang.scope.resolve import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree


def check_names(module: tree.IRModule) -> None:
    """Raise `Unprintable` for the first operator that has the name of a local variable in scope. [G.34]

    Only a tree built in Python can have one: of a text, name resolution takes the variable.
    """
    for operator in resolve(module).hidden:
        raise Unprintable(operator, f"`{operator.op_name}` is read as the local variable of that name")
