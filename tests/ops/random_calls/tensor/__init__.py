"""Random calls of operators on tensors."""
