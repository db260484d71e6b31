"""TVMScript, the Python notation of Apache TVM, in and out, without TVM.

`reader` makes trees of ours of Python files, whose nodes have their places in the Python text; nothing of a file is
executed. `writer` prints modules as TVMScript. Loaded only for files that end in `.py`, and by `relax export`.
"""
