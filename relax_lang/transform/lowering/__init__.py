"""Passes that make memory explicit, from calls that allocate their results to tensors in storages with a life."""
