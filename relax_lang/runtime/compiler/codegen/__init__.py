"""Python code of Relax functions: functions and bindings, calls, operators, atoms, names, lines."""
