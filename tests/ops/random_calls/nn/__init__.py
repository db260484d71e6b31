"""Random calls of operators of neural networks."""
