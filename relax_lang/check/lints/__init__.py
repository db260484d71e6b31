"""Lints: programs that are correct and could be tidier. One module a lint: its rule, its explanation, its check.

A new module is found by itself, see `core.registry`.
"""
