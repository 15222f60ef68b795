"""One attempt at an exercise: the answer carried out on its cases, beside what the reference and each mistake return."""
