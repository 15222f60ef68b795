"""Notebook 10: the learner's pieces as one program, which runs without the course."""
