"""What readers of Relax functions and of PrimFuncs share: scalar expressions, attributes, what is known of a unit."""
