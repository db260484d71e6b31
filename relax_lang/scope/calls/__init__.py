"""Names in calls, and calls whose arguments or operator were written in a form of another language."""
