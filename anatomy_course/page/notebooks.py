"""The course's table of contents, from which the map, the strip, the exercises, and the README take theirs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Notebook:
    """One notebook of the course.

    Attributes:
        file: its name without `.ipynb`, beginning with its number.
        prefix: of its exercises' ids, and the folder of the content that holds them.
        title: as its heading.
        subject: what it is about, in a few words.
        question: what it answers.
        core: how many minutes it takes without the sections marked *more*.
        minutes: how many it takes with everything.
    """

    file: str
    prefix: str
    title: str
    subject: str
    question: str
    core: int
    minutes: int

    @property
    def number(self) -> str:
        """Its number as two digits."""
        return self.file[:2]

    @property
    def time(self) -> str:
        """How long it takes, in words."""
        if self.core == self.minutes:
            return f"{self.minutes} min"
        return f"{self.core} min, {self.minutes} with all sections"


NOTEBOOKS = (
    Notebook(
        "00_start_here", "start", "Start here", "a first look, and how exercises work",
        "What does a Transformer do with a sentence, and how does this course work?", 15, 15,
    ),
    Notebook(
        "01_attention", "attention", "Attention", "how words look at each other",
        "Where do attention's weights come from?", 130, 190,
    ),
    Notebook(
        "02_multi_head_attention", "multi_head", "Multi-head attention", "why several heads",
        "Why several heads, and what do real ones do?", 120, 165,
    ),
    Notebook(
        "03_encoder", "encoder", "Encoder", "feed-forward, norm, the stack",
        "Why does a deep stack train, and what do its layers write down?", 130, 150,
    ),
    Notebook(
        "04_positions_and_tasks", "positions", "Positions and tasks", "order, and what an encoder is for",
        "How does it know the order, and what is an encoder good for?", 115, 140,
    ),
    Notebook(
        "05_decoder", "decoder", "Decoder", "writing one token after the other",
        "How does a model write, one token after the other?", 150, 255,
    ),
    Notebook(
        "06_encoder_decoder", "encoder_decoder", "Encoder–decoder", "from one sequence to another",
        "How does one text become another?", 120, 160,
    ),
    Notebook(
        "07_taxonomy", "taxonomy", "Taxonomy", "BERT, GPT, T5: what each one changed",
        "Which body for which job: what do BERT, GPT, T5 and their families change?", 150, 210,
    ),
    Notebook(
        "08_recent_organs", "organs", "Recent organs", "what has changed since 2023",
        "What has changed since 2023, and what is each new part for?", 130, 185,
    ),
    Notebook(
        "09_capstone", "capstone", "Capstone", "your own parts, real weights",
        "Is your transformer right, and what is wrong with these eight?", 110, 145,
    ),
    Notebook(
        "10_workshop", "workshop", "Workshop", "a whole model of your own",
        "Can you build one from nothing?", 260, 280,
    ),
)  # fmt: skip

FILE = {each.prefix: each.file for each in NOTEBOOKS}
"""The file of each notebook without its ending, by the prefix of its exercises."""
