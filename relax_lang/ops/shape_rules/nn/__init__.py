"""Rules of neural networks and images."""
