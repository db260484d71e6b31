"""From the array IR to Python: expressions, statements, modules."""
