"""The grammar of the language and the declaration of its tree: data, for the tools that generate code from it."""
