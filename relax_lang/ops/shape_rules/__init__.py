"""Struct info rules: what is known of the result of a call before it runs.

`shared` has the rules and parts of rules that several families use. A family with a few short rules keeps them beside
its kernels; the rules of other families are here, in the module of the same name. No rule imports numpy.
"""
