"""Lints: programs that are correct and could be tidier."""
