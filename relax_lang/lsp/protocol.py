"""The protocol of pygls: every request gets an answer, and long answers may be JSON already.

Documents are kept by the workspace of this package alone; pygls would keep every text a second time, and write it
anew at each change.
"""

from __future__ import annotations

import json
from asyncio import ensure_future
from contextvars import copy_context
from inspect import isawaitable
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol


class Ready:
    """A result that was made as JSON: objects of the protocol would be made and taken apart again for each entry."""

    __slots__ = ("json",)

    def __init__(self, value: object) -> None:
        self.json = json.dumps(value)

    @staticmethod
    def of_json(text: str) -> Ready:
        """Return a result whose JSON is written already."""
        made = Ready.__new__(Ready)
        made.json = text
        return made


class Protocol(LanguageServerProtocol):
    """Answers what cannot be read, and what comes after the end."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Make a message of what was read. Raises JsonRpcException, after an answer to a request."""
        if "jsonrpc" not in data:
            return data  # a part of a message
        method = data.get("method")
        try:
            if self._shutdown and "id" in data and method not in (None, types.EXIT):
                raise JsonRpcInvalidRequest("the server has been shut down")
            return super().structure_message(data)
        except JsonRpcException as error:
            number = data.get("id")
            if method is not None and isinstance(number, int | str):
                if not isinstance(error, JsonRpcInvalidRequest):
                    error = JsonRpcInvalidParams(f"the parameters of {method} cannot be read")
                self._send_response(number, None, error.to_response_error())
            raise error from None

    def handle_message(self, message: Any) -> None:
        """Run what handles a message; a request is known by what it has."""
        number, method = getattr(message, "id", None), getattr(message, "method", None)
        if number is None or method is None or self._shutdown or message.jsonrpc != self.VERSION:
            super().handle_message(message)
        else:
            copy_context().run(self._handle_request, number, method, message.params)

    def _send_response(self, msg_id: int | str, result: Any = None, error: Any = None) -> None:
        if error is None and isinstance(result, Ready) and self.writer is not None and self._include_headers:
            self._result_types.pop(msg_id, None)
            body = f'{{"jsonrpc": "{self.VERSION}", "id": {json.dumps(msg_id)}, "result": {result.json}}}'
            data = body.encode(self.CHARSET)
            written = self.writer.write(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
            if isawaitable(written):
                self._sending = ensure_future(written)
        else:
            super()._send_response(msg_id, result, error)

    def _register_builtin_features(self) -> None:
        """Leave out the handlers of pygls that keep texts."""
        super()._register_builtin_features()
        known = cast("dict[str, Any]", self.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType] - untyped there
        for method in (
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_CLOSE,
        ):
            known.pop(method)
