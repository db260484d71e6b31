"""Renderers: diagnostics as text for people, and in the forms that other programs read."""
