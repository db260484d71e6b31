"""The only part of the toolchain that touches the file system: programs, arrays, and constants in files."""
