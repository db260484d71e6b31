"""What a loop accumulates from step to step: scans, running counts and sums, taken for all steps at once."""
