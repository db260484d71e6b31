"""What crosses the border of a program: arguments, packed functions, PrimFuncs as they are called."""
