"""Where the text of a PrimFunc reads and writes buffers, and its accesses through views as those of their memory."""
