"""Checking: runs the phases in order over one program and gathers what they find."""
