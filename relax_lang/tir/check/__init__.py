"""The checks of a PrimFunc: errors first, then what is suspicious in one without errors."""
