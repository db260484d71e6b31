"""Passes over the loops of a statement or a kernel: coalesced, unrolled, peeled."""
