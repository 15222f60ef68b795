"""What a wrong answer is: one file a family of diagnoses, `find.py` on top."""
