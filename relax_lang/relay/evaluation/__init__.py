"""The meaning of Relay programs: a direct interpreter."""
