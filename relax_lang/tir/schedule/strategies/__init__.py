"""Strategies by which a statement runs as array operations, and the proofs they need."""
