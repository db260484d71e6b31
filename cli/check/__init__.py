"""`relax check`: what is checked, fixed, and reported."""
