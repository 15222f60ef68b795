"""The same idea once more, alone: sibling tasks, when they are due, and how one is handed in."""
