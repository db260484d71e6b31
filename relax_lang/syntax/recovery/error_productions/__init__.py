"""Error productions: what people write out of habit, one function each; `catalogue` tries them in order."""
