"""Inference: what is known of every value before anything runs, and what does not fit. [T.K1-T.K12] [D.1-D.14]

Works on the normal form, one function after the other, callees first. Loads no module with messages, and no prover,
unless a program needs it.
"""
