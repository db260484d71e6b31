"""Programs built from Python: `ModuleBuilder`, `op`, struct infos, and values with infix operators."""
