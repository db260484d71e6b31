"""Executables as files and as text."""
