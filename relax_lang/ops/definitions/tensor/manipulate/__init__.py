"""Operators that move elements, as TVM groups them: joined, taken apart, reordered, in other shapes, by index."""
