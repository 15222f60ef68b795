"""Notebook 05: a batch for a decoder, padded, shifted by one, and with labels that leave the padding out."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, primes, written


def batch_of(texts: list[list[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """The ids of each text, <bos> and <eos> included → inputs and labels, both
    (batch, longest − 1). [[2, 5, 6, 3], [2, 7, 3]] with pad_id 0 gives the inputs 2 5 6 / 2 7 0
    and the labels 5 6 3 / 7 3 −100."""
    longest = max(len(text) for text in texts)
    inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
    labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
    return torch.tensor(inputs), torch.tensor(labels)


BEGIN, END = 2, 3


def cases(generator: Generator) -> Cases:
    # GPT-2 has a single special token, which begins texts and ends them; for want of another it is padding, too.
    both_ends, all_alike = "one id for <bos> and <eos>", "one id for <bos>, <eos> and padding"
    for kind, pad_id in (
        ("texts of different lengths", 98),
        ("one text", 0),
        ("texts of the same length", 1),
        (both_ends, 0),
        (all_alike, END),
    ):
        batch, longest = primes(generator, 2, (3, 5, 7))
        batch = 1 if kind == "one text" else batch
        lengths = torch.randint(2, longest, (batch,), generator=generator).tolist()
        lengths[0] = max(2, longest - 1)
        lengths[-1] = longest
        if kind == "texts of the same length":
            lengths = [longest] * batch
        begin = END if kind in (both_ends, all_alike) else BEGIN
        texts = [[begin, *torch.randint(4, 97, (length - 1,), generator=generator).tolist(), END] for length in lengths]
        yield Case({"texts": texts, "pad_id": pad_id}, kind, {"batch": batch, "position": longest})
    yield Case({"texts": [[BEGIN, END]] * 3, "pad_id": 1}, "texts of no words", {"batch": 3, "position": 1})


EXERCISE = written(
    batch_of,
    title="A batch: pad, shift, −100",
    task="Make one batch of texts of different lengths: what the decoder reads, padded with pad_id, and at each "
    "position the token that follows, −100 where there is none.",
    level="medium, 6 minutes",
    returns="inputs: batch position; labels: batch position",
    cases=cases,
    stages="labels: torch.tensor(labels)",
    mistakes="""
    not_shifted: text[1:] ⇒ text[:-1]
        “Your labels are the very tokens that are read: the model would learn to copy.”
    backwards:
        inputs = [text[:-1] ⇒ inputs = [text[1:]
        labels = [text[1:] ⇒ labels = [text[:-1]
        “Your shift goes the other way: each label is the token before, not the one that follows.”
    padding_labeled: -100 ⇒ pad_id
        “The shift is right, but padding has its own id as label: the model would learn to write padding.”
    found_by_id: text[1:] ⇒ [-100 if id == pad_id else id for id in text[1:]]
        “Your labels are −100 wherever the id is pad_id, also at real tokens: with <eos> as padding, as is common, the
        model would never learn to stop. Go by the lengths of the texts.”
    ignored_in_the_inputs: [pad_id] ⇒ [-100]
        “Your labels are right, but the inputs are padded with −100 too: no table of embeddings has such a row.”
    padded_then_cut: text[:-1] + [pad_id] * (longest - len(text)) ⇒ (text + [pad_id] * (longest - len(text)))[:-1]
        “Your short texts keep their last token among what is read, as if the last position were cut after padding.
        Nothing follows it.”
    padded_in_front:
        text[:-1] + [pad_id] * (longest - len(text)) ⇒ [pad_id] * (longest - len(text)) + text[:-1]
        text[1:] + [-100] * (longest - len(text)) ⇒ [-100] * (longest - len(text)) + text[1:]
        “Your padding is in front of the texts. Then <bos> is no longer at position 0; pad at the end.”
    cut_to_the_shortest:
        longest = max( ⇒ shortest = min(
        text[:-1] + [pad_id] * (longest - len(text)) ⇒ text[: shortest - 1]
        text[1:] + [-100] * (longest - len(text)) ⇒ text[1:shortest]
        “All your texts are as long as the shortest: the ends of the others, and what they teach, are lost.”
    one_ignored_too_many: text[1:] ⇒ text[1:-1] + [-100]
        “Your labels lack the last token of each text: the model would never learn to stop.”
    shifted_by_two: text[1:] ⇒ text[2:] + [-100]
        “Your labels are the tokens after the next.”
    inputs_not_cut: text[:-1] ⇒ text
        “Your inputs still have the last token of each text, so they are one position longer than the labels.”
    """,
    also_right="""
    full and filled row by row:
        shape = len(texts), max(map(len, texts)) - 1
        inputs, labels = torch.full(shape, pad_id), torch.full(shape, -100)
        for row, text in enumerate(texts):
            inputs[row, : len(text) - 1] = torch.tensor(text[:-1])
            labels[row, : len(text) - 1] = torch.tensor(text[1:])
        return inputs, labels
    padded whole, then by length:
        longest = max(map(len, texts))
        whole = torch.tensor([text + [pad_id] * (longest - len(text)) for text in texts])
        asked = torch.arange(longest - 1) < torch.tensor([[len(text) - 1] for text in texts])
        return whole[:, :-1].where(asked, pad_id), whole[:, 1:].where(asked, -100)
    pad_sequence:
        pad = torch.nn.utils.rnn.pad_sequence
        inputs = pad([torch.tensor(text[:-1]) for text in texts], batch_first=True, padding_value=pad_id)
        return inputs, pad([torch.tensor(text[1:]) for text in texts], batch_first=True, padding_value=-100)
    """,
    again="""
    text[:-1] + [pad_id] * (longest - len(text)) ⇒ [pad_id] * (longest - len(text)) + text[:-1]
    text[1:] + [-100] * (longest - len(text)) ⇒ [-100] * (longest - len(text)) + text[1:]
        “This time padding, and −100, come in front of the shorter texts.”
        Not here: shifted_by_two one_ignored_too_many
    """,
    hints="""
    - Shift first, each text by itself: what is read, and under it what follows. Only then make the rows equally long.
    - `text[:-1]` is what is read, `text[1:]` what follows. Both are one token shorter than the text; a row needs
      `longest - len(text)` more entries.
    - `longest = max(len(text) for text in texts)`; a row of the inputs is `text[:-1] + [pad_id] * (longest -
      len(text))`, a row of the labels ends in -100 instead. `torch.tensor` takes a list of rows.
    """,
    explanation="""
    One text of 15 tokens is 14 questions at once, because the causal mask lets each position answer without seeing what
    follows. The padding at the end needs no mask of its own: no real position looks to the right, and what the padding
    itself answers has the label −100.
    """,
)
