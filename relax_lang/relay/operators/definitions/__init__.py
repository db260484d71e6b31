"""The operators of Relay by family: importing a module declares its operators."""
