"""What is wrong with calls of operators, as diagnostics; most load at the first mistake."""
