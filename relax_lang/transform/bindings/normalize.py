"""Normalize: what every program between passes is already."""

from __future__ import annotations

from relax_lang.transform.pass_manager.passes import Run, module_pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


@module_pass("Normalize", idempotent=True)
def normalize(typed: Typed, run: Run) -> Typed:
    """Write a program in normal form: every value that is not a variable or a constant has a name.

    Passes take and return programs in normal form, so that this changes nothing behind another pass. It is the first
    thing that happens to a tree which was made in Python and is given to passes.

    ```relax before
    def @main(x: Tensor[(n,), float32]) {
      x * 2.0 + exp(x)
    }
    ```

    ```relax after
    def @main(x: Tensor[(n,), float32]) {
      let gv = multiply(x, 2.0);
      let gv_1 = exp(x);
      let gv_2 = add(gv, gv_1);
      gv_2
    }
    ```
    """
    return typed
