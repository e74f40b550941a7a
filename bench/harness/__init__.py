"""Runs the suites, keeps their raw rows, and makes tables of them."""
