"""From trees to TVMScript."""
