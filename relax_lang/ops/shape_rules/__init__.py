"""Struct info rules: what is known of a call's result before it runs.

`dims` computes with dimensions; `axes`, `broadcast`, `reduce` and `unary` are rules that several families share, each
said once. A family that has a few rules of its own keeps them beside its kernels, one that has many keeps them here
under its own name. No rule imports numpy.
"""
