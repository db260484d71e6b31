"""From the normal form to code for the machine."""
