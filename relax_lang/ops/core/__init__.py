"""The operator model: signatures, attributes, dtypes, the registry, errors, plugins."""
