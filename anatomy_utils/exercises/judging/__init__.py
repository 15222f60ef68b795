"""From an answer to a verdict: run it, check it, and find the first difference."""
