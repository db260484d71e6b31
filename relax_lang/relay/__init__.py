"""Relay, the predecessor of Relax: read, checked, run, translated. Nothing of Relax depends on it."""
