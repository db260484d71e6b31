"""Texts and their formatted forms: `cases/NAME.in.rlx` and `cases/NAME.out.rlx`, and single rules."""

from __future__ import annotations

import pytest

from relax_lang.base.node import same
from relax_lang.format.printer import print_tree
from relax_lang.syntax.parser import parse
from tests.format import support


@pytest.mark.parametrize("name", support.names())
def test_case(name: str, request: pytest.FixtureRequest) -> None:
    expected = support.CASES / f"{name}.out.rlx"
    formatted = support.obeys_laws(support.source(name))
    if request.config.getoption("--update-golden"):
        expected.write_text(formatted, encoding="utf-8")
    assert formatted == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", support.names())
@pytest.mark.parametrize("width", [60, *support.WIDTHS, 1])
def test_every_width(name: str, width: int) -> None:
    support.obeys_laws(support.source(name), width)


@pytest.mark.parametrize("name", support.names())
def test_G_43_without_the_text(name: str) -> None:
    tree = parse(support.source(name)).tree
    assert same(parse(print_tree(tree)).tree, tree)


def statement(text: str) -> str:
    """Format a statement and return it without its indentation."""
    formatted = support.obeys_laws(f"def @f(x: Tensor, y: Tensor, f: Object) -> Object {{ {text} x }}")
    lines = formatted.splitlines()[1:-2]
    return "\n".join([line.removeprefix("  ") for line in lines])


def value(text: str) -> str:
    """Format an expression."""
    return statement(f"let v = {text};").removeprefix("let v = ").removesuffix(";")


@pytest.mark.parametrize(
    "text",
    [
        "1_000",
        "0_1.5_0e-0_3".replace("e-0_3", "e-03"),
        "1E5",
        "const(1)",
        "const(true)",
        "const([1_0, -2_0], int8)",
        "inf",
        "nan",
        "const(nan)",
        "const(-inf, float16)",
        "shape(1_0)",
        "((x))",
        "(x)",
        "((x + y))",
        "-(x)",
        "f((x), (y))",
        "(x)[0]",
        "x ** (y ** x)",
        "x - (y - x)",
        "(x - y) - x",
        "!!x",
        "--x",
        "- -1",
        "x - -1",
        "(x == y) == x",
        "x == (y == x)",
        "-x ** 2",
        "(-x) ** 2",
        "x ** -y",
        "x && !y",
        "!(x && y)",
        "(!x) == y",
        "!x == y",
        "x * (y / x)",
        "(f(x) -> Tensor)[0]",
        "(f(x) -> Tensor)(y) -> Shape",
        "f(x) -> Tensor ** y",
        "x ** f(x) -> Tensor",
        'extern "f"(x, pure=true)',
        "f(x, `if`=1, `a b`=null)",
        'add(x, axis=[1, 2, float32, "s", null, true])',
        "(if x { x } else { y })(x)",
        "(fn (a: Tensor) -> Tensor { a })[0]",
        "({ x })(y)",
        "{ { x } }",
        "(x,)",
        "((x,),)",
        "(shape(n))",
        "shape((n + m) * 2, -n, !(n == m), n - (m - n), (n))",
        "shape(select(n > 1, n, 1), min(n, max(m, 2)))",
    ],
)
def test_kept_as_written(text: str) -> None:
    expected = {"((x))": "(x)", "((x + y))": "(x + y)", "- -1": "--1"}.get(text, text)
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if x { y } else { x } + 1", "(if x { y } else { x }) + 1"),
        ("fn (a: Tensor) { a }(x)", "(fn (a: Tensor) { a })(x)"),
        ("f(x,y,)", "f(x, y)"),
        ("shape(n,)", "shape(n)"),
        ("add( x )->(Tensor)", "add(x) -> (Tensor)"),
        ("`x`", "x"),
        ('@"f"', "@f"),
        ("`caf\\u00e9`", "café"),
        ('extern "\\u0041\\/\\u0001"', 'extern "A/\\u0001"'),
        ('const(file( "w.npy" ))', 'const(file("w.npy"))'),
        ("const(1,int8,)", "const(1, int8)"),
    ],
)
def test_written_in_one_way(text: str, expected: str) -> None:
    assert value(text) == expected


def test_empty_lines_between_statements_stay_but_only_one() -> None:
    text = "\n\n\nadd(x, x);\n\n\n\n# a\n\n\n# b\nx;\ny;\n"
    assert statement(text) == "add(x, x);\n\n# a\n\n# b\nx;\ny;"


def test_line_ends_and_byte_order_mark() -> None:
    text = "\ufeff# one\r\n\r\n\r\ndef @f() -> () {\r\n  # two  \r\n  ()  \r\n}\r\n"
    assert support.obeys_laws(text) == "# one\n\ndef @f() -> () {\n  # two\n  ()\n}\n"


def test_lines_end_without_blanks_and_keep_to_the_width() -> None:
    for name in support.names():
        for line in support.obeys_laws(support.source(name)).splitlines():
            assert line == line.rstrip()
            assert len(line) <= 100 or "#" in line


def test_doc_comments_stick_to_their_item() -> None:
    text = "## Doc.\n\n\ndef @f() -> () { () }\n# free\n\n## Doc.\n\n## More.\n\ndef @g() -> () { () }"
    formatted = support.obeys_laws(text)
    assert "## Doc.\ndef @f()" in formatted
    assert "}\n\n# free\n\n## Doc.\n## More.\ndef @g()" in formatted


@pytest.mark.parametrize("start", ["expr", "struct_info", "prim"])
def test_fragments(start: str) -> None:
    text = {"expr": "f( x,y )+1 # c", "struct_info": "( Tensor,Shape )", "prim": "n*( m+1 )"}[start]
    from relax_lang.format.printer import format_parsed

    expected = {"expr": "# c\nf(x, y) + 1", "struct_info": "(Tensor, Shape)", "prim": "n * (m + 1)"}[start]
    assert format_parsed(parse(text, start)) == expected
