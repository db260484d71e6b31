"""Dimensions and PrimFuncs as other languages write them: sizes, buffers, loops, calls. [Y.7]"""
