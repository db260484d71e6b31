"""Who runs loops of PrimFuncs that stay sequential; a choice that means the same values and errors. [TIR.21]"""

from __future__ import annotations

AUTO = "auto"
NUMPY = "numpy"
NUMBA = "numba"
SEQUENTIAL = (AUTO, NUMPY, NUMBA)
"""What `--sequential` takes: numba where that pays and it is installed, never, or always."""
