"""Diagnostics about TVMScript: what a Python file holds that cannot be read, and a program that cannot be exported."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, SAFE, WARNING, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Edit, Location, Rule


@rule("RLX1001", "python-syntax", ERROR)
def python_syntax(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A Python file with TVMScript is not valid Python.

    TVMScript is written in Python's syntax, and read by Python's own parser. Nothing in a file that it refuses is
    checked; the message is Python's.

    ```python wrong
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32"):
        return x
    ```

    ```python right
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        return x
    ```
    """
    return rule.at(place, message)


@rule("RLX1002", "tvmscript-unsupported", WARNING)
def unsupported(rule: Rule, place: Location, construct: str, why: str = "") -> Diagnostic:
    """A construct of TVMScript has no counterpart in Relax text.

    What programs for a device say about threads, warps, pointers and memory layouts has no meaning on a host, and
    some Python inside a program needs Python to run. `relax check` warns, and checks everything else: the value of
    the construct counts as unknown. `relax import`, `relax run` and whatever else needs the whole program refuse it.

    ```python wrong
    from tvm.script import tirx as T

    @T.prim_func
    def main(A: T.Buffer((8,), "float32")):
        for i in T.serial(8):
            T.ptx_wait_group(0)
    ```

    ```python right
    from tvm.script import tirx as T

    @T.prim_func
    def main(A: T.Buffer((8,), "float32")):
        for i in T.serial(8):
            A[i] = T.float32(0)
    ```
    """
    found = rule.at(place, f"{construct} has no counterpart in Relax text")
    return found.note(why) if why else found


@rule("RLX1003", "tvmscript-captured-name", WARNING)
def captured_name(
    rule: Rule, place: Location, name: str, why: str, definition: Location | None, *, by_value: bool
) -> Diagnostic:
    """A unit of TVMScript uses a Python name whose value is not known without running Python.

    Numbers, strings, lists of them and arithmetic on these are followed, also through names that are assigned once.
    Parameters of an enclosing Python function, imports and the results of calls are not. Where a number, a string or
    a list would do, `--define NAME=VALUE` gives it.

    ```python wrong
    from tvm.script import relax as R

    def make(n):
        @R.function
        def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
            return x
        return main
    ```

    ```python right
    from tvm.script import relax as R

    n = 8

    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        return x
    ```
    """
    found = rule.at(place, f"`{name}` is a name of the surrounding Python: {why}")
    if definition is not None:
        found.label(definition, f"`{name}` comes from here")
    if by_value:
        found.helped(f"give its value: `--define {name}=VALUE`")
    return found


@rule("RLX1004", "tvmscript-unknown-operator", ERROR)
def unknown_operator(rule: Rule, place: Location, name: str, near: str | None) -> Diagnostic:
    """TVMScript calls an operator that neither TVM 0.27 nor the language has.

    ```python wrong
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        return R.nn.rleu(x)
    ```

    ```python right
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        return R.nn.relu(x)
    ```
    """
    found = rule.at(place, f"there is no operator `{name}`")
    return found.replace(place, near, f"did you mean `{near}`?") if near else found


@rule("RLX1005", "tvmscript-argument", ERROR)
def argument(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An argument of a TVMScript construct is not one that it takes.

    ```python wrong
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float31")):
        return x
    ```

    ```python right
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        return x
    ```
    """
    return rule.at(place, message)


@rule("RLX1006", "metadata-missing", WARNING)
def metadata_missing(rule: Rule, place: Location, shown: str) -> Diagnostic:
    """A constant was printed as a reference into a table that is not in the file.

    TVM prints constants that are not scalars as `metadata[…][i]`, and leaves the table out unless it is asked for.
    The values are lost; print the module with `show_meta=True`, or export it with its constants in a file.

    ```python wrong
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return R.add(x, metadata["relax.expr.Constant"][0])
    ```

    ```python right
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        return R.add(x, R.const([1.0, 2.0], "float32"))
    ```
    """
    return rule.at(place, f"the constant `{shown}` was printed without its table").helped(
        "print the module with `show_meta=True`"
    )


@rule("RLX1007", "tvmscript-dropped", HINT)
def dropped(rule: Rule, place: Location, what: str) -> Diagnostic:
    """Something in TVMScript does not concern types and values, and is left out of the Relax program.

    Among these are attributes that are hints for a compiler, objects in attributes and devices of values inside
    tuples. It is reported once for each kind and unit.
    """
    return rule.at(place, f"left out: {what}")


@rule("RLX1008", "tvmscript-ignored-by-tvm", WARNING)
def ignored_by_tvm(rule: Rule, place: Location, written: str, now: str) -> Diagnostic:
    """A keyword of earlier TVM is an ordinary attribute in TVM 0.27, which then knows nothing of the result.

    It is read as it was meant: as the struct info of the result.

    ```python wrong
    from tvm.script import relax as R

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        y = R.call_packed("f", x, sinfo_args=R.Tensor((2,), "float32"))
        return R.call_packed("f", y, ty_args=R.Tensor((2,), "float32"))
    ```

    ```python right
    from tvm.script import relax as R

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        return R.call_packed("f", x, ty_args=R.Tensor((2,), "float32"))
    ```
    """
    found = rule.at(place, f"TVM 0.27 takes `{written}=` for an attribute and ignores it")
    return found.replace(place, now, f"write `{now}=` for TVM 0.27")


@rule("RLX1009", "tvmscript-several-units", ERROR)
def several_units(rule: Rule, path: str, names: Sequence[str]) -> Diagnostic:
    """A command for one program was given a Python file with several units of TVMScript.

    A unit is a decorated class, or a decorated function outside of such a class. `--unit` names the one that is
    meant, by its name or its line; `relax import --list` shows them all.

    ```console
    $ relax run models.py --unit MLP
    ```
    """
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    found = rule.at(None, f"`{path}` holds {len(names)} units of TVMScript: {shown}")
    return found.helped("name the one that is meant: `--unit NAME` or `--unit LINE`")


@rule("RLX1010", "tvmscript-no-unit", ERROR)
def no_unit(rule: Rule, path: str, asked: str, known: Sequence[str]) -> Diagnostic:
    """A Python file holds no unit of TVMScript, or none of the name or line that was asked for.

    A unit is a class under `@I.ir_module`, or a function under `@R.function` or `@T.prim_func` outside of such a class.

    ```console
    $ relax import --list models.py
    ```
    """
    if not asked:
        return rule.at(None, f"there is no TVMScript in `{path}`")
    found = rule.at(None, f"there is no unit `{asked}` in `{path}`")
    return found.helped(f"it has {', '.join(known[:8])}") if known else found


@rule("RLX1012", "tvmscript-assumed-value", HINT)
def assumed_value(rule: Rule, place: Location, name: str, value: str) -> Diagnostic:
    """A parameter of a Python function around a unit is read with one of the values that it may have.

    That is its default, the first value that a test is run with, or what the file passes in a call. `--define
    NAME=VALUE` reads the unit for another value.

    ```python wrong
    from tvm.script import relax as R

    def make(n=8):
        @R.function
        def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
            return x
        return main
    ```

    ```python right
    from tvm.script import relax as R

    n = 8

    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        return x
    ```
    """
    found = rule.at(place, f"`{name}` is read as {value}, one of its values")
    return found.helped(f"for another value, write `--define {name}=VALUE`")


@rule("RLX1013", "tvmscript-read-as", HINT)
def read_as(rule: Rule, place: Location, written: str, meaning: str) -> Diagnostic:
    """Something that TVM does not take has one meaning that it can have, and is read as that.

    Among these are the spellings of the first drafts of Relax: names in a shape that nothing declares, a tuple of
    sizes where a shape is expected, `R.dot`.

    ```python wrong
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
        return R.dot(x, w)
    ```

    ```python right
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
        return R.matmul(x, w)
    ```
    """
    return rule.at(place, f"`{written}` is read as {meaning}")


@rule("RLX1014", "tvmscript-impure", WARNING)
def impure(rule: Rule, place: Location, name: str, claim: Location, edit: Edit) -> Diagnostic:
    """A function that does not say that it has effects has some; TVM refuses it.

    `@R.function` declares a function pure, and TVM has checked that since 2023; Relax text infers it. Functions
    with calls that may have effects are declared with `pure=False`. A packed function without effects is called with
    `R.call_pure_packed`.

    ```python wrong
    from tvm.script import relax as R

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        _ = R.call_packed("log", x, ty_args=R.Any)
        return x
    ```

    ```python right
    from tvm.script import relax as R

    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")):
        _ = R.call_packed("log", x, ty_args=R.Any)
        return x
    ```
    """
    found = rule.at(place, f"`{name}` is not declared with `pure=False`, and this may have effects")
    found.label(claim, "this declares it pure").note("TVM refuses the function")
    return found.fix("declare it with `pure=False`", edit, applicability=SAFE)


@rule("RLX1011", "not-exportable", ERROR)
def not_exportable(rule: Rule, place: Location, construct: str, why: str) -> Diagnostic:
    """A program has something that TVMScript cannot express.

    ```console
    $ relax export model.rlx
    error[RLX1011 not-exportable]: a constant of dtype bfloat16 has no form in TVMScript
    ```
    """
    found = rule.at(place, f"{construct} has no form in TVMScript")
    return found.note(why) if why else found
