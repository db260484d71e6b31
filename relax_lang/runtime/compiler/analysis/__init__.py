"""What the compiler knows before it writes code: call graph, liveness, escapes, struct info that is certain."""
