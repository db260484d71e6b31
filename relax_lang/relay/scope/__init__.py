"""Names of Relay programs: what every name means, in one walk."""
