"""The schedule of a PrimFunc: distribution, strategies, tiling; a plan of array operations that `tir.codegen` writes.

`relax_lang.tir.compile` is the way in.
"""
