"""How attributes are written: index maps, einsum subscripts, format strings, layouts and paddings of windows.

Kernels and struct info rules read them here.
"""
