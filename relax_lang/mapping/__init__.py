"""Programs over the rows of arrays that are larger than memory, in several processes, on several machines."""
