"""What is wrong with the names of a Relay program, and with the attributes of calls."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, SAFE, Edit, rule
from relax_lang.base.names import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1054", "relay-undefined-variable", ERROR, "R.7 R.8")
def undefined_variable(rule: Rule, place: Location, name: str, known: Collection[str]) -> Diagnostic:
    """A variable, function or graph node is used that is not defined here.

    `%x` is a parameter or bound by a `let` before, `@f` a function of the module, `%3` a node that was numbered
    before in the same braces or around them. Names may hold `/`, so that a division needs a blank before its sign.

    ```relay wrong
    def @main(%x: float32) { %x + %y }
    ```

    ```relay right
    def @main(%x: float32, %y: float32) { %x + %y }
    ```
    """
    found = rule.at(place, f"`{name}` is not defined")
    head = name.partition("/")[0]
    if head != name and head in known:
        pos = found.pos + len(head)
        return found.note(f"`/` is part of a name where no blank is before it: `{head}` is defined").fix(
            f"divide: `{head} {name[len(head) :]}`", Edit(pos, pos, " ")
        )
    like = nearest(name, known) or next((one for one in known if one.endswith(f".{name[1:]}")), None)
    if like is not None:
        found.replace(place, like, f"did you mean `{like}`?")
    return found


_NO_VALUES = {
    "None": "`None` is a value of attributes alone; `()` is the value without contents",
    "const": "a number is written with its suffix, `2f`; there is no `const`",
    "print": "there is no `print` in Relay",
    "not": "there is no `not`: `logical_not(…)`",
}
_SYNONYMS = {
    "true": "True",
    "false": "False",
    "permute_dims": "transpose",
    "flip": "reverse",
    "flatten": "nn.batch_flatten",
    "gather_elements": "gather",
    "index_tensor": "adv_index",
    "astype": "cast",
    "concat": "concatenate",
    "size": "ndarray_size",
    "nonzero": "argwhere",
    "len": "shape_of",
    "Ref": "ref",
    "RefCreate": "ref",
    "RefRead": "ref_read",
    "RefWrite": "ref_write",
}
"""What operators are called elsewhere."""
_DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "int": "int32",
    "uint": "uint32",
    "boolean": "bool",
}
"""What dtypes are called elsewhere."""


@rule("RLX1055", "relay-unknown-operator", ERROR, "R.9")
def unknown_operator(rule: Rule, place: Location, name: str, known: Collection[str]) -> Diagnostic:
    """There is no operator, and no constructor of the module, of this name.

    A word without a sign before it is a constructor of the module or an operator. Local variables begin with `%`,
    functions with `@`.

    ```relay wrong
    def @main(%x: Tensor[(2), float32]) { relu(%x) }
    ```

    ```relay right
    def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }
    ```
    """
    if name in _NO_VALUES:
        return rule.at(place, _NO_VALUES[name])
    found = rule.at(place, f"there is no operator or constructor `{name}`")
    like = f"nn.{name}" if f"nn.{name}" in known else _SYNONYMS.get(name) or nearest(name, known)
    if like is not None:
        found.replace(place, like, f"did you mean `{like}`?")
    return found


@rule("RLX1056", "relay-unknown-constructor", ERROR, "R.10 R.17")
def unknown_constructor(rule: Rule, place: Location, name: str, known: Collection[str]) -> Diagnostic:
    """A pattern names a constructor that no type of the module has.

    A pattern is `_`, a variable `%x`, a constructor with patterns for its fields, or a tuple of patterns. A variable
    without its `%` would be read as a constructor.

    ```relay wrong
    type Nat { Z, S(Nat) }
    def @pred(%n: Nat) -> Nat { match (%n) { S(m) => Z, Z => Z } }
    ```

    ```relay right
    type Nat { Z, S(Nat) }
    def @pred(%n: Nat) -> Nat { match (%n) { S(%m) => %m, Z => Z } }
    ```
    """
    found = rule.at(place, f"no type of the module has a constructor `{name}`")
    like = nearest(name, known)
    if like is not None:
        return found.replace(place, like, f"did you mean `{like}`?")
    return found.replace(place, f"%{name}", f"a variable is written `%{name}`")


@rule("RLX1057", "relay-unknown-type", ERROR, "R.26")
def unknown_type(rule: Rule, place: Location, name: str, known: Collection[str]) -> Diagnostic:
    """A type is named that the module does not define, and that is neither a dtype nor a parameter in scope.

    Parameters of types are in brackets behind the name of a function, `def @f[A](…)`, or behind `fn`.

    ```relay wrong
    def @main(%x: A) -> A { %x }
    ```

    ```relay right
    def @main[A](%x: A) -> A { %x }
    ```
    """
    found = rule.at(place, f"there is no type `{name}`")
    like = _DTYPES.get(name) or nearest(name, known)
    if like is not None:
        return found.replace(place, like, f"did you mean `{like}`?")
    if len(name) <= 2 and name[:1].isupper():
        found.helped(
            f"if `{name}` is a parameter, write it in brackets behind the function's name: `[{name}]`"
        )
    return found


@rule("RLX1059", "relay-unknown-attribute", ERROR, "R.6")
def unknown_attribute(
    rule: Rule, place: Location, operator: str, name: str, known: Collection[str]
) -> Diagnostic:
    """An operator is given an attribute that it does not have.

    ```relay wrong
    def @main(%x: Tensor[(2, 3), float32]) { sum(%x, axes=[1]) }
    ```

    ```relay right
    def @main(%x: Tensor[(2, 3), float32]) { sum(%x, axis=[1]) }
    ```
    """
    found = rule.at(place, f"`{operator}` has no attribute `{name}`")
    found.note(f"it has {', '.join([f'`{one}`' for one in known])}" if known else "it has none")
    like = nearest(name, known)
    if like is not None:
        found.replace((found.pos, found.pos + len(name)), like, f"did you mean `{like}`?")
    return found


@rule("RLX1060", "relay-attribute-value", ERROR, "R.6")
def attribute_value(rule: Rule, place: Location, message: str) -> Diagnostic:
    """An attribute has a value that its operator does not take.

    ```relay wrong
    def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x, axis="last") }
    ```

    ```relay right
    def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x, axis=-1) }
    ```
    """
    return rule.at(place, message)


@rule("RLX1061", "relay-meta-missing", ERROR, "R.12")
def meta_missing(rule: Rule, place: Location, key: str, index: int, there: int) -> Diagnostic:
    """A `meta[key][index]` names an object that the metadata of the file does not have.

    Objects that have no text, such as constants of more than one element, are kept in a section `#[metadata]` at the
    end of the file, by key and index, or in another file, which `--meta` names.

    ```relay wrong
    def @main() { meta[relay.Constant][0] }
    ```

    ```relay right
    def @main() { 1f }
    ```
    """
    found = rule.at(place, f"the metadata of the file has no `{key}` with index {index}")
    found.note(f"it has {there} of that key" if there else f"it has nothing under `{key}`")
    return found.helped("`--meta FILE` reads the constants of a program from another file")


@rule("RLX1064", "relay-meta-invalid", ERROR, "R.12")
def meta_invalid(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """The metadata section of a file, or the file that `--meta` names, cannot be read.

    The section is JSON: `root`, `nodes` and `b64ndarrays`. Arrays are bounded in size, and nothing in it is executed.

    ```relay wrong
    def @main() { 1 }
    #[metadata]
    { "root": 1
    ```

    ```relay right
    def @main() { 1 }
    #[metadata]
    { "root": 0, "nodes": [{ "type_key": "" }], "b64ndarrays": [] }
    ```
    """
    return rule.at(place, message)


@rule("RLX1062", "relay-attr-missing", HINT, "R.6")
def attribute_missing(
    rule: Rule, at: int, operator: str, missing: Iterable[str], *, first: bool
) -> Diagnostic:
    """An attribute is left out that the text format writes even where its value is `None`.

    The call is read as if `None` were written. Other tools refuse such a text; `relax check --fix` writes it.

    ```relay wrong
    def @main(%x: Tensor[(2, 3), float32]) { transpose(%x) }
    ```

    ```relay right
    def @main(%x: Tensor[(2, 3), float32]) { transpose(%x, axes=None) }
    ```
    """
    words = ", ".join([f"{name}=None" for name in missing])
    found = rule.at((at - 1, at), f"`{operator}` is written with `{words}` in the text format")
    return found.fix(
        f"add `{words}`", Edit(at - 1, at - 1, words if first else f", {words}"), applicability=SAFE
    )
