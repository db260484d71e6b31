"""What is true of programs in normal form: call graph, effects, liveness, aliases. Tables about trees, read only.

The compiled engine, the passes of `transform` and whatever else compiles programs ask the same analyses.
"""
