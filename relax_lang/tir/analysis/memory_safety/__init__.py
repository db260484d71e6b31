"""What is provably wrong about accesses: indices out of bounds, and reads of elements that nothing was stored to."""
