"""What lints share: how they are registered, what they look at, and how they edit the text."""
