"""From Python to Relax functions: constants, struct infos, expressions, calls, bindings, signatures."""
