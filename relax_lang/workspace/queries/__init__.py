"""What editors ask about a place in a document."""
