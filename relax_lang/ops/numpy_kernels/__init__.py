"""What kernels of several families share, on NumPy arrays."""
