"""Findings for machines: one module for each format that is not for people alone."""
