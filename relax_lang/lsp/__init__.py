"""The language server, `relax lsp`: what `workspace` knows, in the words of the Language Server Protocol.

Holds no state beside the workspace. Only this package imports pygls and lsprotocol, which the extra `lsp` installs.
"""
