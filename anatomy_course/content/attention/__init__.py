"""Exercises, questions and predictions of notebook 01, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.attention import closing, predictions, questions

EXERCISES = """
    lookup weighted_average projection softmax one_word scores attention causal_mask masked_softmax repair
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
