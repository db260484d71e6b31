"""Values of a run against structural information: tensors, dimensions, match_cast, display."""
