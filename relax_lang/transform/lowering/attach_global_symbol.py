"""AttachGlobalSymbol: functions that can be called from outside say under which name."""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.passes import Run, function_pass

SYMBOL = "global_symbol"


@function_pass("AttachGlobalSymbol", idempotent=True)
def attach_global_symbol(function: tree.Function, run: Run) -> tree.Function:
    """Give every public function the attribute `global_symbol`: the name by which it is called from outside.

    It is always the name of the function, so that no two functions have the same one.

    ```relax before
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      x
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] attrs { global_symbol: "main" } {
      x
    }
    ```
    """
    if function.private or any(attr.key == SYMBOL for attr in function.attrs):
        return function
    assert function.name is not None
    attrs = (*function.attrs, tree.Attr(SYMBOL, tree.StrLit(function.name.name_hint)))
    return replaced(function, attrs=attrs)
