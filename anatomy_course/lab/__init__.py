"""What the notebooks try things on: a toy language, small models, experiments, broken models, transplants."""
