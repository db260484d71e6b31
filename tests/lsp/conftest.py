"""A client with the documents of `tests.lsp.documents` open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lsp.client import Client
from tests.lsp.documents import TEXTS, uri


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    made = Client(
        capabilities={
            "workspace": {"workspaceEdit": {"documentChanges": True}},
            "textDocument": {"completion": {"completionItem": {"snippetSupport": True}}},
        }
    )
    for name, text in TEXTS.items():
        made.open(uri(name), text)
    yield made
    status = made.close()
    made.kill()
    assert status == 0
