"""Relay programs as Relax programs."""
