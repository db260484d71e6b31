"""Text to tree. Knows nothing of what a program means."""
