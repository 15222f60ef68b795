"""What the recipes reach on the street: each model is trained as in the notebooks and judged on what it has not seen.

python -m tools.benchmarks.street_targets [--seeds 0 1 2] [--only translator]

Seconds are those of one core (the process's own, so that other programs do not count); models this small use no second.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import mean
from typing import Any

import torch

from anatomy_course.lab.experiments import pronoun_heads
from anatomy_course.lab.experiments.pronoun_heads import new_pronoun_test, pronouns_right_in_translation
from anatomy_course.lab.small_models import (
    encoder_tasks,
    masked_language_model,
    metrics,
    small_gpt,
    text_to_text,
    translator,
)
from anatomy_course.lab.street import Scene, pronoun, share_grammatical
from anatomy_course.lab.street.batches import classification, question_answering, tagging, translation
from anatomy_course.lab.street.sampling import sample_minimal_pairs, sample_scenes
from anatomy_utils.decoding import Filters
from anatomy_utils.training.threads import threads

UNSEEN = 1000
"""Sentences on which each model is judged; as many are written by the one that writes."""

COUNTS = {"pairs": 1000, "pairs to search": 60, "pairs to judge": 150, "random sets": 20}
"""Minimal pairs to translate; those that lead the search for culprit heads, those that judge it, and its rivals."""

Measure = Callable[[Any, list[Scene], torch.Generator], float]
"""(model, unseen scenes, a source of chance) → a share from 0 to 1."""


@dataclass(frozen=True)
class Task:
    """One recipe and what is promised of it.

    Attributes:
        train: (seed, progress=False) → (model, history).
        limit: seconds.
        measures: what is measured, and the share promised of it; None where nothing is.
    """

    train: Callable[..., tuple[Any, object]]
    limit: float
    measures: dict[str, tuple[Measure, float | None]]


def topics(model: Any, scenes: list[Scene], chance: torch.Generator) -> float:
    """The share of right topics."""
    return metrics.share_of_right_texts(model, classification(scenes))


def tags(model: Any, scenes: list[Scene], chance: torch.Generator) -> float:
    """The share of sentences with every word's tag right."""
    return metrics.share_of_right_texts(model, tagging(scenes))


def answers(model: Any, scenes: list[Scene], chance: torch.Generator) -> float:
    """The share of answers with both ends right, to one question about each scene."""
    return metrics.share_of_right_texts(model, question_answering(scenes, chance))


def written(filters: Filters) -> Measure:
    """The share of grammatical sentences among those written with these filters."""
    return lambda model, scenes, chance: share_grammatical(
        small_gpt.sample_texts(model, len(scenes), chance, filters=filters)
    )


def translated(to: str) -> Measure:
    """The share of scenes whose greedy translation is right to the last word."""
    return lambda model, scenes, chance: translator.translation_exact_match(model, scenes, to)


def pairs_right(*, different_gender: bool) -> Measure:
    """The share of minimal pairs (tired, wide) of whose translations both have the right pronoun."""

    def measure(model: Any, scenes: list[Scene], chance: torch.Generator) -> float:
        pairs = sample_minimal_pairs(COUNTS["pairs"], chance, "test", different_gender=different_gender)
        both = [scene for pair in pairs for scene in (pair.about_subject, pair.about_object)]
        written = translator.translate(model, translation(both, "french"))
        right = [
            pronoun_heads.pronoun_in_french(text) == pronoun(scene) for text, scene in zip(written, both, strict=True)
        ]
        return sum(map(min, right[::2], right[1::2])) / len(pairs)

    return measure


@lru_cache(maxsize=1)
def lost_without(model: Any) -> tuple[float, float]:
    """By how much the share of right pronouns falls without the heads that a search finds, and, on average, without as
    many heads at random. At most four are searched for, on some pairs; what is written is judged on other nouns.
    """
    chance = torch.Generator().manual_seed(3000)
    to_search, to_judge = (
        new_pronoun_test(sample_minimal_pairs(COUNTS[name], chance, split, different_gender=True))
        for name, split in (("pairs to search", "validation"), ("pairs to judge", "test"))
    )
    *_, last = pronoun_heads.search_pronoun_heads(model, to_search)
    drawn = [pronoun_heads.random_heads(model, len(last.heads), chance) for _ in range(COUNTS["random sets"])]
    intact, found, *others = (pronouns_right_in_translation(model, to_judge, off) for off in ((), last.heads, *drawn))
    return intact - found, intact - mean(others)


def lost_without_culprits(model: Any, scenes: list[Scene], chance: torch.Generator) -> float:
    """By how much the share of right pronouns falls without the heads that the search found."""
    return lost_without(model)[0]


def spared_at_random(model: Any, scenes: list[Scene], chance: torch.Generator) -> float:
    """Which part of that is not lost, on average, without as many heads at random."""
    found, at_random = lost_without(model)
    return 1 - at_random / found if found else 0.0


def texts(task: str) -> Measure:
    """The share of texts of one task that are right to the last word."""
    return lambda model, scenes, chance: text_to_text.text_to_text_exact_match(
        model, text_to_text.task_examples(task, scenes, chance)
    )


TASKS = {
    "topic": Task(encoder_tasks.train_classifier, 30, {"topic right": (topics, 0.98)}),
    "tags": Task(encoder_tasks.train_tagger, 30, {"all tags right": (tags, 0.98)}),
    "answers": Task(encoder_tasks.train_question_answerer, 30, {"both ends right": (answers, 0.98)}),
    "gaps": Task(
        masked_language_model.train_masked_language_model,
        30,
        {"sensible word in the gap": (masked_language_model.share_of_sensible_words, None)},
    ),
    "writer": Task(
        small_gpt.train_small_gpt,
        60,
        {
            "grammatical, top-p 0.98": (written(Filters(top_p=0.98)), 0.98),
            "grammatical, no filter": (written(Filters()), None),
        },
    ),
    "translator": Task(
        translator.train_translator,
        60,
        {
            "exact, to French": (translated("french"), 0.99),
            "exact, to English": (translated("english"), 0.99),
            "pairs, both pronouns": (pairs_right(different_gender=False), 0.99),
            "pairs, il and elle": (pairs_right(different_gender=True), None),
            "lost without culprits": (lost_without_culprits, 0.30),
            "spared at random": (spared_at_random, 0.67),
        },
    ),
    "text to text": Task(
        text_to_text.train_text_to_text,
        30,
        {"exact summary": (texts("<summary>"), None), "exact answer": (texts("<answer>"), None)},
    ),
}


def rows(task: Task, seed: int, **options: Any) -> Iterator[tuple[str, ...]]:
    """Train one model and judge it: seconds, what was measured, its score, what was promised, and the verdict."""
    start = time.process_time()
    model, _ = task.train(seed, progress=False, **options)
    seconds = time.process_time() - start
    for what, (measure, target) in task.measures.items():
        scenes = sample_scenes(UNSEEN, torch.Generator().manual_seed(1000 + seed), "test")
        score = measure(model, scenes, torch.Generator().manual_seed(2000 + seed))
        promised = "" if target is None else f"≥ {target:.0%} in {task.limit:g} s"
        met = "" if target is None else "met" if score >= target and seconds <= task.limit else "MISSED"
        yield f"{seconds:.1f} s", what, f"{score:.1%}", promised, met


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table as it comes, line by line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options.add_argument("--only", choices=TASKS, nargs="+", default=list(TASKS))
    chosen = options.parse_args(arguments)
    print("| task | seed | training | measured | score | promised | |\n|---|---:|---:|---|---:|---|---|")
    with threads(1):
        for name in chosen.only:
            for seed in chosen.seeds:
                for row in rows(TASKS[name], seed):
                    print(f"| {' | '.join((name, str(seed), *row))} |", flush=True)


if __name__ == "__main__":
    main()
