"""Decompositions: larger operators as calls of smaller ones.

A module for each family of `ops.definitions`, under the same name, as in `ops.legal`:
`DECOMPOSITIONS` maps the name of an operator to its rule.
"""
