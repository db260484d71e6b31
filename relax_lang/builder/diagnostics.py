"""Diagnostics about programs built from Python, at the line of Python that builds them: RLX1310 to RLX1312."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1310", "builder-scope", ERROR)
def builder_scope(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A method of the builder is called where it has no meaning.

    A function is open between `with bb.function(…)` and its `emit_func_output`; bindings need one. Dataflow blocks are
    inside of functions, hold no other block and no `emit_if`, and what leaves one is emitted by `emit_output`.

    ```python wrong
    with bb.function("main", [x]):
        with bb.dataflow():
            y = bb.emit(op.exp(x))
        bb.emit_func_output(y)
    ```

    ```python right
    with bb.function("main", [x]):
        with bb.dataflow():
            y = bb.emit_output(op.exp(x))
        bb.emit_func_output(y)
    ```
    """
    return rule.at(place, message)


@rule("RLX1311", "builder-operand", ERROR)
def builder_operand(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A value of Python cannot be part of a program.

    Operands are what the builder returned, numbers, arrays of NumPy, and tuples of these; shapes are tuples of
    integers and `dim`s. What a program computes is not known while it is built, so Python cannot look at it.

    ```python wrong
    bb.emit(op.add(x, "1"))
    ```

    ```python right
    bb.emit(op.add(x, 1))
    ```
    """
    return rule.at(place, message)


@rule("RLX1312", "builder-name", ERROR)
def builder_name(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A name that is given to the builder is taken, or is not known.

    Public functions and PrimFuncs keep their names, so two of them cannot have one; private ones are renamed. `op.`
    has the operators of the language, by their names.

    ```python wrong
    op.nn.sofmax(x)
    ```

    ```python right
    op.nn.softmax(x)
    ```
    """
    return rule.at(place, message)


def outside(place: Location, method: str) -> Diagnostic:
    """A method needs an open function."""
    made = builder_scope(place, f"`{method}` needs an open function")
    return made.helped("write it inside of `with bb.function(…):`")


def function_inside(place: Location, name: str) -> Diagnostic:
    """A function is opened in another one."""
    made = builder_scope(place, f"@{name} is opened inside of another function")
    return made.helped("`bb.local_function` builds a function inside of a function")


def block_inside(place: Location, what: str) -> Diagnostic:
    """A block is opened in a dataflow block."""
    return builder_scope(place, f"{what} cannot be inside of a dataflow block")


def output_outside(place: Location) -> Diagnostic:
    """`emit_output` is called outside of a dataflow block."""
    made = builder_scope(place, "`emit_output` is for dataflow blocks")
    return made.helped("outside of them every variable stays visible: use `emit`")


def output_twice(place: Location, name: str) -> Diagnostic:
    """A function gets a second result."""
    return builder_scope(place, f"{name} has its result already")


def output_in_block(place: Location) -> Diagnostic:
    """`emit_func_output` is called inside of a dataflow block."""
    return builder_scope(place, "`emit_func_output` cannot be inside of a dataflow block")


def no_output(place: Location, name: str) -> Diagnostic:
    """A function ends without a result."""
    return builder_scope(place, f"{name} ends without a result").helped("call `emit_func_output`")


def parameters_twice(place: Location, name: str) -> Diagnostic:
    """Parameters are given twice."""
    made = builder_scope(place, f"the parameters of {name} are given twice")
    return made.helped("give them to `function` or to `emit_func_output`")


def no_parameters(place: Location, name: str) -> Diagnostic:
    """Parameters are not given."""
    made = builder_scope(place, f"the parameters of {name} are not given")
    return made.helped("give them to `function`, or to `emit_func_output` as `params=[…]`; without any: `[]`")


def parameters_late(place: Location, name: str) -> Diagnostic:
    """A binding is emitted before the parameters are known."""
    made = builder_scope(place, f"the parameters of {name} are not known yet")
    return made.helped("give them to `function`: infos are derived as bindings are emitted")


def not_visible(place: Location, name: str, why: str) -> Diagnostic:
    """A variable is used where it is not visible."""
    made = builder_scope(place, f"`{name}` is not visible here: {why}")
    return made.helped("use `emit_output`") if "dataflow" in why else made


def unfinished(place: Location, name: str) -> Diagnostic:
    """A module is asked for while a function is open."""
    return builder_scope(place, f"{name} is not finished")


def no_operand(place: Location, value: object, where: str = "") -> Diagnostic:
    """Something is not an operand."""
    kind = type(value).__name__
    shown = f"{value!r}" if isinstance(value, str | bytes) else f"a value of type {kind}"
    made = builder_operand(place, f"{where or 'an operand'} cannot be {shown}")
    if kind == "OperatorFunction":
        made.helped(f"call it: `{value!r}(…)`")
    return made


def no_dtype_of_array(place: Location, dtype: str) -> Diagnostic:
    """An array of NumPy has a dtype that the language has not."""
    return builder_operand(place, f"a constant cannot have the dtype {dtype} of NumPy")


def array_too_large(place: Location, elements: int, limit: int) -> Diagnostic:
    """An array is too large to be written into the program."""
    made = builder_operand(place, f"an array of {elements:,} elements is too large for a constant of a text")
    return made.helped(f"up to {limit:,} elements can be written out: make it a parameter of the function")


def number_does_not_fit(place: Location, value: object, dtype: str) -> Diagnostic:
    """A Python number has no value in the dtype of the other operand."""
    made = builder_operand(place, f"{value!r} is not a value of {dtype}, the dtype of the other operand")
    return made.helped("convert the tensor with `op.astype`, or write the constant as an array of NumPy")


def no_info(place: Location, value: object) -> Diagnostic:
    """Something is not a struct info."""
    made = builder_operand(place, f"a struct info is needed, not {value!r}")
    return made.helped('write `Tensor((n, 4), "float32")`, `Shape((n,))`, `Object()`, or it as text')


def bad_info(place: Location, problem: str) -> Diagnostic:
    """The parts of a struct info do not go together."""
    return builder_operand(place, problem)


def no_value(place: Location, what: str) -> Diagnostic:
    """Python looks at a value of the program."""
    made = builder_operand(place, f"{what} of a value is not known while the program is built")
    return made.helped("`emit_if` builds a branch; `op.where` chooses by elements")


def not_emitted(place: Location, shown: str) -> Diagnostic:
    """The info of something is asked for that is not bound yet."""
    made = builder_operand(place, f"nothing is known of `{shown}` before it is emitted")
    return made.helped("`bb.emit` returns a variable with its struct info")


def unknown_operator(place: Location, name: str, close: str | None) -> Diagnostic:
    """There is no operator of a name."""
    made = builder_name(place, f"there is no operator `{name}`")
    return made.helped(
        f"there is `{close}`" if close else "`dir(op)` lists them, `help(op.add)` describes one"
    )


def name_taken(place: Location, name: str) -> Diagnostic:
    """Two public functions have one name."""
    made = builder_name(place, f"there is a function @{name} already")
    return made.helped("give it another name, or make it `private`, which renames it")


def no_function(place: Location, name: str, known: Iterable[str]) -> Diagnostic:
    """There is no function of a name."""
    from relax_lang.base.names import nearest

    close = nearest(name, known)
    made = builder_name(place, f"the module has no function @{name}")
    return made.helped(f"there is @{close}") if close else made


def bad_call(place: Location, problem: str) -> Diagnostic:
    """A call of a method does not have the arguments that it takes."""
    return builder_operand(place, problem)
