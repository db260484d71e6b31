"""Fixtures: the command line."""

from __future__ import annotations

from tests.cli.conftest import relax

__all__ = ["relax"]
