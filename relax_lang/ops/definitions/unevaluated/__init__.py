"""Operators that can be written, checked and printed, but not run: there is nothing here that evaluates them.

They need several devices, a virtual machine, memory planning or training. One module for each prefix of names.
"""
