"""What runs code: a loop over instructions, Python made from them, and forms for certain arguments."""
