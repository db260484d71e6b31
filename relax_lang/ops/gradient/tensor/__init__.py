"""Gradients of the operators on tensors, a module for each family."""
