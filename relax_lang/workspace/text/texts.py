"""What two texts have in common."""

from __future__ import annotations


def common_beginning(left: str, right: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    low, high = 0, min(len(left), len(right))
    while low < high:  # slices are compared faster than characters
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_end(left: str, right: str, most: int) -> int:
    """Return how many characters two texts have in common at their end, at most some."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if left[len(left) - middle : len(left) - low] == right[len(right) - middle : len(right) - low]:
            low = middle
        else:
            high = middle - 1
    return low
