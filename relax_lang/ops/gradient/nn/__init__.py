"""Gradients of the operators of networks, a module for each family."""
