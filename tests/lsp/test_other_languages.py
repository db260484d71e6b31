"""Documents in TVMScript and Relay in the server: findings, types, fixes, formatting; other Python is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.client import Client, ServerError, applied

SCRIPT = """from tvm.script import relax as R

@R.function
def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((3, 4), "float32")):
    y = R.matmul(x, w)
    z = R.add(y, x)
    return z

@R.function
def second(a: R.Tensor((5,), "int32")):
    b = R.add(a, a)
    return b
"""
RELAY = "def @main(%x: Tensor[(2, 3), float32]) {\n  let %y = nn.relu(%x);\n  add(%y,   %z)\n}\n"


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client()
    yield made
    made.kill()


def at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def hover(client: Client, uri: str, line: int, character: int) -> str | None:
    found = client.request("textDocument/hover", **at(uri, line, character))
    return None if found is None else found["contents"]["value"]


def test_tvmscript_is_checked_and_its_types_are_shown(client: Client) -> None:
    uri = "file:///nowhere/model.py"
    client.open(uri, SCRIPT)
    found = [one for one in client.published(uri, 1) if one["severity"] == 1]
    assert [one["data"]["slug"] for one in found] == ["op-shape-mismatch"]
    assert found[0]["range"]["start"] == {"line": 5, "character": 8}
    assert hover(client, uri, 4, 4) == "```relax\nTensor[(2, 4), float32]\n```"
    assert hover(client, uri, 10, 4) == "```relax\nTensor[(5,), int32]\n```"
    assert hover(client, uri, 0, 0) is None


def test_a_comment_silences_a_finding_of_tvmscript(client: Client) -> None:
    uri = "file:///nowhere/model.py"
    client.open(uri, SCRIPT)
    client.published(uri, 1)
    place = {"line": 5, "character": 9}
    actions = client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri},
        range={"start": place, "end": place},
        context={"diagnostics": []},
    )
    silence = next(one for one in actions if one["title"] == "silence op-shape-mismatch here")
    edit = silence["edit"]["changes"][uri][0]
    assert edit["newText"] == "  # relax: ignore[op-shape-mismatch]"
    client.change(uri, 2, {"range": edit["range"], "text": edit["newText"]})
    assert [one for one in client.published(uri, 2) if one["severity"] == 1] == []


def test_other_python_is_left_alone(client: Client) -> None:
    uri = "file:///nowhere/plain.py"
    client.open(uri, "def f(:\n")
    assert client.published(uri, 1) == []
    assert (
        client.request(
            "textDocument/formatting", textDocument={"uri": uri}, options={"tabSize": 2, "insertSpaces": True}
        )
        == []
    )
    assert client.request("textDocument/completion", **at(uri, 0, 4))["items"] == []
    assert client.request("textDocument/documentSymbol", textDocument={"uri": uri}) == []


def test_relay_is_checked_formatted_and_its_types_are_shown(client: Client) -> None:
    uri = "file:///nowhere/model.relay"
    client.open(uri, RELAY)
    assert [one["data"]["slug"] for one in client.published(uri, 1)] == ["relay-undefined-variable"]
    place = {"line": 2, "character": 13}
    actions = client.request(
        "textDocument/codeAction",
        textDocument={"uri": uri},
        range={"start": place, "end": place},
        context={"diagnostics": []},
    )
    assert not any("silence" in one["title"] for one in actions)
    client.change(uri, 2, {"text": RELAY.replace("%z", "%x")})
    assert client.published(uri, 2) == []
    assert hover(client, uri, 1, 7) == "```relax\nTensor[(2, 3), float32]\n```"
    edits = client.request(
        "textDocument/formatting", textDocument={"uri": uri}, options={"tabSize": 2, "insertSpaces": True}
    )
    assert [edit["newText"] for edit in edits] == ["  add(%y, %x)\n"]


def outline(client: Client, uri: str) -> list[tuple[str, str | None, list[tuple[str, str | None]]]]:
    found = client.request("textDocument/documentSymbol", textDocument={"uri": uri})
    return [
        (one["name"], one.get("detail"), [(inner["name"], inner.get("detail")) for inner in one["children"]])
        for one in found
    ]


def hints(client: Client, uri: str) -> list[tuple[int, int, str]]:
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = client.request("textDocument/inlayHint", textDocument={"uri": uri}, range=everything)
    assert all("textEdits" not in one for one in found), "the text is another language"
    return [(one["position"]["line"], one["position"]["character"], one["label"]) for one in found]


def test_symbols_and_types_of_tvmscript(client: Client) -> None:
    uri = "file:///nowhere/model.py"
    client.open(uri, SCRIPT)
    first, second = outline(client, uri)
    assert first[0] == "main"
    assert ("y", "Tensor[(2, 4), float32]") in first[2]
    assert ("x", "Tensor[(2, 3), float32]") in first[2]
    assert ("z", None) in first[2], "of what is wrong nothing is known"
    assert second == (
        "second",
        "fn(Tensor[(5,), int32]) -> Tensor[(5,), int32]",
        [("a", "Tensor[(5,), int32]"), ("b", "Tensor[(5,), int32]")],
    )
    assert hints(client, uri) == [(4, 5, ": Tensor[(2, 4), float32]"), (10, 5, ": Tensor[(5,), int32]")]
    found = client.request("textDocument/documentSymbol", textDocument={"uri": uri})
    assert found[0]["selectionRange"]["start"] == {"line": 3, "character": 4}


def test_symbols_and_types_of_relay(client: Client) -> None:
    uri = "file:///nowhere/model.relay"
    client.open(uri, "type Pair { Both }\n" + RELAY.replace("%z", "%x"))
    pair, main = outline(client, uri)
    assert pair[0] == "Pair"
    assert main[0] == "@main"
    assert main[2] == [("%x", "Tensor[(2, 3), float32]"), ("%y", "Tensor[(2, 3), float32]")]
    assert hints(client, uri) == [(2, 8, ": Tensor[(2, 3), float32]")]


def test_types_of_relay_with_an_import(client: Client) -> None:
    uri = "file:///nowhere/model.relay"
    client.open(uri, 'import "std/prelude.relay"\ndef @main(%n: int32) {\n  @rev(@range(%n))\n}\n')
    assert client.published(uri, 1) == []
    assert [one[0] for one in outline(client, uri)] == ["@main"]
    assert hover(client, uri, 0, 8) is None
    assert hover(client, uri, 2, 3) == "```relax\nfn (List[int32]) -> List[int32]\n```"


def test_files_of_a_folder_are_read_in_their_language(tmp_path: Path) -> None:
    (tmp_path / "model.relay").write_text(RELAY.replace("%z", "%x"))
    (tmp_path / "model.rlx").write_text("def @main(x: Tensor) {\n  x\n}\n")
    client = Client(tmp_path)
    reports = client.request("workspace/diagnostic", previousResultIds=[])["items"]
    assert {Path(one["uri"]).name: one["items"] for one in reports} == {"model.relay": [], "model.rlx": []}
    symbols = client.request("workspace/symbol", query="main")
    assert {Path(one["location"]["uri"]).name for one in symbols} == {"model.relay", "model.rlx"}
    client.kill()


NAMES = """type List[A] {
  Cons(A, List[A]),
  Nil,
}

def @twice(%x: Tensor[(2,), float32]) {
  add(%x, %x)
}

def @main(%x: Tensor[(2,), float32], %l: List[Tensor[(2,), float32]]) {
  let %y = @twice(%x);
  %0 = nn.softmax(%y, axis=0);
  match (%l) {
    Cons(%h, _) => add(%0, %h),
    Nil => add(%0, %y),
  }
}
"""


def opened_relay(client: Client) -> str:
    uri = "file:///nowhere/names.relay"
    client.open(uri, NAMES)
    assert [one for one in client.published(uri, 1) if one["severity"] == 1] == []
    return uri


def spot(words: str, after: str = "", text: str = NAMES) -> dict[str, int]:
    """The place behind the beginning `after` of some words."""
    before = text[: text.index(words) + len(after)]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


def test_relay_names_are_found(client: Client) -> None:
    uri = opened_relay(client)
    document = {"textDocument": {"uri": uri}}
    for words, after, definition, count in [
        ("add(%x, %x)", "add(", "%x: Tensor[(2,), float32]) {\n  add", 3),
        ("(%y, axis", "(", "%y = @twice", 3),
        ("@twice(%x);", "@", "@twice(%x: ", 2),
        ("%0, %h", "", "%0 = nn", 3),
        ("Cons(%h", "", "Cons(A", 2),
    ]:
        place = {**document, "position": spot(words, after)}
        found = client.request("textDocument/definition", **place)
        assert found["range"]["start"] == spot(definition), words
        uses = client.request("textDocument/references", **place, context={"includeDeclaration": True})
        assert len(uses) == count, words
        assert len(client.request("textDocument/documentHighlight", **place)) == count
    place = {**document, "position": spot("nn.softmax", "nn.")}
    assert client.request("textDocument/definition", **place) is None


def test_relay_names_are_changed_if_the_program_means_the_same_afterwards(client: Client) -> None:
    uri = opened_relay(client)

    def renamed(words: str, after: str, new: str) -> str:
        place = {"textDocument": {"uri": uri}, "position": spot(words, after)}
        found = client.request("textDocument/rename", **place, newName=new)
        return applied(NAMES, found["changes"][uri])

    assert renamed("(%y, axis", "(", "z") == NAMES.replace("%y", "%z")
    assert renamed("@twice(%x);", "@", "@double") == NAMES.replace("@twice", "@double")
    assert renamed("Cons(A", "", "Pair") == NAMES.replace("Cons", "Pair")
    for words, after, new, why in [
        ("%l: List", "%", "x", "would"),
        ("%y = @twice", "%", "a b", "would mean something else"),
        ("@twice(%x);", "@", "main", "would mean something else"),
        ("nn.softmax", "", "relu", "is an operator of Relay"),
        ("%0 = ", "", "n", "is a number, not a name"),
        ("match (", "", "n", "there is no name here"),
    ]:
        with pytest.raises(ServerError, match=why):
            renamed(words, after, new)


def test_relay_is_completed(client: Client) -> None:
    uri = opened_relay(client)

    def proposed(version: int, words: str, written: str) -> dict[str, str | None]:
        text = NAMES.replace(words, written + "~", 1)
        client.change(uri, version, {"text": text.replace("~", "")})
        position = spot("~", "", text)
        found = client.request("textDocument/completion", textDocument={"uri": uri}, position=position)
        return {one["label"]: one.get("detail") for one in found["items"]}

    found = proposed(2, "add(%0, %y)", "add(%")
    assert list(found) == ["%h", "%0", "%y", "%l", "%x"]
    assert found["%y"] == "Tensor[(2), float32]"
    assert set(proposed(3, "@twice(%x);", "@t")) == {"@twice"}
    assert proposed(4, "nn.softmax(%y", "nn.soft")["nn.softmax"] == "nn.softmax(data, axis=)"
    assert "axis=" in proposed(5, "%y, axis=0", "%y, ")
    assert "Cons" in proposed(6, "@twice(%x);", "Co")
    assert proposed(7, "match (%l)", "// ad") == {}


def test_relay_names_have_semantic_tokens(client: Client) -> None:
    uri = opened_relay(client)
    legend = client.info["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.request("textDocument/semanticTokens/full", textDocument={"uri": uri})["data"]
    line = column = 0
    shown: list[tuple[str, str]] = []
    lines = NAMES.split("\n")
    for at in range(0, len(data), 5):
        line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
        shown.append((lines[line][column : column + data[at + 2]], legend[data[at + 3]]))
    assert shown[:6] == [
        ("Cons", "function"),
        ("Nil", "function"),
        ("@twice", "function"),
        ("%x", "parameter"),
        ("add", "function"),
        ("%x", "parameter"),
    ]
    assert ("%0", "variable") in shown
