"""Diagnostics about names of Relax: variables, globals, operators."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, OFF, SAFE, WARNING, Diagnostic, Edit, Rule, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Location


@rule("RLX0201", "undefined-variable", ERROR, "S.3 S.6 S.20 S.21 W.2.a W.13.a")
def undefined_variable(rule: Rule, use: Location, message: str, label: str = "not found here") -> Diagnostic:
    """A variable is used that no parameter and no `let` in reach defines.

    A variable is visible from its `let` to the end of the `{ }` it is in; parameters are visible in
    their function. What a branch or a block computes leaves it as its value: the last expression, without a
    semicolon.

    ```relax wrong
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let y = if c { let w = add(x, x); w } else { x };
      w
    }
    ```

    ```relax right
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let w = if c { add(x, x) } else { x };
      w
    }
    ```
    """
    return rule.at(use, message, label)


@rule("RLX0202", "use-before-bind", ERROR, "S.4 V.7 W.2.b W.3")
def use_before_bind(
    rule: Rule, name: str, use: Location, binding: Location, *, same_statement: bool
) -> Diagnostic:
    """A variable is used above the statement that binds it, or inside that very statement.

    Statements run from top to bottom. Only a function literal may mention the name it is bound to: that is
    how a local function calls itself.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let b = add(x, q);
      let q = x;
      b
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let q = x;
      let b = add(x, q);
      b
    }
    ```
    """
    if same_statement:
        found = rule.at(use, f"`{name}` is bound by this very statement", "has no value yet")
        found.label(binding, "bound here, once the value is known")
        return found.helped("only a function literal may mention the name it is bound to")
    found = rule.at(use, f"`{name}` is bound later", "used here")
    return found.label(binding, f"`{name}` is bound here, further down").helped(
        "move the binding above its use"
    )


@rule("RLX0203", "dataflow-var-escapes", ERROR, "S.5 S.7 S.8 W.1.b")
def dataflow_var_escapes(
    rule: Rule, name: str, use: Location, binding: Location, block: Location, output: Edit | None
) -> Diagnostic:
    """A variable of a dataflow block is used after the block.

    What a dataflow block binds lives in it only, so that passes may rearrange it; `output` lists what leaves.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let lv = add(x, x);
        let gv = add(lv, x);
        output gv;
      }
      add(gv, lv)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let lv = add(x, x);
        let gv = add(lv, x);
        output gv, lv;
      }
      add(gv, lv)
    }
    ```
    """
    found = rule.at(
        use, f"`{name}` lives only in its dataflow block; list it in `output`", "used after the block"
    )
    found.label(binding, f"`{name}` is bound here, inside the block")
    if output is not None:
        found.fix("make it an output of the block", output)
    found.data["block"] = block
    return found


@rule("RLX0204", "undefined-global", ERROR, "G.25 S.1 O.1")
def undefined_global(rule: Rule, use: Location, name: str, near: str | None) -> Diagnostic:
    """A name with `@` is used that no `def` and no `prim_func` of the file defines.

    All items of a file see each other, in any order; other files are not visible.

    ```relax wrong
    def @double(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor) -> Tensor {
      @duoble(x)
    }
    ```

    ```relax right
    def @double(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @main(x: Tensor) -> Tensor {
      @double(x)
    }
    ```
    """
    found = rule.at(
        use, f"there is no {name}" + (f" (nearest: {near})" if near else ""), "not defined in this file"
    )
    found.data["name"] = name.removeprefix("@")
    return found.replace(use, near, f"write `{near}`") if near else found


@rule("RLX0205", "unknown-operator", ERROR, "G.5 G.34 OP.1 Y.7")
def unknown_operator(
    rule: Rule, use: Location, message: str, near: str | None = None, *, sure: bool = False
) -> Diagnostic:
    """A name is called that is neither a local variable nor an operator.

    Operators are called by their own names (`add`, `nn.relu`), without the module prefixes of Python; `relax
    ops` lists them. The names that NumPy, PyTorch, JAX, ONNX and TVM use for an operator are known: the fix writes
    the name of the operator, whose arguments may be in another order. In a dimension there are only `min`, `max`,
    `select` and arithmetic.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      R.add(x, x)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```
    """
    found = rule.at(use, message, "no such operator")
    if near is not None and sure:
        found.replace(use, near, f"write `{near}`", SAFE)
    elif near is not None:
        check = "" if near.startswith("@") else f"; compare the arguments: `relax ops {near}`"
        found.replace(use, near, f"write `{near}`{check}")
    return found


@rule("RLX0206", "op-as-value", ERROR, "W.8")
def op_as_value(rule: Rule, use: Location, name: str, wrapped: str | None) -> Diagnostic:
    """An operator is written where a value is needed.

    Operators are not values: they can only be called. A function literal around the call makes a value of it.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let f = exp;
      f(x)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let f = fn(a: Tensor) -> Tensor { exp(a) };
      f(x)
    }
    ```
    """
    message = f"operator `{name}` can only be called; wrap it: `fn (…) {{ {name}(…) }}`"
    found = rule.at(use, message, "an operator, not a value")
    return found.replace(use, wrapped, "wrap it in a function") if wrapped else found


@rule("RLX0211", "duplicate-global", ERROR, "G.40")
def duplicate_global(rule: Rule, name: str, second: Location, first: Location) -> Diagnostic:
    """Two items of one file have the same name.

    Functions and prim_funcs share one namespace: `@name` must mean one thing.

    ```relax wrong
    def @f(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @f(x: Tensor) -> Tensor {
      multiply(x, x)
    }
    ```

    ```relax right
    def @f(x: Tensor) -> Tensor {
      add(x, x)
    }

    def @g(x: Tensor) -> Tensor {
      multiply(x, x)
    }
    ```
    """
    return rule.at(second, f"{name} is defined twice", "the second one").label(first, "the first one")


@rule("RLX0200", "duplicate-parameter", ERROR, "S.9 TIR.1")
def duplicate_parameter(rule: Rule, name: str, second: Location, first: Location) -> Diagnostic:
    """Two parameters of one function have the same name, so the first could never be used.

    ```relax wrong
    def @main(a: Tensor, a: Tensor) -> Tensor {
      a
    }
    ```

    ```relax right
    def @main(a: Tensor, b: Tensor) -> Tensor {
      add(a, b)
    }
    ```
    """
    return rule.at(second, f"parameter `{name}` occurs twice", "the second one").label(first, "the first one")


@rule("RLX0215", "name-in-both-namespaces", WARNING, "S.19")
def name_in_both_namespaces(rule: Rule, name: str, first: Location, second: Location) -> Diagnostic:
    """One name is a variable and a shape variable of the same function.

    The two live apart: `Tensor[n, float32]` has the shape that the variable `n` holds, `Tensor[(n,),
    float32]` has the shape variable `n` as its only dimension. That is legal and easily misread.

    ```relax wrong
    def @main(n: Tensor, x: Tensor[(n, 3), float32]) -> Tensor {
      add(n, x)
    }
    ```

    ```relax right
    def @main(y: Tensor, x: Tensor[(n, 3), float32]) -> Tensor {
      add(y, x)
    }
    ```
    """
    found = rule.at(second, f"`{name}` is a variable and a shape variable", "the other meaning of the name")
    return found.label(first, f"`{name}` is defined here first").helped("rename one of them")


@rule("RLX0216", "shadowing", OFF, "S.10 S.11")
def shadowing(rule: Rule, name: str, second: Location, first: Location) -> Diagnostic:
    """A binding hides an older variable of the same name for the rest of its scope.

    That is legal: every `let` makes a new variable. Some teams would rather have every name mean one thing.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      let y = multiply(y, y);
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      let z = multiply(y, y);
      z
    }
    ```
    """
    return rule.at(second, f"`{name}` hides an older `{name}`", "the new one").label(first, "the older one")


@rule("RLX0217", "closure-captures-dataflow-var", ERROR, "W.10 S.18")
def closure_captures_dataflow_var(
    rule: Rule, name: str, use: Location, binding: Location, output: Edit | None
) -> Diagnostic:
    """A function literal in a dataflow block uses a variable that lives only in the block.

    The function may be called after the block has ended, and then the variable is gone. It may use what was
    bound before the block, and what the block lists in `output`.

    ```relax wrong
    def @main(x: Tensor) -> Object {
      dataflow {
        let lv = add(x, x);
        let f = fn(a: Tensor) -> Tensor { add(a, lv) };
        output f;
      }
      f
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Object {
      let lv = add(x, x);
      dataflow {
        let f = fn(a: Tensor) -> Tensor { add(a, lv) };
        output f;
      }
      f
    }
    ```
    """
    message = f"the function uses `{name}`, which lives only in the dataflow block"
    found = rule.at(use, message, "used inside a function").label(
        binding, f"`{name}` is bound here, inside the block"
    )
    found.helped(f"bind `{name}` before the block, or list it in `output`")
    if output is not None:
        found.fix("make it an output of the block", output)
    return found


@rule("RLX0219", "global-symbol-mismatch", ERROR, "W.12")
def global_symbol_mismatch(
    rule: Rule, value: Location, symbol: str, name: str, written: str, *, private: bool
) -> Diagnostic:
    """The attribute `global_symbol` says something else than the definition does.

    A definition without `private` is known to the outside under its own name, a private one is not known at
    all; the attribute can only repeat that, and is best left out.

    ```relax wrong
    def @main() -> () attrs { global_symbol: "other" } {
      ()
    }
    ```

    ```relax right
    def @main() -> () {
      ()
    }
    ```
    """
    if private:
        return rule.at(
            value, f"{name} is private; a private function has no global_symbol", "remove it, or `private`"
        )
    found = rule.at(value, f'global_symbol "{symbol}" differs from the name {name}', "the symbol is the name")
    return found.replace(value, written, f"write {written}")


@rule("RLX0220", "no-entry-point", WARNING, "W.11")
def no_entry_point(rule: Rule, first: Location) -> Diagnostic:
    """Every item of the file is private, so nothing in it can be called from outside.

    ```relax wrong
    private def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```
    """
    found = rule.at(first, "every function is private; nothing can be run", "private")
    return found.helped("leave `private` out where the program is to be entered")
