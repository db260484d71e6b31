"""The operators of Relax: what each one is called with, what it means, and how NumPy computes it."""
