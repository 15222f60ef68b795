"""Notebook 06: vectors exchanged between the two texts of a pair."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def swap(vectors: Tensor, clean: Tensor, places: Tensor) -> Tensor:
    """Texts 0 and 1 are a pair, 2 and 3 the next one. vectors (text, position, feature) of the run now;
    clean, the same in a run in which nothing was changed; places (text, chosen), positions of each text
    → vectors, but at its places each text has what its partner has at the partner's places in clean."""
    texts = torch.arange(len(vectors))
    partners = texts ^ 1  # 1, 0, 3, 2, …
    swapped = vectors.clone()
    swapped[texts[:, None], places] = clean[partners[:, None], places[partners]]
    return swapped


def cases(generator: Generator) -> Cases:
    one, many = "a pair with a single feature", "more texts than positions"
    for kind in ("one pair", one, many, "several places", "the same places", "a run that was changed before"):
        texts = 2 if kind in ("one pair", one) else 12 if kind == many else 6
        draw = Draw(generator, kind=kind, position=7, feature=1 if kind == one else 3, text=texts)
        clean = draw("text position feature")
        changed = kind == "a run that was changed before"
        vectors = clean + draw("text position feature") if changed else clean.clone()
        most = 2 if kind == "several places" else 1
        order = torch.rand(draw["text"], 7, generator=generator).argsort(dim=1)[:, :most]
        # The two texts of a pair have their places elsewhere, unless the kind says otherwise.
        places = order[:1].expand(draw["text"], -1).clone() if kind == "the same places" else order
        if kind != "the same places":
            places[1::2, 0] = (places[::2, 0] + 1) % 7
            places[1::2, 1:] = (places[::2, 1:] + 1) % 7
        yield draw.case(vectors=vectors, clean=clean, places=places)


EXERCISE = written(
    swap,
    title="Exchange vectors",
    task="Put into each text, at its places, the vectors that its partner has at the partner's own places in the clean "
    "run; leave all else as it is.",
    level="medium, 6 minutes",
    returns="swapped: text position feature",
    cases=cases,
    mistakes="""
    own_places: places[partners]] ⇒ places]
        “You take from the partner what it has at this text's places. The word in question may be elsewhere in the
        partner's sentence: it has places of its own.”
    into_partners_places: swapped[texts[:, None], places] ⇒ swapped[texts[:, None], places[partners]]
        “You write at the partner's places. A text is changed at its own.”
    from_the_changed_run: = clean[ ⇒ = vectors[
        “You take from the run that is being changed. If two tensors are exchanged in one run, the second would come
        from a partner that the first one has already turned round. Take it from the clean run.”
    from_what_is_swapped:
        swapped = vectors.clone()
        for text in range(len(vectors)):
            partner = text + 1 if text % 2 == 0 else text - 1
            swapped[text, places[text]] = swapped[partner, places[partner]]
        return swapped
        “You take from the tensor that you are changing: the second text of a pair gets back what the first one has just
        got from it. Take it from the clean run.”
    starts_from_clean: vectors.clone() ⇒ clean.clone()
        “All that was changed before is undone: you begin with the clean run. Only what you put in comes from there.”
    next_text: texts ^ 1 ⇒ (texts + 1) % len(texts)
        “Text 1 gets its vectors from text 2, which belongs to another pair. The partner of text 1 is text 0.”
    text_before: texts ^ 1 ⇒ texts - 1
        “Text 2 gets its vectors from text 1, which belongs to another pair. The partner of text 2 is text 3.”
    by_halves: texts ^ 1 ⇒ (texts + len(texts) // 2) % len(texts)
        “You take the second half of the texts for the partners of the first. Partners are neighbors: 0 and 1, 2 and 3.”
    turned_round: texts ^ 1 ⇒ texts.flip(0)
        “Your partners are the first text and the last one. Partners are neighbors: 0 and 1, 2 and 3.”
    itself: texts ^ 1 ⇒ texts
        “Each text gets its own vectors back.”
    everything:
        swapped = vectors.clone() ⇒
        swapped[texts[:, None], places] = clean[partners[:, None], places[partners]] ⇒ swapped = clean[partners]
        “You exchange whole texts. Only what is at the places may change.”
    one_way:
        swapped[texts[:, None], places] = clean[partners[:, None], places[partners]] ⇒
            swapped[texts[::2, None], places[::2]] = clean[partners[::2, None], places[partners[::2]]]
        “Only the first text of each pair gets its partner's vectors. The second one gets those of the first.”
    first_place:
        texts[:, None], places] = clean[partners[:, None], places[partners]] ⇒
            texts[:, None], places[:, :1]] = clean[partners[:, None], places[partners][:, :1]]
        “A text can have several places. You exchange only the first.”
    emptied: clean[partners[:, None], places[partners]] ⇒ 0.0
        “You put zeros at the places. That is switching off; here the partner's vectors come in.”
    added: ] = clean ⇒ ] += clean
        “You add the partner's vectors to those that are there. They take their place.”
    mean:
        clean[partners[:, None], places[partners]] ⇒
            (clean[partners[:, None], places[partners]] + vectors[texts[:, None], places]) / 2
        “Yours is the mean of the two vectors. The partner's takes the place of the other whole.”
    """,
    also_right="""
    text by text:
        swapped = vectors.clone()
        for text in range(len(vectors)):
            partner = text + 1 if text % 2 == 0 else text - 1
            for mine, theirs in zip(places[text], places[partner], strict=True):
                swapped[text, mine] = clean[partner, theirs]
        return swapped
    pairs turned round: partners = texts ^ 1 ⇒ partners = texts.view(-1, 2).flip(1).flatten()
    scatter:
        index = places[:, :, None].expand(-1, -1, vectors.shape[2])
        turned = clean.unflatten(0, (-1, 2)).flip(1).flatten(0, 1)
        theirs = places.unflatten(0, (-1, 2)).flip(1).flatten(0, 1)[:, :, None].expand_as(index)
        return vectors.scatter(1, index, turned.gather(1, theirs))
    """,
    again="""
    texts ^ 1  # 1, 0, 3, 2, … ⇒ (texts + len(texts) // 2) % len(texts)
        “This time partners are half a batch apart: of six texts 0 and 3, 1 and 4, 2 and 5.”
        Not here: one_way
    """,
    hints="""
    - Which text is the partner of text 4? Of text 5? Then take one text and one place: which row of `clean` is needed,
      and which position in it?
    - `texts = torch.arange(len(vectors))`; `texts ^ 1` gives 1, 0, 3, 2, …, the partners. A tensor indexed by a row and
      a position for each text gives one vector for each.
    - On a copy: `swapped[texts[:, None], places] = clean[partners[:, None], places[partners]]`. The `None` makes a
      column of the texts, so that each meets all of its places.
    """,
    explanation="""
    If the other pronoun comes out with the partner's vectors at these places, they carry what the decision needs. The
    clean run matters as soon as two tensors are exchanged at once: without it, the second would come from a partner
    that the first has already changed, and would undo it.
    """,
)
