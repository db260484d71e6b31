"""What rules of several families share: axes, broadcasting, extents, and the view of a call that rules get."""
