"""Error productions: syntax of other languages, one function for each form; `catalogue` tries them in order."""
