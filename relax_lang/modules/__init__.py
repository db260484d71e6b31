"""Programs as Python objects: what `load` gives, what makes such objects of other things, and executables."""
