"""Rules of the operators of networks, images and signals."""
