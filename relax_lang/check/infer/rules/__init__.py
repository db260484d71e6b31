"""The rules of inference, by kind of expression and binding."""
