"""The forms of calls whose arguments are known in part: planned, repeated, of certain sizes."""
