"""What starts inference: over a module, a tree, a program that is being built, an edited function."""
