"""The command line as Typer shows it: the parameters of every command and their help. The work is done elsewhere."""
