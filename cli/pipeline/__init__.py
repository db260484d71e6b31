"""Commands that make another program or an executable, and run programs over large data."""
