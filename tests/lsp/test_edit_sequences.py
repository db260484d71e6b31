"""After any sequence of edits the server says of a text what it says of the same text opened anew."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lsp.client import Client, ServerError
from tests.lsp.edit_sequences import ASTRAL, Edits

SEEDS = 200 if os.environ.get("RELAX_NIGHTLY") else 4
STEPS = 20
WHOLE = ("documentSymbol", "foldingRange", "codeLens", "semanticTokens/full", "formatting")
PLACES = ("hover", "definition", "documentHighlight", "prepareRename", "completion", "signatureHelp")
URI = "file:///nowhere/edited.rlx"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    made = Client()
    yield made
    assert made.close() == 0


def said(client: Client, uri: str, version: int, places: list[dict[str, int]]) -> dict[str, Any]:
    """Return everything that the server says of a document; names of the document are left out."""
    found: dict[str, Any] = {"diagnostics": client.published(uri, version)}

    def ask(method: str, **params: Any) -> object:
        try:
            return client.request(f"textDocument/{method}", textDocument={"uri": uri}, **params)
        except ServerError as error:
            return str(error)

    for method in WHOLE:
        options = {"options": {"tabSize": 2, "insertSpaces": True}} if method == "formatting" else {}
        found[method] = ask(method, **options)
    if isinstance(found["semanticTokens/full"], dict):
        found["semanticTokens/full"].pop("resultId", None)
    for place in places:
        for method in PLACES:
            found[f"{method} {place}"] = ask(method, position=place)
    made: dict[str, Any] = json.loads(json.dumps(found).replace(uri, "URI"))
    return made


@pytest.mark.parametrize("seed", range(SEEDS))
def test_edits_leave_what_a_fresh_start_gives(client: Client, seed: int) -> None:
    edits, draw = Edits(5000 + 2 * seed), random.Random(seed)
    uri = f"{URI}?{seed}"
    client.open(uri, edits.text)
    for step in range(2, STEPS + 2):
        client.change(uri, step, *edits.step())
        if step % 2 and step < STEPS:
            client.published(uri, step)
            continue  # half of the texts are only on the way
        anew = f"{URI}?{seed}-{step}"
        client.open(anew, edits.text, step)
        places = [edits.place(draw.randrange(len(edits.text) + 1)) for _ in range(3)]
        one, other = said(client, uri, step, places), said(client, anew, step, places)
        assert one.keys() == other.keys()
        wrong = [name for name in one if one[name] != other[name]]
        assert not wrong, f"{wrong[0]}: {one[wrong[0]]} is {other[wrong[0]]} anew in\n{edits.text}"
        client.notify("textDocument/didClose", textDocument={"uri": anew})
    client.notify("textDocument/didClose", textDocument={"uri": uri})


def test_the_edits_have_characters_of_two_units() -> None:
    edits = Edits(5000)
    texts = [edits.text]
    for _ in range(60):
        edits.step()
        texts.append(edits.text)
    assert any(ASTRAL in text for text in texts)
    assert len(set(texts)) > 40


def test_no_edit_begins_or_ends_between_the_two_characters_of_a_line_end() -> None:
    edits = Edits(5000)
    edits.text = "a\r\nb"
    change = edits.replace(2, 4, "c")
    assert edits.text == "a\rc"
    assert change == {
        "range": {"start": {"line": 0, "character": 1}, "end": {"line": 1, "character": 1}},
        "text": "\rc",
    }
