"""Passes over loops of the array IR: conditions in front of them, what does not change in them, rows one by one."""
