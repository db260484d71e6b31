"""What editors ask of a program whose text changes at every keystroke. Opens no files and knows no protocol."""
