"""The plan of a PrimFunc as NumPy calls; nothing is decided here that needs a proof.

`generate` is the way in, `kernels` has a function for every strategy, `module` puts the text together.
"""
