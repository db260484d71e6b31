"""Watching a program run: what each binding got, how long it took, where values stop being finite or differ.

`observer` defines the events; `trace`, `nan_check`, `recording` and `profile` subscribe to them. An instrumented
program runs on the reference interpreter, whose bindings are those of the normal form, with compiled PrimFuncs; its
values are those of any other run.
"""
