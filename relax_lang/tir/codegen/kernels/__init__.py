"""The NumPy code of each strategy."""
