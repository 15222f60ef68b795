"""Notebooks 09 and 10: whole models of the learner's, broken models, the final project, the certificate."""
