"""Pictures of programs: which binding uses which, with their struct infos, and the PrimFuncs they call.

`model` makes a graph out of a normal form; `svg`, `dot` and `mermaid` draw it. Only text is made here.
"""
