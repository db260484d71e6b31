"""Expectations in comments, for `relax test`."""
