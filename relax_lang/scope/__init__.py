"""Names: which definition every use means, and the rules that need nothing but scopes to be checked."""
