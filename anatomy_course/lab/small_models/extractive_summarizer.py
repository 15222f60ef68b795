"""Extractive summarization: a small encoder picks the sentence that summarizes a report.

An encoder writes nothing, but it can choose. It reads each sentence together with the headline and says how well this
one would serve; the likeliest one is the summary (as Liu and Lapata 2019, arXiv:1908.08345, score sentences). Nothing
in such a summary is made up. Notebook 07.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, small_encoder
from anatomy_course.lab.small_models.train import BATCH, OnStep, train_model
from anatomy_course.lab.street.batches import Batch, padded
from anatomy_course.lab.street.inventory import flips
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import SENTENCES, Report, sample_reports
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, SEP
from anatomy_utils.nn.heads import SequenceHead, WithHead
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.seeding import seeded


@dataclass(frozen=True)
class ReportBatch(Batch):
    """Reports, each in a row: headline and first sentence, headline and second sentence, … each padded to one width.

    Attributes:
        labels: (batch), which sentence matters, from 0.
    """

    labels: Int[Tensor, " batch"]


def report_batch(reports: Sequence[Report]) -> ReportBatch:
    """Reports as the model reads them: <bos> headline <sep> sentence, four times in a row."""
    rows = padded([words_to_score(report, place) for report in reports for place in range(SENTENCES)])
    input_ids, attention_mask = (part.view(len(reports), -1) for part in rows)  # batch sentence·position
    return ReportBatch(input_ids, attention_mask, torch.tensor([report.main for report in reports]))


def words_to_score(report: Report, place: int) -> list[str]:
    """What the model reads to score one sentence of a report, its place counted from 0."""
    return [BOS, *tokenize(report.headline), SEP, *say(report.scenes[place], "english").tokens]


def train_extractive_summarizer(
    seed: int = 0, *, steps: int = 200, on_step: OnStep | None = None, progress: bool = True
) -> tuple[WithHead, History]:
    """A model that gives each sentence of a report, read with its headline, one number.

    Arguments as for `train_classifier`.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = WithHead(small_encoder(), SequenceHead(D_MODEL, 1, activation=None))
    examples = report_batch(sample_reports(steps * BATCH, generator, "train"))
    return model, train_model(model, examples, summarizer_loss, on_step=on_step, progress=progress)


def sentence_scores(model: WithHead, batch: ReportBatch) -> Float[Tensor, "batch sentence"]:
    """One logit for each sentence of each report."""
    rows = (tensor.unflatten(1, (SENTENCES, -1)).flatten(0, 1) for tensor in (batch.input_ids, batch.attention_mask))
    return model(*rows).view(len(batch), SENTENCES)


def summarizer_loss(model: WithHead, batch: ReportBatch) -> Tensor:
    """Cross-entropy of the sentence that matters among those of its report."""
    return cross_entropy(sentence_scores(model, batch), batch.labels)


@torch.no_grad()
def share_of_right_summaries(model: WithHead, reports: Sequence[Report]) -> float:
    """The share of reports, from 0 to 1, whose summary the model finds."""
    batch = report_batch(reports)
    return (sentence_scores(model, batch).argmax(-1) == batch.labels).float().mean().item()


def summary_baselines(reports: Sequence[Report]) -> dict[str, float]:
    """What simpler ways of picking reach, from 0 to 1.

    Returns:
        "first": always the first sentence. "first on topic": the first with the headline's word. "first in trouble":
        the first that says what was wrong with its subject, which understands *it* but not the headline.
    """
    ways = {
        "first": lambda report: 0,
        "first on topic": lambda report: _first(f"The {scene.subject}" == report.headline for scene in report.scenes),
        "first in trouble": lambda report: _first(scene.referent == "subject" for scene in report.scenes),
    }
    return {name: sum(way(report) == report.main for report in reports) / len(reports) for name, way in ways.items()}


def turned_reports(reports: Sequence[Report]) -> dict[str, list[Report]]:
    """Each report with one thing changed, so that another of its sentences is the right one.

    Returns:
        "another headline": the subject of the other sentence in which *it* is the subject. "other reasons": every
        *because* names a reason that turns *it* to the other noun.
    """
    headlines, reasons = [], []
    for report in reports:
        topic = report.scenes[report.main].subject
        others = [place for place in range(SENTENCES) if place != report.main]
        in_trouble = next(place for place in others if report.scenes[place].referent == "subject")
        on_topic = next(place for place in others if report.scenes[place].subject == topic)
        headlines.append(replace(report, main=in_trouble))
        reasons.append(Report(tuple(flips(scene)[0] for scene in report.scenes), on_topic))
    return {"another headline": headlines, "other reasons": reasons}


def _first(fits: Iterable[bool]) -> int:
    return list(fits).index(True)
