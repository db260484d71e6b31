"""Texts that are being edited: versions, positions, and the pieces into which they are cut."""
