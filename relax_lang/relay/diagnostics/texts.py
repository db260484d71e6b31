"""What is wrong with the text of a Relay program: syntax, header, numbers."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, SAFE, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1051", "relay-syntax", ERROR, "R.29")
def syntax(rule: Rule, place: Location, message: str, label: str = "") -> Diagnostic:
    """The text is not a Relay program here.

    The message names what is expected, or what to write instead of what Python or Relax has. Reading goes on
    after the error, so that other mistakes are reported in the same run.

    ```relay wrong
    def @main(%x: Tensor[(2), float32]) {
      let y = add(%x, %x);
      %y
    }
    ```

    ```relay right
    def @main(%x: Tensor[(2), float32]) {
      let %y = add(%x, %x);
      %y
    }
    ```
    """
    return rule.at(place, message, label)


@rule("RLX1052", "relay-version", ERROR, "R.1")
def version(rule: Rule, place: Location, found: str, known: str) -> Diagnostic:
    """The header names a version of the text format that is not known here.

    A module may begin with `#[version = "0.0.5"]`. Other versions may mean something else by the same text, so
    that nothing is guessed; if the file is in fact of version 0.0.5, correct the header.

    ```relay wrong
    #[version = "1.0.0"]
    def @main() { 1 }
    ```

    ```relay right
    #[version = "0.0.5"]
    def @main() { 1 }
    ```
    """
    shown = f'version "{found}"' if found else "a version in another form"
    return rule.at(place, f'expected version "{known}" of the text format, found {shown}').replace(
        place, f'#[version = "{known}"]', f'write `#[version = "{known}"]`, if the text is of that version'
    )


@rule("RLX1063", "relay-old-header", HINT, "R.1")
def old_header(rule: Rule, place: Location, found: str, known: str) -> Diagnostic:
    """The file begins with the header of an older edition, `v0.0.4`.

    It is read all the same. `relax fmt` and `relax check --fix` write the header of the edition that is known here.

    ```relay wrong
    v0.0.4
    def @main() { 1 }
    ```

    ```relay right
    #[version = "0.0.5"]
    def @main() { 1 }
    ```
    """
    return rule.at(place, f"`{found}` is the header of an older edition").replace(
        place, f'#[version = "{known}"]', f'write `#[version = "{known}"]`', applicability=SAFE
    )


@rule("RLX1053", "relay-literal", ERROR, "R.11")
def literal(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A number has no dtype, or does not fit into the one it has.

    Whole numbers are int32, or int64 if they do not fit; `i16`, `i32` and `i64` after them choose. A fraction is
    written with `f` (float32), `f16` or `f64`. Numbers of other dtypes are made with `cast`.

    ```relay wrong
    def @main(%x: float32) { %x + 1.5 }
    ```

    ```relay right
    def @main(%x: float32) { %x + 1.5f }
    ```
    """
    return rule.at(place, message)


@rule("RLX1058", "relay-duplicate", ERROR, "R.29")
def duplicate(rule: Rule, place: Location, first: Location, what: str) -> Diagnostic:
    """A function, type, constructor, parameter or attribute is there twice.

    Names of functions, types and constructors are unique in a module: a constructor is written without its type,
    so its name alone shows what is meant.

    ```relay wrong
    type Color { Red, Green }
    type Light { Red, Off }
    def @main() { Red }
    ```

    ```relay right
    type Color { Red, Green }
    type Light { On, Off }
    def @main() { Red }
    ```
    """
    return rule.at(place, f"{what} is there twice", "again").label(first, "first")
