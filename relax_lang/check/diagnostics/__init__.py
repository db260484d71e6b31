"""Diagnostics of the checker and of the toolchain itself."""
