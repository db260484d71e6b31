"""Where operators keep the rows of their operands: one rule for each way, by the names that declarations use."""
