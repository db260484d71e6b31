"""Programs changed by Python: visitors and mutators, patterns, rules."""
