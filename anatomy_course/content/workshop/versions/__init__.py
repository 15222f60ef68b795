"""Right and wrong versions of an exercise, where they would make its file too long."""
