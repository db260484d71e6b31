"""What is wrong while a Relay program is translated or runs."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1090", "relay-not-translated", ERROR, "R.38")
def not_translated(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A part of a Relay program has no counterpart in Relax.

    Everything that has none is listed in one run. The program can be checked and formatted all the same.

    ```relay wrong
    def @main() { free_var %x: float32; %x }
    ```

    ```relay right
    def @main(%x: float32) { %x }
    ```
    """
    return rule.at(place, f"no translation to Relax: {message}")


@rule("RLX1091", "relay-no-clause", ERROR, "R.17")
def no_clause(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """While a program ran, no clause of a `match?` fitted the value.

    `match` has to cover every value, which is checked before the program runs; `match?` may leave cases out.

    ```relay wrong
    type Nat { Z, S(Nat) }
    def @main() -> Nat { match? (Z) { S(%n) => %n } }
    ```

    ```relay right
    type Nat { Z, S(Nat) }
    def @main() -> Nat { match (Z) { S(%n) => %n, Z => Z } }
    ```
    """
    return rule.at(place, message)
