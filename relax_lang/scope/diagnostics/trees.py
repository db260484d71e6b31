"""Diagnostics of trees built in Python, of what a text cannot say; see `scope.verify`, `normalize.verify`."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, Diagnostic, Rule, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Location


@rule("RLX0231", "bound-twice", ERROR, "W.2.a S.9 S.10")
def bound_twice(rule: Rule, name: str, second: Location, first: Location) -> Diagnostic:
    """One `Var` object of a tree built in Python is bound by two statements.

    Every binding makes a variable of its own. Two `let`s may use one name, but then each needs its own
    object.

    ```python
    y = Var("y")
    wrong = (VarBinding(y, a), VarBinding(y, b))
    right = (VarBinding(Var("y"), a), VarBinding(Var("y"), b))
    ```
    """
    return rule.at(second, f"variable `{name}` is bound twice", "the second time").label(
        first, "the first time"
    )


@rule("RLX0232", "param-shared", ERROR, "W.2.c")
def param_shared(rule: Rule, name: str, second: Location, first: Location) -> Diagnostic:
    """One `Var` object of a tree built in Python is a parameter twice.

    ```python
    a = Var("a", ObjectStructInfo())
    wrong = (function("f", (a,)), function("g", (a,)))
    right = (function("f", (Var("a", ObjectStructInfo()),)), function("g", (Var("a", ObjectStructInfo()),)))
    ```
    """
    found = rule.at(second, f"one Var is a parameter of two functions: `{name}`", "the second time")
    return found.label(first, "the first time")


@rule("RLX0543", "dataflow-var-outside", ERROR, "W.1.a")
def dataflow_var_outside(rule: Rule, name: str, binding: Location) -> Diagnostic:
    """A `DataflowVar` of a tree built in Python is bound outside of any dataflow block.

    ```python
    wrong = BindingBlock((VarBinding(DataflowVar("lv"), x),))
    right = DataflowBlock((VarBinding(DataflowVar("lv"), x),))
    ```
    """
    found = rule.at(binding, "a DataflowVar is bound outside a dataflow block", f"binds `{name}`")
    return found.helped("make it a Var")


@rule("RLX0342", "ndim-mismatch", ERROR, "W.9 W.13.c W.14")
def ndim_mismatch(rule: Rule, info: Location, ndim: int, n_dims: int) -> Diagnostic:
    """A struct info built in Python gives a rank and dimensions that do not agree; the text cannot give both.

    ```python
    wrong = TensorStructInfo(ShapeExpr((n, m)), None, 3)
    right = TensorStructInfo(ShapeExpr((n, m)), None, 2)
    ```
    """
    return rule.at(info, f"ndim {ndim} but {n_dims} dimensions")


@rule("RLX0343", "fn-info-shape", ERROR, "W.15 G.20")
def fn_info_shape(rule: Rule, info: Location, why: str) -> Diagnostic:
    """A function info built in Python has parameters and a derive function, or neither.

    With parameters it also has a result: it is the type of Relax functions. With a derive function it is
    that of packed functions, whose calls say themselves what they return.

    ```python
    wrong = FuncStructInfo((tensor,), tensor, "default")
    right = FuncStructInfo((tensor,), tensor), FuncStructInfo(None, None, "default")
    ```
    """
    return rule.at(info, "a function info has either parameters or a derive function", why)


@rule("RLX0544", "not-normal", ERROR, "N.1 N.2 N.3 N.4 N.5 N.6 N.7 N.8 N.9 N.10 N.12 N.14 G.39")
def not_normal(rule: Rule, place: Location, why: str) -> Diagnostic:
    """A tree that should be in normal form is not.

    In normal form every value that is not a leaf has a name of its own, so that passes meet no nesting.
    `relax normalize` prints it.

    ```relax
    # not in normal form: the argument is a call
    def @main(x: Tensor) -> Tensor {
      add(multiply(x, x), x)
    }
    ```

    ```relax
    # in normal form
    def @main(x: Tensor) -> Tensor {
      let gv = multiply(x, x);
      let gv_1 = add(gv, x);
      gv_1
    }
    ```
    """
    return rule.at(place, f"not in normal form: {why}")
