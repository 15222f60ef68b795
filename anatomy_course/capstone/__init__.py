"""Notebook 09: the learner's functions inside whole models, the broken models, the certificate."""
