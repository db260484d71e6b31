"""Code actions, formatting and commands."""

from __future__ import annotations

import re
from typing import Any

import pytest

from relax_lang import api
from tests.lsp.client import Client, ServerError, applied
from tests.lsp.documents import TEXTS, changed, each, place, uri


@each
def test_code_lenses_and_commands(client: Client, name: str) -> None:
    found = client.request("textDocument/codeLens", textDocument={"uri": uri(name)})
    assert [one["command"]["title"] for one in found] == ["graph", "graph"]
    shown = client.request("workspace/executeCommand", command="relax.explain", arguments=["RLX0201"])
    assert shown.startswith("## undefined-variable")
    with pytest.raises(ServerError):
        client.request("workspace/executeCommand", command="relax.nothing", arguments=[])


def test_running_a_function(client: Client) -> None:
    client.open(uri("run"), "def @main() { const([1, 2]) + const([3, 4]) }\n")
    (run, graph) = client.request("textDocument/codeLens", textDocument={"uri": uri("run")})
    assert run["command"]["title"] == "run"
    shown = client.request(
        "workspace/executeCommand", command=run["command"]["command"], arguments=run["command"]["arguments"]
    )
    assert "[4 6]" in shown
    drawn = client.request(
        "workspace/executeCommand",
        command=graph["command"]["command"],
        arguments=graph["command"]["arguments"],
    )
    assert drawn.endswith(".svg")
    client.notify("textDocument/didClose", textDocument={"uri": uri("run")})


def test_formatting(client: Client) -> None:
    text = "def @f( x:Tensor ){ x+x }\n\n\n\ndef @g() {\n  1\n}\n"
    client.open(uri("fmt"), text)
    options = {"tabSize": 2, "insertSpaces": True}
    document = {"uri": uri("fmt")}
    edits = client.request("textDocument/formatting", textDocument=document, options=options)
    assert applied(text, edits) == api.format_text(text)
    part = {"start": {"line": 5, "character": 0}, "end": {"line": 6, "character": 0}}
    assert (
        client.request("textDocument/rangeFormatting", textDocument=document, range=part, options=options)
        == []
    )
    typed = client.at("onTypeFormatting", uri("fmt"), 0, 25, ch="}", options=options)
    assert "x + x" in applied(text, typed)
    broken = client.request("textDocument/formatting", textDocument={"uri": uri("broken")}, options=options)
    assert broken == []
    client.notify("textDocument/didClose", textDocument=document)


WRONG = {
    "typo": "def @main(x: Tensor) {\n  let y = ad(x, x);\n  y\n}\n",
    "missing": "def @main(x: Tensor) {\n  let y = add(x, x)\n  y\n}\n",
    "unused": "def @main(x: Tensor) {\n  let y = add(x, x);\n  x\n}\n",
    "escaped": "def @main(x: Tensor) {\n  dataflow {\n    let a = exp(x);\n    let b = exp(a);\n    output b;\n  }\n"
    "  add(a, b)\n}\n",
    "dead": "private def @f() { 1 }\n\ndef @main() { 2 }\n",
}


@pytest.mark.parametrize("name", [*WRONG, *TEXTS])
def test_every_code_action_leaves_no_more_errors(client: Client, name: str) -> None:
    text = WRONG.get(name) or TEXTS[name]
    where = uri(f"action-{name}")
    client.open(where, text)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found: list[dict[str, Any]] = client.request(
        "textDocument/codeAction", textDocument={"uri": where}, range=everything, context={"diagnostics": []}
    )
    for match in re.finditer(r"let (\w)", text):
        line = text.count("\n", 0, match.start())
        spot = {"line": line, "character": match.start(1) - text.rfind("\n", 0, match.start()) - 1}
        found += client.request(
            "textDocument/codeAction",
            textDocument={"uri": where},
            range={"start": spot, "end": spot},
            context={"diagnostics": []},
        )
    before = errors(text)
    if name in WRONG:
        assert found
    for action in found:
        if "edit" not in action:
            continue
        (document,) = action["edit"]["documentChanges"]
        after = applied(text, document["edits"])
        assert after != text
        assert errors(after) <= before, action["title"]
    client.notify("textDocument/didClose", textDocument={"uri": where})


def errors(text: str) -> int:
    return sum(one.severity == "error" for one in api.check(text).diagnostics)


def test_the_actions_that_the_inferred_infos_allow(client: Client) -> None:
    line, column = place("clean", "c = multiply")
    spot = {"line": line, "character": column}
    found = client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri("clean")},
        range={"start": spot, "end": spot},
        context={"diagnostics": [], "only": ["refactor"]},
    )
    titles = [one["title"] for one in found]
    assert titles == [
        "insert inferred annotation `Tensor[(3, 4), float32]`",
        "insert match_cast",
        "add `c` to the output of its dataflow block",
    ]
    for one in found:
        assert not [
            each for each in api.check(changed("clean", one["edit"])).diagnostics if each.severity == "error"
        ]


@pytest.mark.parametrize(
    ("info", "is_offered"),
    [
        ("Tensor[(fn_rows,), float32]", True),
        ("fn(Tensor) -> Tensor", False),
        ("(fn(Tensor) -> Tensor, Tensor)", False),
    ],
)
def test_match_casts_are_offered_of_what_they_can_check(client: Client, info: str, is_offered: bool) -> None:
    text = f"def @main(x: {info}) {{\n  let y = x;\n  y\n}}\n"
    client.open(uri("checkable"), text)
    spot = {"line": 1, "character": 6}
    found = client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri("checkable")},
        range={"start": spot, "end": spot},
        context={"diagnostics": [], "only": ["refactor"]},
    )
    assert ("insert match_cast" in [one["title"] for one in found]) is is_offered
    client.notify("textDocument/didClose", textDocument={"uri": uri("checkable")})


def test_all_safe_fixes_at_once(client: Client) -> None:
    text = "def @main(x: Tensor) {\n  let y = add(x, x)\n  let z = exp(y)\n  z\n}\n"
    client.open(uri("all"), text)
    (action,) = client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri("all")},
        range={"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        context={"diagnostics": [], "only": ["source.fixAll"]},
    )
    (document,) = action["edit"]["documentChanges"]
    assert not errors(applied(text, document["edits"]))
    client.notify("textDocument/didClose", textDocument={"uri": uri("all")})


def test_names_without_use_are_faded(client: Client) -> None:
    client.open(uri("faded"), WRONG["unused"])
    (found,) = client.published(uri("faded"), 1)
    assert found["tags"] == [1]
    client.notify("textDocument/didClose", textDocument={"uri": uri("faded")})
