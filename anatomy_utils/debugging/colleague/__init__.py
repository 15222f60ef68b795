"""A colleague's functions that are broken on purpose: what to run to see the bug, and what models learn with it."""
