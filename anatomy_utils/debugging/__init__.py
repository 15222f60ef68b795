"""Broken models and functions to find the bug in. Notebooks 01 to 07."""
