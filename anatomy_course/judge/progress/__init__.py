"""What a learner has done: the file, where it is, and the functions that passed."""
