"""Where the buffers of a PrimFunc are read and written, and what is provably wrong or suspicious about that."""
