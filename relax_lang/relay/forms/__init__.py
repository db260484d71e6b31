"""Relay programs in other forms of Relay: A-normal form, and the form of a graph."""
