"""Diagnostics of texts: what does not fit the grammar, characters, words, blocks, layout. RLX01."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, HINT, WARNING, Diagnostic, Edit, Rule, rule, span_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Location


@rule("RLX0101", "syntax", ERROR, "Y.1 Y.2 Y.7 Y.8 G.3 G.11 G.15 G.26 G.30 G.38 G.39 V.1")
def syntax(rule: Rule, place: Location, message: str, label: str = "") -> Diagnostic:
    """The text is not a program of the language here.

    The message names what is expected, or what to write instead of what Python, Rust, Relay or TVMScript has.
    Parsing goes on after the error, so that mistakes in other statements are reported in the same run.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x)
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      y
    }
    ```
    """
    return rule.at(place, message, label)


@rule("RLX0102", "unexpected-end", ERROR, "Y.3")
def unexpected_end(rule: Rule, at: Location, opener: Location | None, mark: str) -> Diagnostic:
    """The text ends before a bracket, or a statement, is complete.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      add(x, x)
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      add(x, x)
    }
    ```
    """
    if opener is None:
        return rule.at(at, "the file ends in the middle of an item", "something is missing here")
    found = rule.at(at, f"the file ends before `{mark}` is closed", "the end of the file")
    return found.label(opener, f"this `{mark}` is never closed")


@rule("RLX0103", "unterminated-string", ERROR, "Y.4")
def unterminated_string(rule: Rule, place: Location, mark: str) -> Diagnostic:
    r"""A string or a quoted name is not closed on its line.

    Strings do not span lines; a line break inside a string is written `\n`.

    ```relax wrong
    def @main() -> Object {
      let f = extern "my.f;
      f()
    }
    ```

    ```relax right
    def @main() -> Object {
      let f = extern "my.f";
      f()
    }
    ```
    """
    what = "quoted name" if mark == "`" else "string"
    return rule.at(place, f"the {what} is not closed on its line", f"opened by this `{mark}`")


@rule("RLX0104", "bad-character", ERROR, "Y.6")
def bad_character(rule: Rule, place: Location, text: str) -> Diagnostic:
    """A character begins nothing in the language.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = x $ x;
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = x + x;
      y
    }
    ```
    """
    shown = text if text.isprintable() else "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text)
    return rule.at(place, f"`{shown}` does not belong to the language")


@rule("RLX0105", "reserved-word", ERROR, "Y.5")
def reserved_word(rule: Rule, place: Location, word: str) -> Diagnostic:
    """A keyword is written where a name is expected.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let block = add(x, x);
      block
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let `block` = add(x, x);
      `block`
    }
    ```
    """
    found = rule.at(place, f"`{word}` is a keyword; choose another name or write `` `{word}` ``")
    return found.replace(place, f"`{word}`", "quote the name")


@rule("RLX0106", "literal-does-not-fit", ERROR, "G.2 G.22")
def literal_does_not_fit(rule: Rule, place: Location, text: str, dtype: str) -> Diagnostic:
    """A number is outside the range of its dtype, or of another kind.

    Bare integers are int32 and bare fractions float32; `const(value, dtype)` gives another dtype.
    A fraction never becomes an integer by itself, and only `true` and `false` are bool.

    ```relax wrong
    def @main() -> Tensor {
      const(300, int8)
    }
    ```

    ```relax right
    def @main() -> Tensor {
      const(300, int16)
    }
    ```
    """
    return rule.at(place, f"{text} does not fit {dtype}")


@rule("RLX0107", "ragged-constant", ERROR, "G.22")
def ragged_constant(rule: Rule, row: Location, index: int, found: str, expected: str) -> Diagnostic:
    """The rows of a constant have different lengths; a tensor is rectangular.

    ```relax wrong
    def @main() -> Tensor {
      const([[1], [2, 3]], int32)
    }
    ```

    ```relax right
    def @main() -> Tensor {
      const([[1, 1], [2, 3]], int32)
    }
    ```
    """
    return rule.at(row, f"row {index} has {found}, the others {expected}")


@rule("RLX0108", "block-without-value", ERROR, "G.27")
def block_without_value(rule: Rule, brace: Location) -> Diagnostic:
    """A block has no value: its last expression ends in `;`, or there is none.

    A block is an expression. Its value is what comes after the last statement, without `;`.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      let y = add(x, x);
      y
    }
    ```
    """
    found = rule.at(
        brace, "the block has no value; end it with an expression (`()` for none)", "a value is missing here"
    )
    return found.helped("write `()` or a variable before this brace")


@rule("RLX0109", "if-needs-else", ERROR, "G.29")
def if_needs_else(rule: Rule, place: Location, end: int) -> Diagnostic:
    """An `if` is an expression and needs both branches.

    ```relax wrong
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let y = if c { x };
      y
    }
    ```

    ```relax right
    def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {
      let y = if c { x } else { x };
      y
    }
    ```
    """
    found = rule.at(place, "`if` needs an `else` branch", "this `if` has a value only in one case")
    return found.fix("add an `else` branch", Edit(end, end, " else { () }"))


@rule("RLX0110", "inline-primfunc", ERROR, "G.41")
def inline_primfunc(rule: Rule, place: Location) -> Diagnostic:
    """A `prim_func` is written inside an expression; it belongs at module level, and is called with `call_tir`.

    ```relax wrong
    def @main() -> Object {
      prim_func @p(A: Buffer[(3,), float32]) { }
    }
    ```

    ```relax right
    prim_func @p(A: Buffer[(3,), float32]) {
    }

    def @main() -> Object {
      call_tir(@p, ()) -> Tensor[(3,), float32]
    }
    ```
    """
    return rule.at(place, "a prim_func is written at module level", "move it out of the function")


@rule("RLX0111", "output-outside-dataflow", ERROR, "G.37")
def output_outside_dataflow(rule: Rule, place: Location) -> Diagnostic:
    """`output` lists what leaves a dataflow block, so it appears nowhere else.

    ```relax wrong
    def @main(x: Tensor) -> Tensor {
      let y = x;
      output y;
      y
    }
    ```

    ```relax right
    def @main(x: Tensor) -> Tensor {
      dataflow {
        let y = x;
        output y;
      }
      y
    }
    ```
    """
    return rule.at(place, "`output` belongs in a dataflow block")


@rule("RLX0112", "conflicting-modifiers", ERROR, "G.35")
def conflicting_modifiers(rule: Rule, second: Location, first: Location, name: str, other: str) -> Diagnostic:
    """Two modifiers exclude each other, or one is written twice.

    ```relax wrong
    pure impure def @main() -> () {
      ()
    }
    ```

    ```relax right
    pure def @main() -> () {
      ()
    }
    ```
    """
    message = f"`{name}` is written twice" if name == other else f"`{other}` and `{name}` exclude each other"
    found = rule.at(second, message).label(first, f"`{other}` is here")
    pos, end = span_of(second)
    return found.fix(f"remove `{name}`", Edit(pos, end + 1, ""))  # with the blank after it


@rule("RLX0113", "nesting-too-deep", ERROR, "Y.9")
def nesting_too_deep(rule: Rule, place: Location, limit: int, what: str) -> Diagnostic:
    """Brackets are nested, or operators chained, deeper than the tools will follow.

    Long files are not a problem; the limit is on depth. Bind the inner part to a variable first.
    """
    return rule.at(place, f"{what} deeper than {limit} levels", "the limit is reached here").helped(
        "bind the inner part to a variable with `let`"
    )


@rule("RLX0114", "too-many-errors", ERROR, "Y.8")
def too_many_errors(rule: Rule, place: Location, count: int) -> Diagnostic:
    """The text has so many syntax errors that it is probably no Relax program; the rest was not read.

    Mend the first ones and check again: what follows is often a consequence.
    """
    return rule.at(place, f"{count} syntax errors; the rest of the file was not read")


@rule("RLX0115", "text-layout", HINT, "G.42")
def text_layout(rule: Rule, place: Location, what: str) -> Diagnostic:
    """Tabs, CRLF line ends or a byte order mark: they are read, and `relax fmt` replaces them.

    Layout carries no meaning. The house style is two blanks of indentation, LF, and UTF-8 without a mark.
    """
    return rule.at(place, what).helped("`relax fmt` writes the file in the usual layout")


@rule("RLX0117", "confusable-text", WARNING, "Y.11")
def confusable_text(rule: Rule, place: Location, message: str) -> Diagnostic:
    """The text is not what it looks like: controls that reorder a line, or names whose letters look like others.

    Editors and reviews show `\u0430` (Cyrillic) as they show `a`, and a line with bidirectional controls in another
    order than it is read. Names in other scripts are fine; what is reported are two names that look the same, letters
    that look like Latin ones in a Latin name, and characters that are not seen at all.

    ```relax wrong
    def @main(value: Tensor, v\u0430lue: Tensor) -> Tensor {
      value
    }
    ```

    ```relax right
    def @main(value: Tensor, other: Tensor) -> Tensor {
      value
    }
    ```
    """
    return rule.at(place, message)


def no_return(place: Location) -> Diagnostic:
    """Return the syntax error for `return`."""
    return syntax(place, "there is no `return`: the value of a block is its last expression, without `;`")
