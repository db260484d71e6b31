"""Operators that can be written, checked and printed, but not run: there is nothing here that evaluates them.

They need several devices, the context of another virtual machine, or training. One module for each prefix of names.
"""
