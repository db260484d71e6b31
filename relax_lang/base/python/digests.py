"""Digests of texts and data, by what Python has without OpenSSL, which `hashlib` loads and which takes milliseconds."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # Pythons without that module
    from hashlib import blake2b

__all__ = ["blake2b", "digest", "digest_of_bytes"]


def digest(text: str) -> str:
    """Return a name for a text that no other text has."""
    return digest_of_bytes(text.encode("utf-8", "surrogatepass"))


def digest_of_bytes(data: bytes) -> str:
    """Return a name for data that no other data has."""
    return blake2b(data, digest_size=20).hexdigest()
