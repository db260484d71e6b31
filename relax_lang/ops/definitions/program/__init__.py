"""What a program does besides computing: calls, closures, output, assertions, devices."""
