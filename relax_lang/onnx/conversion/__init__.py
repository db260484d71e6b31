"""From the graph of a model to a program."""
