"""The protocol of pygls, which leaves some requests without an answer: these get an error."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Protocol(LanguageServerProtocol):
    """Answers what cannot be read, and what comes after the end."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Make a message of what was read. Raises JsonRpcException, after an answer to a request."""
        method = data.get("method")
        try:
            if self._shutdown and "id" in data and method not in (None, types.EXIT):
                raise JsonRpcInvalidRequest("the server has been shut down")
            return super().structure_message(data)
        except JsonRpcException as error:
            number = data.get("id")
            if "jsonrpc" in data and method is not None and isinstance(number, int | str):
                if not isinstance(error, JsonRpcInvalidRequest):
                    error = JsonRpcInvalidParams(f"the parameters of {method} cannot be read")
                self._send_response(number, None, error.to_response_error())
            raise error from None
