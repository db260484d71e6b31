"""From Python files to trees: units, constants of the surrounding Python, Relax functions, PrimFuncs."""
