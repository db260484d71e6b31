"""Alpha-equality: whether programs are the same up to the names of what is bound in them."""
