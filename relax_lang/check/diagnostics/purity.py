"""Diagnostics about effects: RLX0546 to RLX0548."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, Edit, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule
    from relax_lang.syntax import tree


@rule("RLX0546", "impure-in-dataflow", ERROR, "P.4 P.8 W.6.4 N.12 T.K10.1")
def impure_in_dataflow(
    rule: Rule, place: Location, callee: str, reason: Location | None, packed: tree.Call | None
) -> Diagnostic:
    """A dataflow block makes a call that may have effects.

    A dataflow block is a graph of pure operations, which compilers may reorder and remove. Packed
    functions may do anything, so their calls are impure unless they have `pure=true`; a function is impure
    if it makes an impure call and is not `force_pure`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = extern "my.f"(x) -> Tensor;
        output y;
      }
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = extern "my.f"(x, pure=true) -> Tensor;
        output y;
      }
      y
    }
    ```
    """
    what = f"the call of {callee}" if callee else "this"
    found = rule.at(place, f"{what} may have effects; a dataflow block must be pure")
    if reason is not None:
        found.label(reason, "this is why")
    if packed is None:
        return found.helped("make the call outside the block" if callee else "move it out of the block")
    last = [*packed.args, *packed.attrs]
    denied = [attr.value for attr in packed.attrs if attr.key == "pure"]
    if denied:
        found.replace(denied[0], "true", "declare that it has none with `pure=true`")
    elif last:  # `f()` has no place to put it without looking at the text
        found.fix(
            "declare that it has none with `pure=true`", Edit(last[-1].end, last[-1].end, ", pure=true")
        )
    return found.helped("declare that it has none with `pure=true`, or make the call outside the block")


@rule("RLX0549", "impure-shape-computation", ERROR, "B.12 B.14")
def impure_shape_computation(
    rule: Rule, place: Location, callee: str, packed: tree.Call | None
) -> Diagnostic:
    """The shape of an annotation is computed by a call that may have effects.

    Such a shape is computed once, before what the annotation belongs to, and who reads an annotation expects nothing
    else of it. A packed function counts as pure there, unless the call says `pure=false`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y: Tensor[extern "my.shape"(x, pure=false), float32] = x;
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y: Tensor[extern "my.shape"(x), float32] = x;
      y
    }
    ```
    """
    found = rule.at(place, f"the call of {callee} may have effects, and computes the shape of an annotation")
    denied = [] if packed is None else [attr.value for attr in packed.attrs if attr.key == "pure"]
    if denied:
        found.replace(denied[0], "true", "declare that it has none with `pure=true`")
    return found.helped("call it before, and write the variable that holds the shape")


@rule("RLX0547", "impure-body", ERROR, "P.6 T.K11.2")
def impure_body(rule: Rule, place: Location, function: str, callee: str, claim: Location) -> Diagnostic:
    """A function is declared `pure` and makes a call that may have effects.

    Without a modifier a function is as pure as its body. `force_pure` declares that callers cannot observe the
    effects.

    ```relax wrong
    pure def @main(x: Tensor) -> Tensor {
      print(x);
      x
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      print(x);
      x
    }
    ```
    """
    does = f"calls the impure {callee}" if callee else "has an effect here"
    found = rule.at(place, f"{function} is declared pure but {does}")
    return found.label(claim, "declared here").helped(
        "remove `pure`, or write `force_pure` if callers cannot observe the effects"
    )


@rule("RLX0548", "impure-not-needed", HINT, "T.K11.2")
def impure_not_needed(rule: Rule, claim: Location) -> Diagnostic:
    """A function is declared `impure`, and nothing in its body has effects.

    It still counts as impure, so no dataflow block can call it.

    ```relax wrong
    impure def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```
    """
    return rule.at(claim, "the body is pure").helped("remove `impure`")
