"""Nearly right answers to notebook 08's exercises on text, names and windows: each gets a sentence of its own."""

from __future__ import annotations

import pytest
import torch
from nearly_right import NearlyRight, check, collector

from anatomy_course.judge import find_exercise

WRONG, wrong = collector("workshop")


@wrong("count_pairs", "replaced_by_the_last_word", "`update`")
def pairs_updated(words):
    counts = {}
    for ids, times in words.items():
        of_this_word = {}
        for pair in zip(ids, ids[1:], strict=False):
            of_this_word[pair] = of_this_word.get(pair, 0) + times
        counts.update(of_this_word)
    return counts


@wrong("merge_pair", "as_text", "15 10 is in 215 10")
def merged_in_a_text(ids, pair, new_id):
    text = ",".join(map(str, ids)).replace(f"{pair[0]},{pair[1]}", str(new_id))
    return tuple(map(int, text.split(",")))


@wrong("merge_pair", "apart", "you merge only the first")
def merged_between_spaces(ids, pair, new_id):
    text = "".join(f" {each}" for each in ids) + " "
    return tuple(int(each) for each in text.replace(f" {pair[0]} {pair[1]} ", f" {new_id} ").split())


@wrong("merge_pair", "objection:value", ", 0); yours returns (0, ")
def merged_without_id_0(ids, pair, new_id):
    merged, held = [], None
    for each in ids:
        if held and (held, each) == pair:
            merged[-1], held = new_id, None
        else:
            merged.append(each)
            held = each
    return tuple(merged)


@wrong("own_name", "looked_up_apart", "such as `self_attn.up_proj`")
def named_apart(published):
    if published in ("model.embed_tokens.weight", "model.norm.weight"):
        return "tokens.weight" if "embed" in published else "norm.weight"
    norms = {"input_layernorm": "attention_norm", "post_attention_layernorm": "feed_forward_norm"}
    modules = {"self_attn": "attention", "mlp": "feed_forward"}
    theirs = "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj".split()
    matrices = dict(zip(theirs, "query key value output gate inner output".split(), strict=True))
    match published.split("."):
        case ["model", "layers", number, norm, "weight"] if norm in norms:
            return f"blocks.{number}.{norms[norm]}.weight"
        case ["model", "layers", number, module, matrix, "weight"] if module in modules and matrix in matrices:
            return f"blocks.{number}.{modules[module]}.{matrices[matrix]}.weight"
    raise ValueError(published)


def renamed(published):
    return find_exercise("workshop.own_name").resolve()(published)


@wrong("own_name", "objection:not_refused", "'language_model.model.layers.")
def named_from_the_middle(published):
    place = published.find("model.layers.")
    return renamed(published[place:] if place > 0 else published)


@wrong("own_name", "objection:not_refused", "'model.norm.bias' is not the name of a tensor in this model")
def named_by_its_beginning(published):
    return "norm.weight" if published.startswith("model.norm") else renamed(published)


@wrong("own_name", "objection:error", "Yours stops with IndexError.")
def named_by_the_fifth_piece(published):
    if published.startswith("model.layers.") and published.split(".")[4] == "":
        raise ValueError(published)
    return renamed(published)


@wrong("own_name", "crash", "ValueError: model.layers.0.")
def named_without_layer_0(published):
    pieces = published.split(".")
    if pieces[:2] == ["model", "layers"] and not int(pieces[2]):
        raise ValueError(published)
    return renamed(published)


@wrong("random_windows", "cut_into_rows", "only at multiples of `length`")
def windows_of_rows(ids, batch_size, length, generator):
    last = (len(ids) - 1) // length
    starts = torch.randint(last, (batch_size,), generator=generator).tolist()
    rows = torch.stack([ids[start * length : start * length + length + 1] for start in starts])
    return rows[:, :-1], rows[:, 1:]


@wrong("random_windows", "with_the_end", "nothing follows the text's last token")
def windows_of_a_circle(ids, batch_size, length, generator):
    following = ids.roll(-1)
    positions = torch.randint(len(ids) - length + 1, (batch_size, 1), generator=generator) + torch.arange(length)
    return ids[positions], following[positions]


@wrong("random_windows", "objection:windows", "5 different windows came, each with its labels. Your text of 9 tokens")
def windows_of_the_beginning(ids, batch_size, length, generator):
    places = max(1, len(ids) - length - 2)
    positions = torch.randint(places, (batch_size, 1), generator=generator) + torch.arange(length)
    return ids[positions], ids[positions + 1]


@pytest.mark.parametrize("nearly_right", WRONG, ids=lambda each: each[1].__name__)
def test_a_nearly_right_answer_gets_its_own_sentence(nearly_right: NearlyRight) -> None:
    check(*nearly_right)
