"""Relations on structural information: erasure, subtyping, bounds, compatibility, joins, scopes."""
