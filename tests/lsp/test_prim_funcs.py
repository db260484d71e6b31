"""What a server knows of the names of a PrimFunc, and of a text with errors or wide characters beside it."""

from __future__ import annotations

from typing import Any

import pytest

from relax_lang import api
from tests.lsp.client import Client, ServerError, applied
from tests.lsp.documents import uri

SCALED = """prim_func @scaled(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  alloc T: Buffer[(n, m), float32];
  for i, j in grid(n, m) {
    block scale (vi = spatial(i), vj = spatial(j)) {
      T[vi, vj] = X[vi, vj] * 2.0;
      Y[vi, vj] = T[vi, vj];
    }
  }
}

def @main(a: Tensor[(3, 4), float32]) {
  let b = call_tir(@scaled, (a,)) -> Tensor[(3, 4), float32];
  b
}
"""
TEXTS = {
    "clean": SCALED,
    "broken": SCALED.replace("  b\n}", "  let c = nn.\n  let d = b;\n  b\n}"),
    "wide": SCALED.replace("      T[vi, vj] =", "      # \U0001d11e e\u0301\n      T[vi, vj] =").replace(
        "let b =", "let `\U0001d11e` = a; let b ="
    ),
}
each = pytest.mark.parametrize("name", TEXTS)


@pytest.fixture(name="at")
def _at(client: Client, name: str) -> Any:
    """Ask about the place of some words in the document of the test."""
    where, text = uri(f"prim-{name}"), TEXTS[name]
    client.open(where, text)

    def ask(method: str, words: str, after: str = "", **more: Any) -> Any:
        offset = text.index(words) + len(after)
        line = text.count("\n", 0, offset)
        before = text[text.rfind("\n", 0, offset) + 1 : offset]
        return client.at(method, where, line, len(before.encode("utf-16-le")) // 2, **more)

    yield ask
    client.notify("textDocument/didClose", textDocument={"uri": where})


def errors(text: str) -> list[str]:
    return [one.code for one in api.check(text).diagnostics if one.severity == "error"]


KINDS = {  # words at a use, what is before the name in them, the line of its definition
    "a buffer of the parameters": ("= X[vi", "= ", 0),
    "a buffer of its own": ("= T[vi", "= ", 1),
    "a loop variable": ("spatial(j)", "spatial(", 2),
    "an axis of a block": ("= X[vi", "= X[", 3),
    "a size": ("grid(n", "grid(", 0),
}


@each
@pytest.mark.parametrize("kind", KINDS)
def test_names_of_a_prim_func(at: Any, name: str, kind: str) -> None:
    words, before, line = KINDS[kind]
    for method in ("definition", "declaration"):
        assert at(method, words, before)["range"]["start"]["line"] == line
    assert at("hover", words, before) is not None
    uses = at("references", words, before, context={"includeDeclaration": True})
    assert len(uses) >= 2
    assert len(at("documentHighlight", words, before)) == len(uses)
    assert at("prepareRename", words, before) is not None
    (document,) = at("rename", words, before, newName="other")["documentChanges"]
    text = applied(TEXTS[name], document["edits"])
    assert text.count("other") == len(uses)
    assert errors(text) == errors(TEXTS[name])


@each
def test_a_type_of_a_prim_func_is_where_it_is_written(at: Any, name: str) -> None:
    found = at("typeDefinition", "= X[vi", "= ")
    assert found is not None
    assert found["range"]["start"]["line"] == 0


@each
def test_what_is_completed_in_a_prim_func(at: Any, name: str) -> None:
    labels = {one["label"] for one in at("completion", "X[vi, vj] * 2")["items"]}
    assert {"X", "T", "Y", "vi", "vj", "i", "j", "exp"} <= labels
    assert "nn.relu" not in labels
    items = at("completion", "for i, j")["items"]
    loop = next(one for one in items if one["label"] == "for grid")
    assert "$0" in loop["insertText"]
    assert loop["insertTextFormat"] == 2


@each
def test_calls_of_a_prim_func(client: Client, at: Any, name: str) -> None:
    (item,) = at("prepareCallHierarchy", "@scaled, (a", "@s")
    (call,) = client.request("callHierarchy/incomingCalls", item=item)
    assert call["from"]["name"] == "@main"


@each
def test_names_that_clash_are_refused(at: Any, name: str) -> None:
    with pytest.raises(ServerError):
        at("rename", "= T[vi", "= ", newName="X")


@each
def test_names_of_relax_are_renamed_in_every_text(at: Any, name: str) -> None:
    for words, before, new in (
        ("(a,)", "(", "first"),
        ("@scaled, (a", "", "@twice"),
        ("  b\n}", "  ", "last"),
    ):
        (document,) = at("rename", words, before, newName=new)["documentChanges"]
        text = applied(TEXTS[name], document["edits"])
        assert text.count(new) >= 2
        assert errors(text) == errors(TEXTS[name])


@each
def test_tokens_of_a_changed_line_are_an_edit(client: Client, name: str) -> None:
    where = uri(f"delta-{name}")
    client.open(where, TEXTS[name])
    full = client.request("textDocument/semanticTokens/full", textDocument={"uri": where})
    new = TEXTS[name].replace("* 2.0;", "* 2.0 + 1.0;")
    client.notify(
        "textDocument/didChange",
        textDocument={"uri": where, "version": 2},
        contentChanges=[{"text": new}],
    )
    delta = client.request(
        "textDocument/semanticTokens/full/delta",
        textDocument={"uri": where}, previousResultId=full["resultId"],
    )  # fmt: skip
    (edit,) = delta["edits"]
    assert len(edit["data"]) < len(full["data"]) // 4
    data = full["data"]
    data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    assert data == client.request("textDocument/semanticTokens/full", textDocument={"uri": where})["data"]
    client.notify("textDocument/didClose", textDocument={"uri": where})


@each
def test_formatting_of_every_text(client: Client, name: str) -> None:
    where, text = uri(f"form-{name}"), TEXTS[name].replace("* 2.0", "*  2.0")
    client.open(where, text)
    options = {"tabSize": 2, "insertSpaces": True}
    edits = client.request("textDocument/formatting", textDocument={"uri": where}, options=options)
    if name == "broken":
        assert edits == []
    else:
        assert applied(text, edits) == api.format_text(text)
    client.notify("textDocument/didClose", textDocument={"uri": where})


@each
def test_actions_of_every_text(client: Client, name: str) -> None:
    where, text = uri(f"act-{name}"), TEXTS[name] + "\ndef @u(a: Tensor) {\n  let u = exp(a, a);\n  u\n}\n"
    client.open(where, text)
    (wrong,) = [one for one in client.published(where, 1) if "exp" in one["message"]]
    assert wrong["severity"] == 1
    found = client.request(
        "textDocument/codeAction",
        textDocument={"uri": where}, range=wrong["range"], context={"diagnostics": []},
    )  # fmt: skip
    silence = next(one for one in found if one["title"].startswith("silence "))
    (document,) = silence["edit"]["documentChanges"]
    silenced = applied(text, document["edits"])
    assert len(errors(silenced)) == len(errors(text)) - 1
    lines = TEXTS[name].split("\n")
    line = next(number for number, shown in enumerate(lines) if "let b =" in shown)
    column = lines[line].index("b =") + (name == "wide")  # in UTF-16
    spot = {"line": line, "character": column}
    found = client.request(
        "textDocument/codeAction",
        textDocument={"uri": where}, range={"start": spot, "end": spot}, context={"diagnostics": []},
    )  # fmt: skip
    for title in ("insert inferred annotation", "insert match_cast"):
        action = next(one for one in found if one["title"].startswith(title))
        (document,) = action["edit"]["documentChanges"]
        assert errors(applied(text, document["edits"])) == errors(text)
    client.notify("textDocument/didClose", textDocument={"uri": where})


@each
def test_related_places_are_named(client: Client, name: str) -> None:
    where, text = uri(f"twice-{name}"), TEXTS[name] + "\ndef @main() { 1 }\n"
    client.open(where, text)
    (found,) = [one for one in client.published(where, 1) if one.get("relatedInformation")]
    (other,) = found["relatedInformation"]
    assert other["location"]["uri"] == where
    first = next(number for number, line in enumerate(text.split("\n")) if "def @main(a" in line)
    assert other["location"]["range"]["start"]["line"] == first
    client.notify("textDocument/didClose", textDocument={"uri": where})
