"""From reductions of the parser to nodes, one module per part of the language."""
