"""Array files: one array, archives of several, and the constants of programs in them."""
