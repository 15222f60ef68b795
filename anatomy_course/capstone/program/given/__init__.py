"""What notebook 10 gives beside the learner's pieces. The exported program holds the text of these files.

Each file is written for both places: what it imports from the course is a piece of the learner's there, under the same
name.
"""
