"""Record where the neurons of one layer of SmolLM2 fire most, for notebook 03's neuron reader.

Run it after a change of the model: `python docs/record_neurons.py`, some minutes. It writes
`views/neuron_reader/recorded.json`: about 10,000 tokens, for each neuron the five places at which it fires most and
the eight tokens that it writes, and sentences with neurons switched off. Read are texts that SmolLM2 itself wrote,
from 40 beginnings, and paragraphs of this course's notebooks.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import torch
from torch.nn import functional as F

from anatomy_course.views import spelling
from anatomy_course.views.neuron_reader.view import RECORDED
from anatomy_utils import pretrained
from anatomy_utils.interpret import neuron_activations, neurons_off, value_vectors, words_written

LAYER, TOKENS, LONGEST, MOST, TEMPERATURE = 22, 10_000, 120, 5, 0.8
SENTENCES = {
    1465: ("The children relied", "Whether we go will depend"),
    298: ("The sign on the door says", "She laughed and said"),
    678: ("She was born in the city", "He has every quality"),
    217: ("The team is made up", "I like it in spite"),
    777: ("I saw her for the first", "He did it one at a"),
    445: ("It was not easy to figure", "The lights went"),
    406: ("Bees, butterflies and many", "He spoke French, German and several"),
    725: ("The virus can replicate", "They have to defend"),
    286: ("We have to look after", "We are proud of"),
    1079: ("The soup needs salt, pepper,", "They flew over France, Spain,"),
}
"""Ten neurons whose value vectors point at one word in most of its spellings, and beginnings of sentences that this
word may go on."""
NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
BEGINNINGS = """
The recipe for a good soup begins with
In 1789 the people of Paris
The doctor looked at the patient and said
Dear Mr. Smith, thank you for your letter about
Once upon a time there was a king who
def read_file(path):
The price of oil rose on Monday because
The football team won the match after
In mathematics, a prime number is
The river flows through three countries:
My grandmother was born in a small village in
The new phone has a camera that
The court decided that the company must
Bees and butterflies visit flowers to
The train from London to Edinburgh leaves at
She opened the window and heard the rain
The planet Mars is smaller than
How to plant tomatoes: first,
He played the piano while she sang
The president of the United States said that
A virus enters the cell and
The painting was made in the sixteenth century by
Two plus three is five, and seven times eight is
The children ran into the garden and
In winter the lake freezes and
The army crossed the mountains before
A contract is valid when both
I am so sorry that I forgot your birthday.
The engine of the car did not start because
Python lists have a method called
The school opens at eight o'clock and
The whale is the largest animal
Yesterday I met an old friend in
According to the survey, 62 percent of
The church stands on a hill near
To lose weight, doctors recommend
Light travels faster than
The museum shows paintings, coins and
Wash your hands before you
The spokesman refused to say whether
""".strip().splitlines()


def written(model, tokenizer, beginnings: list[str], steps: int = 90) -> list[list[int]]:
    """What the model makes of these beginnings, at random."""
    rows = [tokenizer([each]).input_ids[0].tolist() for each in beginnings]
    width, generator = max(map(len, rows)), torch.Generator().manual_seed(0)
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows])
    real = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    cache = model.start(len(rows), width + steps, attention_mask=real)
    for _ in range(steps):
        logits, cache = model.step(ids, cache)
        ids = torch.multinomial(F.softmax(logits / TEMPERATURE, -1), 1, generator=generator)
        for row, each in zip(rows, ids[:, 0].tolist(), strict=True):
            row.append(each)
    return rows


def paragraphs() -> list[str]:
    """The notebooks' plain paragraphs, in a random order that is always the same."""
    found = []
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for part in "".join(cell["source"]).split("\n\n") if cell["cell_type"] == "markdown" else ():
                text = " ".join(part.split())
                if len(text) >= 160 and text[0] not in "#-|" and not re.search(r"[$|<>]|```|\]\(|arXiv", text):
                    found.append(re.sub(r"[*`]", "", text))
    random.Random(0).shuffle(found)
    return found


def tried(model, tokenizer, neuron: int, other: int, text: str, favored: list[int]) -> dict[str, object]:
    """Of the tokens that the neuron writes, the likeliest one after this text: its probability in three runs."""
    ids, runs = tokenizer([text]).input_ids, {}
    for name, off in {"intact": (), "off": (neuron,), "other": (other,)}.items():
        with torch.no_grad(), neurons_off(model, LAYER, off):
            runs[name] = model(ids)[0, -1].softmax(-1)
    word = max(favored, key=lambda each: runs["intact"][each].item())
    probabilities = {name: round(run[word].item(), 3) for name, run in runs.items()}
    return {"text": text, "word": spelling(tokenizer).word(word), **probabilities}


def fires_most(model, texts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Where each neuron is farthest from 0, on the side on which it works, and what it gives there: (neuron, most)."""
    table = torch.cat([neuron_activations(model, torch.tensor([text]), LAYER)[0] for text in texts])
    first = torch.tensor([0, *map(len, texts)]).cumsum(0)[:-1]
    table[first] = 0.0  # a sink: what neurons do there says nothing about the word
    sign = torch.where(table.amax(0) >= -table.amin(0), 1.0, -1.0)
    best = (table * sign).topk(MOST, dim=0)
    return best.indices.T, (best.values * sign).T


def main() -> None:
    model, tokenizer = pretrained.load("smollm2")
    with torch.no_grad():
        texts = written(model, tokenizer, BEGINNINGS)
    for text in paragraphs():
        if sum(map(len, texts)) > TOKENS:
            break
        texts.append(tokenizer([text]).input_ids[0].tolist()[:LONGEST])
    keep(model, tokenizer, texts, *fires_most(model, texts))


def keep(model, tokenizer, texts: list[list[int]], places: torch.Tensor, activations: torch.Tensor) -> None:
    """Write the file."""
    ids, scores = words_written(model, activations[:, :1].sign() * value_vectors(model, LAYER))
    spell = spelling(tokenizer)
    tokens, favored = [each for text in texts for each in text], ids.tolist()
    known = list(dict.fromkeys([*tokens, *(each for row in favored for each in row)]))
    number = {each: place for place, each in enumerate(known)}
    drawn = torch.randperm(len(ids), generator=torch.Generator().manual_seed(0)).tolist()
    kept = {
        "words": [spell.word(each) for each in known],
        "tokens": [number[each] for each in tokens],
        "starts": torch.tensor([0, *map(len, texts)]).cumsum(0)[:-1].tolist(),
        "places": places.tolist(),
        "activations": [[round(each, 2) for each in row] for row in activations.tolist()],
        "written": [[number[each] for each in row] for row in favored],
        "scores": [[round(each, 1) for each in row] for row in scores.tolist()],
        "groups": {"chosen by what they write": list(SENTENCES), "drawn at random": drawn[:10]},
        "trials": {
            neuron: [tried(model, tokenizer, neuron, drawn[-1 - at], text, favored[neuron]) for text in each]
            for at, (neuron, each) in enumerate(SENTENCES.items())
        },
    }
    RECORDED.write_text(json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
