"""PrimFunc to NumPy, in the order of the road: lower, dependence, distribute, recognize, plan, emit, generate.

`relax_lang.tir.compile` is the way in.
"""
