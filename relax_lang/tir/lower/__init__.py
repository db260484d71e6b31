"""From a PrimFunc to statements over iteration domains."""
