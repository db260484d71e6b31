"""What passes are and what runs them: declarations, options, contexts, sequences, instruments."""
