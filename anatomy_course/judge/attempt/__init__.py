"""One attempt at an exercise: the answer run on its cases, beside what the reference and each mistake return."""
