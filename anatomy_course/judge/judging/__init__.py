"""From an attempt to a verdict: the checks in their order, and crashes and errors in plain words."""
