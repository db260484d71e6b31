"""The phases of a check over the pieces of a document, each again only where what it rests on has changed."""
