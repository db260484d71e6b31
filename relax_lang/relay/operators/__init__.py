"""The operators of Relay: attributes, type relation, and what they are in Relax, in one place each."""
