"""Diagnostics about patterns and rules: RLX1320 to RLX1322."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1320", "bad-rule", ERROR)
def bad_rule(rule: Rule, place: Location | None, message: str, advice: str = "") -> Diagnostic:
    """A file with rewrite rules has a function that is not a rule, or a replacement that does not fit its pattern.

    A rule is a pair of functions, `@pattern` and `@replacement`, or `@pattern_NAME` and `@replacement_NAME`, with the
    same parameters. What the pattern computes is looked for, and becomes what the replacement computes, so that the
    result of the replacement must be known at least as precisely as that of the pattern. Patterns consist of calls of
    operators, tuples, fields and constants; every parameter is used. A replacement may call PrimFuncs and private
    functions of the file as well, which the program then gets. It has no effects, and no branches of its own: a private
    function may have them.

    ```relax
    def @pattern(x: Tensor[(n,), float32]) {
      add(x, x)
    }

    def @replacement(x: Tensor[(n,), float32]) {
      multiply(x, 2.0)
    }
    ```
    """
    found = rule.at(place, message)
    return found.helped(advice) if advice else found


@rule("RLX1321", "rewrite-does-not-end", ERROR)
def rewrite_does_not_end(
    rule: Rule, place: Location | None, name: str, rounds: int, rewriting: tuple[str, str] | None = None
) -> Diagnostic:
    """A rewrite finds its pattern again and again, also in what it made.

    A rewrite is repeated until its pattern is not found any more. One whose result contains its pattern would never
    end, and is stopped. The result of `add(a, b)` → `add(b, a)` is an `add` again.

    ```python wrong
    rewrite(is_op("add")(a, b), lambda whole, found: op.add(found[b], found[a]), module)
    ```

    ```python right
    rewrite(is_op("add")(a, a), lambda whole, found: op.multiply(found[a], 2.0), module)
    ```
    """
    if rewriting is not None:  # pattern and replacement of a file
        found = rule.at(place, f"{rewriting[0]} is still found in {name} after {rounds} rounds")
        return found.helped(f"is {rewriting[0]} part of what {rewriting[1]} computes?")
    found = rule.at(place, f"the pattern is still found in {name} after {rounds} rounds")
    return found.helped("return the expression itself where nothing is to be changed")


@rule("RLX1322", "bad-pattern", ERROR)
def bad_pattern(rule: Rule, place: Location, message: str) -> Diagnostic:
    """A pattern, a mutator or the function of a rewrite is used in a way that has no meaning.

    Patterns are made by `is_op`, `wildcard` and their like, and call others as their arguments. The function of a
    rewrite returns an expression, and `found` has those patterns that it was made of.

    ```python wrong
    is_op("add")(a, "b")
    ```

    ```python right
    is_op("add")(a, b)
    ```
    """
    return rule.at(place, message)
