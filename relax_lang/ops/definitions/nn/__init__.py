"""Operators of neural networks and images: `nn.*` and `image.*`."""
