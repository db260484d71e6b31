"""Python itself: its garbage collector, its recursion, and parts of the standard library without what they load."""
