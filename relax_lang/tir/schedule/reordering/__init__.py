"""Statements in another order than that of the program: affine schedules, index sets split, buffers per iteration."""
