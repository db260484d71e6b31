"""Every capability over the real protocol: on a clean, a broken and a non-ASCII file."""

from __future__ import annotations

from typing import Any

import pytest

from relax_lang import api
from tests.lsp.client import Client, ServerError, applied
from tests.lsp.documents import CLEAN, TEXTS, changed, each, place, uri


def text_at(name: str, found: dict[str, Any]) -> str:
    """The text of a range, by UTF-16 columns."""
    lines = TEXTS[name].split("\n")
    start, end = found["start"], found["end"]
    assert start["line"] == end["line"]
    return (
        lines[start["line"]]
        .encode("utf-16-le")[2 * start["character"] : 2 * end["character"]]
        .decode("utf-16-le")
    )


@each
def test_diagnostics(client: Client, name: str) -> None:
    found = client.published(uri(name), 1)
    codes = [one["code"][:5] for one in found if one["severity"] == 1]
    assert codes == (["RLX01"] if name == "broken" else [])


@each
def test_pulled_diagnostics(client: Client, name: str) -> None:
    found = client.request("textDocument/diagnostic", textDocument={"uri": uri(name)})
    assert found["kind"] == "full"
    again = client.request(
        "textDocument/diagnostic", textDocument={"uri": uri(name)}, previousResultId=found["resultId"]
    )
    assert again["kind"] == "unchanged"


def test_diagnostics_of_the_workspace(client: Client) -> None:
    found = client.request("workspace/diagnostic", previousResultIds=[])
    assert {one["uri"] for one in found["items"]} == {uri(name) for name in TEXTS}


@each
def test_hover(client: Client, name: str) -> None:
    shown = client.at("hover", uri(name), *place(name, "y = add"))["contents"]["value"]
    assert "y: Tensor[(n, 4), float32]" in shown
    assert "`n`: bound by `x` in line 2" in shown
    assert (
        "value: `const(0.5, float32)`"
        in client.at("hover", uri(name), *place(name, "half);"))["contents"]["value"]
    )
    doc = client.at("hover", uri(name), *place(name, "@twice(a)", "@t"))["contents"]["value"]
    assert "Doubles what it gets." in doc
    assert "fn(Tensor[(n, 4), float32]) -> Tensor[(n, 4), float32]" in doc
    assert "axis" in client.at("hover", uri(name), *place(name, "nn.softmax", "nn.s"))["contents"]["value"]
    assert client.at("hover", uri(name), *place(name, "{\n  let")) is None


@each
def test_definition_and_its_kin(client: Client, name: str) -> None:
    for method in ("definition", "declaration"):
        found = client.at(method, uri(name), *place(name, "b, half"))
        assert text_at(name, found["range"]) == "b"
        assert found["range"]["start"]["line"] == place(name, "b = @twice")[0]
    found = client.at("typeDefinition", uri(name), *place(name, "x);"))
    assert text_at(name, found["range"]) == "Tensor[(n, 4), float32]"
    found = client.at("definition", uri(name), *place(name, "@twice(a)"))
    assert found["range"]["start"]["line"] == 1
    assert client.at("definition", uri(name), 0, 3) is None


@each
def test_references_and_highlights(client: Client, name: str) -> None:
    for words, count in (
        ("x: Tensor", 3 + (name == "wide")),
        ("@twice(x", 2),
        ("n, 4), float32]) ->", 2),
        ("Y: Buffer", 2),
        ("i in 0", 3),
    ):
        found = client.at("references", uri(name), *place(name, words), context={"includeDeclaration": True})
        assert len(found) == count, words
        marked = client.at("documentHighlight", uri(name), *place(name, words))
        assert [one["range"] for one in marked] == [one["range"] for one in found]
        fewer = client.at("references", uri(name), *place(name, words), context={"includeDeclaration": False})
        assert len(fewer) == count - 1


@pytest.mark.parametrize(
    "words", ["y = add", "x: Tensor", "@twice(x", "n, 4), float32]) ->", "Y: Buffer", "i in 0", "b = @twice"]
)
def test_rename_changes_the_names_alone(client: Client, words: str) -> None:
    at = place("clean", words)
    old = text_at("clean", client.at("prepareRename", uri("clean"), *at))
    new = "@other" if old.startswith("@") else "other"
    text = changed("clean", client.at("rename", uri("clean"), *at, newName=new))
    assert [one.slug for one in api.check(text).diagnostics] == []
    assert text.count("other") > 1
    assert text.replace(new, old) == CLEAN


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("y = add", "x"),
        ("@twice(x", "@main"),
        ("y = add", "1y z`"),
        ("nn.softmax", "nn.relu"),
        ("y = add", "_"),
    ],
)
def test_rename_refuses_conflicts(client: Client, words: str, new: str) -> None:
    if new == "1y z`":
        text = changed("clean", client.at("rename", uri("clean"), *place("clean", words), newName=new))
        assert not api.check(text).diagnostics  # any name can be written in backquotes
        return
    with pytest.raises(ServerError):
        client.at("rename", uri("clean"), *place("clean", words), newName=new)


@each
def test_completion(client: Client, name: str) -> None:
    client.published(uri(name), 1)

    def labels(words: str, after: str) -> list[str]:
        found = client.at("completion", uri(name), *place(name, words, after))
        return [one["label"] for one in found["items"]]

    assert "nn.softmax" in labels("nn.softmax", "nn.")
    assert "axis=" in labels("axis=1", "")
    assert "@copy" in labels("@twice(a)", "@")
    assert {"x", "y"} <= set(labels("y\n}", ""))
    assert "let" in labels("let c =", "l")
    assert labels("def @main", "d") == ["def"]
    assert "float16" in labels("float32] {", "float")
    assert labels("## Doubles", "## D") == []


def test_completion_of_an_unfinished_name(client: Client) -> None:
    found = client.at("completion", uri("broken"), *place("broken", "nn.\n", "nn."))
    assert {"nn.relu", "nn.softmax"} <= {one["label"] for one in found["items"]}
    chosen = next(one for one in found["items"] if one["label"] == "nn.relu")
    resolved = client.request("completionItem/resolve", **chosen)
    assert "```relax" in resolved["documentation"]["value"]


@each
def test_a_function_is_completed_with_its_type_and_comment(client: Client, name: str) -> None:
    found = client.at("completion", uri(name), *place(name, "@twice(a)", "@"))
    chosen = next(one for one in found["items"] if one["label"] == "@twice")
    resolved = client.request("completionItem/resolve", **chosen)
    assert "(n, 4)" in resolved["detail"]
    assert "Doubles" in resolved["documentation"]["value"]


@each
def test_signature_help(client: Client, name: str) -> None:
    found = client.at("signatureHelp", uri(name), *place(name, "axis=1", "axis="))
    (signature,) = found["signatures"]
    assert signature["parameters"][found["activeParameter"]]["label"].startswith("axis")
    found = client.at("signatureHelp", uri(name), *place(name, "@twice(a)", "@twice("))
    assert found["signatures"][0]["parameters"] == [{"label": "x: Tensor[(n, 4), float32]"}]
    assert client.at("signatureHelp", uri(name), 0, 0) is None


def test_a_document_that_was_opened_just_now_is_analysed_before_its_functions_are_shown(
    client: Client,
) -> None:
    new = "file:///nowhere/new.rlx"
    client.open(new, CLEAN)
    found = client.at("signatureHelp", new, *place("clean", "@twice(a)", "@twice("))
    assert found["signatures"][0]["parameters"] == [{"label": "x: Tensor[(n, 4), float32]"}]
    client.notify("textDocument/didClose", textDocument={"uri": new})
    client.open(new, CLEAN + "\n" * 4)
    found = client.at("completion", new, *place("clean", "@twice(a)", "@"))
    assert found["isIncomplete"] or {"@twice", "@main"} <= {one["label"] for one in found["items"]}
    client.notify("textDocument/didClose", textDocument={"uri": new})


@each
def test_inlay_hints(client: Client, name: str) -> None:
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = client.request("textDocument/inlayHint", textDocument={"uri": uri(name)}, range=everything)
    shown = [one["label"] for one in found]
    assert ": Tensor[(n, 4), float32]" in shown
    assert ": Tensor[(3, 4), float32]" in shown
    assert "[n=3]" in shown
    if name == "clean":
        edits = [edit for one in found for edit in one.get("textEdits") or ()]
        text = applied(CLEAN, edits)
        assert "let y: Tensor[(n, 4), float32] = add(x, x);" in text
        assert not api.check(text).diagnostics


@each
def test_symbols(client: Client, name: str) -> None:
    found = client.request("textDocument/documentSymbol", textDocument={"uri": uri(name)})
    assert [one["name"] for one in found] == ["@twice", "@main", "@copy"]
    assert "half" in [one["name"] for one in found[1]["children"]]
    everywhere = client.request("workspace/symbol", query="twi")
    assert {one["location"]["uri"] for one in everywhere} == {uri(name) for name in TEXTS}


@each
def test_folding_and_selection(client: Client, name: str) -> None:
    folds = client.request("textDocument/foldingRange", textDocument={"uri": uri(name)})
    assert {"startLine": 1, "endLine": 3} in [
        {key: one[key] for key in ("startLine", "endLine")} for one in folds
    ]
    line, column = place(name, "add(x, x)", "add(")
    (found,) = client.request(
        "textDocument/selectionRange",
        textDocument={"uri": uri(name)},
        positions=[{"line": line, "character": column}],
    )
    sizes: list[tuple[int, int]] = []
    node: dict[str, Any] | None = found
    assert text_at(name, found["range"]) == "x"
    while node is not None:
        start, end = node["range"]["start"], node["range"]["end"]
        sizes.append((end["line"] - start["line"], end["character"] - start["character"]))
        node = node.get("parent")
    assert len(sizes) >= 5


@each
def test_semantic_tokens(client: Client, name: str) -> None:
    legend = client.info["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    full = client.request("textDocument/semanticTokens/full", textDocument={"uri": uri(name)})
    seen = decoded(name, full["data"], legend)
    assert ("def", "keyword") in seen
    assert ("n", "typeParameter") in seen
    assert ("x", "parameter") in seen
    assert ("nn.softmax", "function") in seen
    assert ("0.5", "number") in seen
    part = {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 0}}
    some = client.request("textDocument/semanticTokens/range", textDocument={"uri": uri(name)}, range=part)
    assert 0 < len(some["data"]) < len(full["data"])
    delta = client.request(
        "textDocument/semanticTokens/full/delta",
        textDocument={"uri": uri(name)},
        previousResultId=full["resultId"],
    )
    assert delta["edits"] == []


def decoded(name: str, data: list[int], legend: list[str]) -> list[tuple[str, str]]:
    """Text and class of each token."""
    found: list[tuple[str, str]] = []
    line = column = 0
    for index in range(0, len(data), 5):
        lines, columns, length, kind, _ = data[index : index + 5]
        line += lines
        column = columns if lines else column + columns
        start, end = {"line": line, "character": column}, {"line": line, "character": column + length}
        found.append((text_at(name, {"start": start, "end": end}), legend[kind]))
    return found


@each
def test_call_hierarchy(client: Client, name: str) -> None:
    (item,) = client.at("prepareCallHierarchy", uri(name), *place(name, "@twice(a)"))
    assert item["name"] == "@twice"
    (call,) = client.request("callHierarchy/incomingCalls", item=item)
    assert call["from"]["name"] == "@main"
    (back,) = client.request("callHierarchy/outgoingCalls", item=call["from"])
    assert back["to"]["name"] == "@twice"
