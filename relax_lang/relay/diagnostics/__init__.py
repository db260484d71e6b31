"""Diagnostics of Relay programs, by what they are about; loaded with the first mistake."""
