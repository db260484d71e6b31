"""What inference knows while it runs, and what it leaves behind."""
