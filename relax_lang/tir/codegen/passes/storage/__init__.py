"""Passes that decide where results of the array IR go: into their targets, or into arrays that are free again."""
