"""Rules of the operators on tensors."""
