"""Floor 0: what any language tool needs. Knows nothing of Relax."""
