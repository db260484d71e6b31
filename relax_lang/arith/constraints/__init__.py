"""Constraints on integers, and the one analyser that is asked whether a system of them is empty."""
