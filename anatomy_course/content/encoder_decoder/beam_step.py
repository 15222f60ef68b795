"""Notebook 06: one step of beam search."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, primes, written


def beam_step(
    log_probabilities: Tensor, next_log_probabilities: Tensor
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """log_probabilities (beams): log p of each kept text; next_log_probabilities (beams, vocab_size): log p
    of each token after each → log p of the new texts, which text each continues, and with which token, all (beams).
    """
    sums = log_probabilities[:, None] + next_log_probabilities
    best = sums.flatten().topk(len(log_probabilities))
    vocab_size = sums.shape[1]
    return best.values, best.indices // vocab_size, best.indices % vocab_size


BEAMS = {"a few beams": 3, "beams that are close": 5, "one beam far ahead": 3, "a single beam": 1, "long texts": 3}


def cases(generator: Generator) -> Cases:
    for kind, beams in BEAMS.items():
        vocab_size = primes(generator, 1, (7, 11))[0]
        gaps = torch.rand(beams, generator=generator) * (0.02 if kind == "beams that are close" else 1.0)
        before = -1.5 - gaps.cumsum(0)
        logits = normal(generator, beams, vocab_size)
        if kind == "beams that are close":  # all of them go on with the same token; the last has a second one, too
            same, other = torch.randperm(vocab_size, generator=generator)[:2].tolist()
            logits[:, same] += 9.0
            logits[-1, other] += 5.0
        if kind == "one beam far ahead":  # all that are kept continue it
            before[1:] -= 20.0
        if kind == "long texts":  # their probabilities are too small for float32, as they are after 100 words
            before -= 200.0
        arguments = {"log_probabilities": before, "next_log_probabilities": logits.log_softmax(-1)}
        yield Case(arguments, kind, {"beams": beams, "vocab_size": vocab_size})


EXERCISE = written(
    beam_step,
    title="A step of beam search",
    task="Continue each kept text with each token. Keep the best, as many as before, best first.",
    level="hard, 7 minutes",
    returns="log_probabilities: beams; parents: beams; tokens: beams",
    cases=cases,
    stages="summed log-probabilities: sums",
    mistakes="""
    past_forgotten: log_probabilities[:, None] + ⇒
        “You keep the likeliest next tokens, and ignore how likely the texts before them were.”
    each_its_own:
        best, tokens = (log_probabilities[:, None] + next_log_probabilities).max(dim=1)
        order = best.argsort(descending=True)
        return best[order], order, tokens[order]
        “Each of your texts goes on with its own best token. They should compete: one text may get several
        continuations, and another none.”
    first_only: sums.flatten() ⇒ sums[0]
        “Everything you keep continues the first text. The others have no chance.”
    once_per_token:
        of_tokens = (log_probabilities[:, None] + next_log_probabilities).max(dim=0)
        best, tokens = of_tokens.values.topk(len(log_probabilities))
        return best, of_tokens.indices[tokens], tokens
        “You keep each token at most once. Two texts may go on with the same token.”
    worst: topk(len(log_probabilities)) ⇒ topk(len(log_probabilities), largest=False)
        “You keep the least likely continuations.”
    worst_first: tuple(part.flip(0) for part in result)
        “You keep the right texts, but the best one comes last.”
    multiplied: log_probabilities[:, None] + ⇒ log_probabilities[:, None] *
        “You multiply logarithms. Probabilities are multiplied; their logarithms are added.”
    probabilities: best.values ⇒ best.values.exp()
        “You keep the right texts, but return their probabilities. The next step needs logarithms.”
    probabilities_added:
        log_probabilities[:, None] + next_log_probabilities ⇒
            log_probabilities[:, None].exp() + next_log_probabilities.exp()
        “You add probabilities. Add their logarithms.”
    divided_by_beams: sums.shape[1] ⇒ len(sums)
        “You found the right numbers, but their places are read as if a row of the sums had one column for each beam. A
        row is vocab_size long.”
    whole_place: % vocab_size ⇒
        “Your tokens are places among all sums of all beams. A token is the place within its row.”
    """,
    also_right="""
    sorted:
        sums = log_probabilities[:, None] + next_log_probabilities
        index = sums.flatten().argsort(descending=True)[: len(sums)]
        parents, tokens = torch.unravel_index(index, sums.shape)
        return sums[parents, tokens], parents, tokens
    the best of each beam first:
        sums = log_probabilities[:, None] + next_log_probabilities
        most = min(sums.shape)
        values, tokens = sums.topk(most, dim=-1)
        best = values.flatten().topk(len(sums))
        return best.values, best.indices // most, tokens.flatten()[best.indices]
    a sorted list:
        rows = (log_probabilities[:, None] + next_log_probabilities).tolist()
        texts = [(number, parent, token) for parent, row in enumerate(rows) for token, number in enumerate(row)]
        numbers, parents, tokens = zip(*sorted(texts, reverse=True)[: len(rows)])
        return torch.tensor(numbers), torch.tensor(parents), torch.tensor(tokens)
    """,
    again="""
    topk(len(log_probabilities)) ⇒ topk(len(log_probabilities) + 1)
        “This time keep one text more than there were.”
    """,
    hints="""
    - The probability of a text is the product of its tokens' probabilities, so log-probabilities add up. How many texts
      compete?
    - `log_probabilities[:, None] + next_log_probabilities` has a row for each text and a column for each token. Make
      one long row of it: `flatten()`, then `topk`.
    - Place 17 in a long row made of rows of 7 is row 17 // 7 and column 17 % 7.
    """,
    explanation="""
    With one beam this is greedy choice. With several, a text that begins badly may still win, as long as it stays among
    the best. A whole search also sets aside texts that have ended, and divides the log-probability of each by a power
    of its length.
    """,
)
