"""All objectives in one table: what is asked, and a function that shows it on a sentence.

The family tree's rows and the objective explorer of notebook 07 read it. To add one, add its line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from anatomy_course.lab.objectives import illustrate
from anatomy_course.lab.objectives.illustrate import Illustration
from anatomy_course.lab.street.scene import Scene


@dataclass(frozen=True)
class Objective:
    """One way to pretrain.

    Attributes:
        name: its key in `OBJECTIVES`.
        asks: the question that the model is asked, in a sentence.
        source: authors, year and arXiv id.
        branch: what learns so: "encoder", "decoder" or "encoder–decoder".
        draw: a scene, a generator and a rate → `Illustration`.
        rate: the published rate, or None where there is none.
        rate_means: what the rate is the share of.
        models: which models learned so, besides those whose row in the family tree says it (`taxonomy.trained_on`).
    """

    name: str
    asks: str
    source: str
    branch: str
    draw: Callable[[Scene, torch.Generator, float], Illustration]
    rate: float | None = None
    rate_means: str = ""
    models: tuple[str, ...] = ()

    def show(self, scene: Scene, generator: torch.Generator, rate: float | int | None = None) -> Illustration:
        """One sentence under this objective.

        Args:
            scene: the sentence.
            generator: the source of chance.
            rate: from 0 to 1; the published one when left out. An objective without a rate takes none.

        Raises:
            ValueError: a rate out of range, or one where there is none.
        """
        if rate is not None and self.rate is None:
            raise ValueError(f"{self.name!r} has no rate; leave it out.")
        if rate is not None and not 0 <= rate <= 1:
            raise ValueError(f"rate is {rate}, but it must be from 0 to 1; published: {self.rate}.")
        return self.draw(scene, generator, float(self.rate or 0.0 if rate is None else rate))


_ALL = (
    Objective(
        "masked tokens",
        "Which word was here? Some words are hidden, and the text on both sides may be read.",
        "Devlin et al. 2018, arXiv:1810.04805",
        "encoder",
        illustrate.show_masked_tokens,
        0.15,
        "of the tokens are chosen",
    ),
    Objective(
        "whole words",
        "Which word was here? As masked tokens, but all pieces of a word are chosen together.",
        "Devlin et al. 2019, README of google-research/bert",
        "encoder",
        illustrate.show_whole_words,
        0.15,
        "of the words are chosen",
        models=("BERT (release of May 2019)",),
    ),
    Objective(
        "next sentence",
        "Does the second text follow the first one, or does it come from elsewhere?",
        "Devlin et al. 2018, arXiv:1810.04805",
        "encoder",
        illustrate.show_next_sentence,
    ),
    Objective(
        "sentence order",
        "Are the two texts in their order, or have they been swapped?",
        "Lan et al. 2019, arXiv:1909.11942",
        "encoder",
        illustrate.show_sentence_order,
    ),
    Objective(
        "replaced tokens",
        "Is this the original word, or did a generator put it here? Asked at every token.",
        "Clark et al. 2020, arXiv:2003.10555",
        "encoder",
        illustrate.show_replaced_tokens,
        0.15,
        "of the tokens are chosen",
    ),
    Objective(
        "permuted order",
        "Which word is here? A random order is drawn; each word is predicted from those whose turn came before.",
        "Yang et al. 2019, arXiv:1906.08237",
        "encoder",
        illustrate.show_permuted_order,
        1 / 6,
        "of the tokens are asked for",
    ),
    Objective(
        "distillation",
        "How probable does the teacher find each word here? The right word is asked for as well.",
        "Hinton et al. 2015, arXiv:1503.02531; Sanh et al. 2019, arXiv:1910.01108",
        "encoder",
        illustrate.show_distillation,
        0.15,
        "of the tokens are chosen",
    ),
    Objective(
        "next token",
        "Which token comes next? Asked at every token; only what comes before may be read.",
        "Radford et al. 2018 (GPT)",
        "decoder",
        illustrate.show_next_token,
    ),
    Objective(
        "prefix LM",
        "How does the text go on? The prefix may be read in both directions; the rest is written token by token.",
        "Raffel et al. 2019, arXiv:1910.10683",
        "decoder",
        illustrate.show_prefix_lm,
        0.5,
        "of the tokens are the prefix",
        models=("UniLM", "T5 (as a comparison)"),
    ),
    Objective(
        "translation pairs",
        "How do you say this in the other language? The pairs were translated by people.",
        "Vaswani et al. 2017, arXiv:1706.03762",
        "encoder–decoder",
        illustrate.show_translation_pairs,
    ),
    Objective(
        "span corruption",
        "What was at each sentinel? Only the hidden spans are written.",
        "Raffel et al. 2019, arXiv:1910.10683",
        "encoder–decoder",
        illustrate.show_span_corruption,
        0.15,
        "of the tokens are hidden",
    ),
    Objective(
        "text infilling",
        "What was the whole text? One mask stands for each hidden span, whatever its length, even 0.",
        "Lewis et al. 2019, arXiv:1910.13461",
        "encoder–decoder",
        illustrate.show_text_infilling,
        0.3,
        "of the tokens are hidden",
    ),
    Objective(
        "sentence permutation",
        "What was the text before its sentences were shuffled? All of it is written.",
        "Lewis et al. 2019, arXiv:1910.13461",
        "encoder–decoder",
        illustrate.show_sentence_permutation,
    ),
)

OBJECTIVES = {objective.name: objective for objective in _ALL}
"""Name → objective, those of the encoders first, then the decoders' and the encoder–decoders'."""
