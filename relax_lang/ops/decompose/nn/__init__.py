"""How operators of networks are decomposed, a module for each family."""
