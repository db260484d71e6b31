"""Executables and the virtual machine that runs them: code for registers, a file format, a loop. docs/vm.md."""
