"""Error productions in PrimFuncs: blocks, buffers, loops and statements as other languages write them. [Y.7] [TIR.3]"""
