"""Rules of branches, loops, sequences and recurrent networks."""
