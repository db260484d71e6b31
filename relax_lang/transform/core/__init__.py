"""What every pass is made of: declarations, options, contexts, sequences, instruments."""
