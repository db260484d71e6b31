"""`relax run`: arguments, packed functions, what watches the run, and the result."""
