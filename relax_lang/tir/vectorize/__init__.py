"""PrimFunc to a plan of NumPy operations: lower, dependence, distribute, recognize, plan; `tir.emit` writes the plan.

`relax_lang.tir.compile` is the way in.
"""
