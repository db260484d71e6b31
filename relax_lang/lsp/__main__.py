"""`python -m relax_lang.lsp`: the server, without the rest of the command line."""

from __future__ import annotations

from relax_lang.lsp.start import serve

if __name__ == "__main__":
    serve()
