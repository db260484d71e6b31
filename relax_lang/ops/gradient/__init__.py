"""Gradients: what reverse mode makes of a call, written as calls of operators.

A module for each family of `ops.definitions`, under the same name, as in `ops.legal`: `GRADIENTS`
maps the name of an operator to its rule, `WITHOUT` to the reason why it has none.
"""
