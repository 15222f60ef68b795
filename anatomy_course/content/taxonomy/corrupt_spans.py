"""Notebook 07: T5's span corruption."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, written


def corrupt_spans(
    input_ids: Tensor, spans: list[tuple[int, int]], sentinel_ids: Tensor
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """input_ids (position), one text; spans, (start, stop) of each, stop excluded, in order; sentinel_ids,
    the first one for the first span, and so on; there are more than you need → input_ids, target_ids.
    The text 5 6 7 8 with the span (1, 3) and sentinels 90 91 92 gives 5 90 8 and 90 6 7 91.
    """
    inputs, targets, place = [], [], 0
    for number, (start, stop) in enumerate(spans):
        sentinel = sentinel_ids[number : number + 1]
        inputs += [input_ids[place:start], sentinel]
        targets += [sentinel, input_ids[start:stop]]
        place = stop
    end = sentinel_ids[len(spans) : len(spans) + 1]
    return torch.cat([*inputs, input_ids[place:]]), torch.cat([*targets, end])


SPANS = {
    "spans within the text": (23, (3, 2, 4), (4, 1, 3)),
    "a span at the beginning": (17, (0, 3, 4), (2, 3, 1)),
    "a span at the end": (19, (3, 2, 5), (1, 4, 0)),
    "a single span": (11, (4,), (2,)),
    "spans that touch": (17, (3, 0, 2), (2, 3, 1)),
    "the id 0 in the text": (13, (2, 4), (3, 1)),
}
"""Kind → length of the text, how many words are kept before each span, how long the spans are (0: what is left)."""


def cases(generator: Generator) -> Cases:
    for kind, (length, kept, lengths) in SPANS.items():
        order = torch.randperm(len(lengths) - 1, generator=generator).tolist()
        sizes = [lengths[i] for i in order] + [lengths[-1]]
        spans, place = [], 0
        for before, size in zip(kept, sizes, strict=True):
            start = place + before
            place = start + size if size else length
            spans.append((start, place))
        input_ids = torch.randint(10, 90, (length,), generator=generator)
        if kind == "the id 0 in the text":  # before, inside and behind the spans
            input_ids[[0, spans[0][0], -1]] = 0
        sentinel_ids = 100 + torch.randperm(30, generator=generator)[: len(spans) + 2]
        arguments = {"input_ids": input_ids, "spans": spans, "sentinel_ids": sentinel_ids}
        yield Case(arguments, kind, {"position": length})


EXERCISE = written(
    corrupt_spans,
    same_as="anatomy_utils.objectives.span_corruption.corrupt_spans",
    title="Span corruption",
    task="Replace each span of a text by one sentinel, and write down what is missing: for each span its sentinel and "
    "its words, and at the end the next sentinel.",
    level="hard, 8 minutes",
    returns="input_ids: position; target_ids: position",
    cases=cases,
    look_first="input_ids target_ids",
    mistakes="""
    no_last_sentinel: [*targets, end] ⇒ targets
        “Only the sentinel at the end of your targets is missing: it says that nothing more was hidden.”
    very_last_sentinel: [*targets, end] ⇒ [*targets, sentinel_ids[-1:]]
        “Your targets end with the last of all sentinels; it should be the next one after those that were used.”
    sentinel_again: [*targets, end] ⇒ [*targets, sentinel]
        “Your targets end with the sentinel of the last span once more; it should be the next one.”
    one_sentinel_for_all:
        sentinel_ids[number : number + 1] ⇒ sentinel_ids[:1]
        sentinel_ids[len(spans) : len(spans) + 1] ⇒ sentinel_ids[1:2]
        “All your spans have the first sentinel: the targets do not say what belongs where.”
    a_sentinel_a_word: input_ids[place:start], sentinel ⇒ input_ids[place:start], sentinel.repeat(stop - start)
        “Your targets are right, but in your input there is a sentinel for each hidden word: the model could count how
        many there were.”
    nothing_in_their_place: input_ids[place:start], sentinel ⇒ input_ids[place:start]
        “Your targets are right, but your input has no sentinels: nothing shows where words are missing.”
    whole_text_as_target: torch.cat([*targets, end]) ⇒ input_ids.clone()
        “Your input is right, but your targets are the whole text, as in BART. T5 writes only what is missing.”
    words_without_sentinels (no_last_sentinel): [sentinel, input_ids[start:stop]] ⇒ [input_ids[start:stop]]
        “Your input is right, but your targets are the hidden words alone, without a sentinel between them.”
    sentinels_behind (no_last_sentinel): [sentinel, input_ids[start:stop]] ⇒ [input_ids[start:stop], sentinel]
        “Your input is right, but in your targets each sentinel comes after its words; it should come before them.”
    last_word_stays:
        [start:stop] ⇒ [start : stop - 1]
        place = stop ⇒ place = stop - 1
        “Your spans are one word too short: their last word is neither hidden nor asked for. With stop excluded,
        `ids[start:stop]` is the whole span.”
    one_word_more:
        [start:stop] ⇒ [start : stop + 1]
        place = stop ⇒ place = stop + 1
        “Your spans are one word too long: the word at `stop` is hidden as well.”
    places_not_moved:
        inputs, targets, place = [], [], 0 ⇒ inputs, targets = input_ids, []
        inputs += [input_ids[place:start], sentinel] ⇒ inputs = torch.cat([inputs[:start], sentinel, inputs[stop:]])
        torch.cat([*inputs, input_ids[place:]]) ⇒ inputs
        “Your targets are right. In your input only the first span is hidden correctly: with it the text has become
        shorter, and the other spans still count from the old text.”
    second_number_for_a_length:
        sentinel = ⇒
            stop = start + stop
            sentinel =
        “You take the second number of a span for its length; it says where the span stops.”
    from_the_beginning: input_ids[place:start] ⇒ input_ids[:start]
        “Your targets are right. In your input the text begins again after each sentinel; it should go on where the span
        stopped.”
    tail_lost: [*inputs, input_ids[place:]] ⇒ inputs
        “Your targets are right, but your input ends with the last span: the words after it are lost.”
    touching_joined:
        inputs, targets, place = [], [], 0 ⇒
            joined = []
            for start, stop in spans:
                start = joined.pop()[0] if joined and joined[-1][1] == start else start
                joined.append((start, stop))
            spans = joined
            inputs, targets, place = [], [], 0
        “Two spans that touch become one in yours, with one sentinel; each should have a sentinel of its own.”
    zeros_lost: (result[0][result[0] != 0], result[1])
        “Your targets are right, but words with the id 0 are missing in your input; 0 is an id like any other.”
    """,
    also_right="""
    pieces:
        edges = [0, *(edge for span in spans for edge in span), len(input_ids)]
        pieces = [input_ids[start:stop] for start, stop in zip(edges, edges[1:])]
        sentinels = sentinel_ids.split(1)
        inputs = [part for pair in zip(pieces[:-1:2], sentinels) for part in pair]
        targets = [part for pair in zip(sentinels, pieces[1::2]) for part in pair]
        return torch.cat([*inputs, pieces[-1]]), torch.cat([*targets, sentinels[len(spans)]])
    an axis added: sentinel_ids[number : number + 1] ⇒ sentinel_ids[number][None]
    from the end:
        inputs, targets = input_ids, sentinel_ids[len(spans) : len(spans) + 1]
        for number in reversed(range(len(spans))):
            (start, stop), mark = spans[number], sentinel_ids[number : number + 1]
            inputs = torch.cat([inputs[:start], mark, inputs[stop:]])
            targets = torch.cat([mark, input_ids[start:stop], targets])
        return inputs, targets
    """,
    hints="""
    - Walk through the spans with one more number: the place up to which the text has been copied. What goes into the
      input at each span, and what into the targets?
    - Collect pieces in two lists and join them with `torch.cat` at the end. A piece is a slice of the text, or
      `sentinel_ids[number : number + 1]`, which keeps its axis.
    - Input: for each span `input_ids[place:start]` and the sentinel, then `place = stop`; after the loop
      `input_ids[place:]`. Targets: the sentinel and `input_ids[start:stop]`; after the loop one more sentinel.
    """,
    explanation="""
    Raffel et al. 2019. With 15% of the words hidden, in spans of three words on average, the targets are short, and the
    decoder has little to do. BART hides spans as well, but writes the whole text.
    """,
)
