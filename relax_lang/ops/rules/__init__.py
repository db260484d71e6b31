"""Struct info rules that several families share: said once, used by all of them.

`dims` computes with dimensions; `broadcast`, `axes`, `reduce`, `windows` are the rules. A family that has a rule of its
own keeps it beside its kernels.
"""
