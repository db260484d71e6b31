"""What is wrong with the imports of a Relay program."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, Edit, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1065", "relay-unknown-import", ERROR, "R.2")
def unknown_import(rule: Rule, place: Location, path: str, known: Sequence[str], like: str) -> Diagnostic:
    """An `import` names a text that the standard library does not have.

    `import "std/prelude.relay"` takes lists, options and trees, with their functions, from the standard library.
    Other files are not read: what a module needs of them is copied into it.

    ```relay wrong
    import "prelude.rly"
    def @main() { @length(Cons(1, Nil)) }
    ```

    ```relay right
    import "std/prelude.relay"
    def @main() { @length(Cons(1, Nil)) }
    ```
    """
    found = rule.at(place, f"the standard library has no `{path}`")
    found.note(f"it has {', '.join([f'`{one}`' for one in known])}")
    if not like:
        return found.helped("no other files are read: copy what the module needs of them into it")
    return found.replace(place, f'import "{like}"', f'write `import "{like}"`')


@rule("RLX1066", "relay-not-imported", ERROR, "R.2")
def not_imported(rule: Rule, place: Location, name: str, path: str, written: tuple[int, str]) -> Diagnostic:
    """A function or constructor of the standard library is used without an `import` of its text.

    ```relay wrong
    def @main() { @length(Cons(1, Nil)) }
    ```

    ```relay right
    import "std/prelude.relay"
    def @main() { @length(Cons(1, Nil)) }
    ```
    """
    at, text = written
    found = rule.at(place, f"`{name}` is not defined; the standard library has it, in `{path}`")
    return found.fix(f'add `import "{path}"`', Edit(at, at, text))


@rule("RLX1067", "relay-import-conflict", ERROR, "R.2")
def imported_twice(rule: Rule, place: Location, first: Location, what: str, path: str) -> Diagnostic:
    """A module defines a name that it also imports.

    Names of functions, types and constructors are unique in a module, with all that it imports.

    ```relay wrong
    import "std/prelude.relay"
    type Maybe { Some(int32), Nothing }
    def @main() { Nothing }
    ```

    ```relay right
    import "std/prelude.relay"
    type Maybe { Just(int32), Nothing }
    def @main() { Nothing }
    ```
    """
    found = rule.at(place, f"{what} is also imported from `{path}`").label(first, "imported here")
    return found.helped("give it another name, or leave out the import")
