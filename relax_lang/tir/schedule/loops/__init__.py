"""Passes over loops, of statements, of kernels and of plans: coalesced, unrolled, rerolled, fused, peeled."""
