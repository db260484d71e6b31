"""The operators, one file per family: signature, documentation and kernel of each."""
