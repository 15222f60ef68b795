"""What holds for every view: still picture, limits, refusals, size, both themes, and text that stays text.

What is particular to a view is tested in its own file.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import made_up_debugging_lab
import made_up_pronoun_heads
import numpy as np
import pytest
import small
import torch
import traitlets
from made_up_decoder_widgets import OUTCOMES, cache_lab, lens, swapper
from made_up_pronoun_heads import ALONE, PAIRS
from on_page import OnPage, Show
from small import EVIL, TOKENS, Scheme, depth_run
from view_sizes import LAB, assert_fits, height_of

from anatomy_course import views
from anatomy_course.lab.experiments.cache_cost import CacheEntry
from anatomy_course.lab.experiments.norm_placement import DepthRun
from anatomy_course.lab.experiments.part_swaps import SwapResult
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views._kit.checks import Name, OneOf, Real, Whole
from anatomy_course.views.block_stepper.view import BlockVectors
from anatomy_course.views.debugging_lab.view import Bed, Twin
from anatomy_course.views.decoding_stepper.view import Rule
from anatomy_course.views.head_splitting.view import Lane, SplitHeads, _checked
from anatomy_course.views.logit_lens.view import Readings
from anatomy_course.views.pronoun_heads.view import AttentionKind, HeadFunctions
from anatomy_course.views.translation_flow.view import DrawnTensor, Moment
from anatomy_course.views.translator.view import Translation

MADE_ELSEWHERE = {"Card", "ChoiceQuestion", "SetupList", "BertvizView", "NeuronView", "DecodingStepper"}
"""Views with files of their own for all of it: what the judge writes, a report, frames, and one that needs a model."""


NORMS, WIDE = "post pre", np.ones((2, 2))
PARTS = [part["id"] for part in views.TransformerMap(folder=Path()).parts]
ENDS = [depth_run(2, "post", [3.0, 2.0]), depth_run(2, "pre", [3.0, 1.0, 0.5])]
BOTH_OFF = [("encoder", 0, 1), ("cross", 1, 0)]
VIEWS: dict[str, tuple[Any, ...]] = {
    "attention stepper": (
        partial(small.attention_stepper, query=1), "six steps of attention for the word animal over 4 words",
        f"{small.steps('a b c d').weights[1].max():.2f}",
    ),
    "attention viewer": (small.attention_viewer, "layer 0, head 0"),
    "beam tree": (
        small.beam_tree,
        "Beam search with 2 beams after “x”, 3 steps. The best text: “b <end>”, log-probability -1.00.",
        "Greedy choice writes “a d”, log-probability -2.10.",
    ),
    "block stepper": (small.block_stepper, f"from the bottom: input {50**0.5:.1f}, attended 1.7"),
    "cache lab": (cache_lab, "of 6 positions are computed with the cache, of 18 without it", "takes 80 bytes."),
    "comparison": (small.compare_models, "Reader base: 2,000 parameters; Writer base: 4,000 parameters"),
    "debugging lab": (made_up_debugging_lab.view, "ends at 1.10: Ada ends at 1.50; Boris ends at 2.50; Clara"),
    "depth lab": (
        partial(small.depth_lab, runs=ENDS), "2 layers, post-norm, no warm-up, seed 0: 2.0; 2 layers, pre-norm",
    ),
    "family tree": (small.family_tree, "Reader 2002"),
    "first words": (small.first_words, "“The cat sat on the mat moon”", "mat 50%, mouse 25%", "6 heads"),
    "head board": (partial(small.head_board, rank="first"), "by first: layer 0 head 1 0.60, layer 1 head 0 0.50"),
    "head splitting": (
        partial(small.head_splitting, "The animal crossed a street".split()),
        "head 0 has only The, animal; head 1 has only a, animal, crossed; head 2 has only a, street",
    ),
    "head words": (small.head_words, "2 heads.", "stay between 0.10 and 0.10: 0·0, 0·1."),
    "live curves": (partial(small.live_curves, label="Tagging"), "Tagging: loss from 3.0 to 1.0, over 3 steps."),
    "logit lens": (lens, "after “animal” “c” from layer 3 on"),
    "logits explorer": (
        partial(small.logits_explorer, position=1, temperature=2, top_k=2), "All other 13 tokens together: 0%.",
        "What may follow “w0 w1”, of 23 tokens, at temperature 2, top-k 2: ",
    ),
    "map": (partial(views.TransformerMap, folder=Path()), "Transformer"),
    "mask painter": (partial(small.mask_painter, mask=small.CAUSAL), "10 of 25 cells are masked"),
    "mixer": (partial(small.mixer, weights=[1, 3, 0]), "0.25 time, 0.75 flies, at (0.38, 0.62)"),
    "nearest words": (
        partial(small.nearest_words, follow=["pear"]),
        "with pear 1 over 1 layers. Nearest after the last layer: apple 2 1.00, fruit 2 1.00, pear 1 0.98.",
    ),
    "neuron reader": (views.neuron_reader, "neuron 1465, which writes ␣on, On", "another neuron off"),
    "objective explorer": (
        small.objective_explorer, "“a b c d e” under 3 objectives.",
        "hidden: in “_ b c d e”, asked “a” (1 of 5 positions).",
        "pairs: in “a b c d e”, asked “x end” (2 of 2 positions).",
    ),
    "part swapper": (swapper, "as it is 50.6 and 104; LayerNorm 59.6 and 134; ReLU 7.30e8 and 2.10e10"),
    "position explorer": (small.position_explorer, "knowing only the offset: offsets. Not so: uneven."),
    "pronoun heads": (
        partial(made_up_pronoun_heads.view, off=BOTH_OFF),
        "25 points; without encoder 0·1, cross 1·0 together 50 points",
    ),
    "residual stream": (small.residual_stream, "Probability of “b”, 0.80 as it is, without each of 5 parts"),
    "scale explorer": (views.ScaleExplorer, "not divided it falls to 0."),
    "spoken words": (small.spoken_words, "A sound of 0.5 seconds; heard, in seconds: good at 0.00; day at 0.25."),
    "translation flow": (
        small.translation_flow, "“<french> the dog barks .” flows through it in 12 steps and becomes “le chien”",
    ),
    "translator": (
        partial(small.translator, layer=0, head=0), "il at <french> 0.50, est at it 0.50, las at is 0.50",
        "“it is tired” became “il est las” Where each written word looked most, layer 0, head 0: ",
    ),
}  # fmt: skip
"""A small view of each kind, and what its picture says."""
LIMITS: dict[str, dict[str, Any]] = {
    "attention stepper": {"query": (0, 3), "step": (1, 6), "level": "word matrix"},
    "attention viewer": {"layer": (0, 1), "head": (0, 2), "query": (0, 4)},
    "beam tree": {"step": (1, 3)},
    "block stepper": {"token": (0, 3), "step": (1, 6), "norm": NORMS, "trained_with": NORMS},
    "depth lab": {"norm": NORMS},
    "head board": {
        "layer": (0, 1), "head": (0, 2), "query": (0, 4), "key": (0, 4), "order": "highest lowest layer",
        "rank": ["the chosen pair", "first", "second"],
    },
    "head splitting": {"position": (0, 4), "feature": (0, 11), "step": (1, 8)},
    "head words": {"head": (0, 2), "word": (0, 1)},
    "logit lens": {"layer": (0, 3), "position": (0, 2)},
    "logits explorer": {"temperature": (0.1, 3), "top_k": (0, None), "top_p": (0.05, 1)},
    "map": {"selected": PARTS},
    "neuron reader": {"neuron": (0, 1535)},
    "objective explorer": {"number": (0, None)},
    "part swapper": {"chosen": ["LayerNorm", "ReLU", "multi-head"]},
    "position explorer": {"scheme": ["offsets", "uneven"], "picture": "vectors scores"},
    "residual stream": {"part": (0, 4), "place": (0, 3)},
    "scale explorer": {"d_head": (1, 512), "seed": (0, 2**31 - 1)},
    "spoken words": {"word": (0, 1)},
    "translation flow": {"place": (0, 11)},
    "translator": {"revealed": (0, 4), "current": (0, 3), "layer": (0, 1), "head": (-1, 2), "view": "lines matrix"},
}  # fmt: skip
"""Of their traits: the ends of a range, a few words, or names."""
HOSTILE: dict[str, dict[str, Any]] = {
    "attention stepper": {"sentence": f"the {EVIL} was"},
    "beam tree": {"prompt": EVIL},
    "block stepper": {"sentence": f"a {EVIL}"},
    "head words": {"words": [EVIL, "cat"]},
    "live curves": {"label": EVIL},
    "logit lens": {"text": f"a {EVIL}"},
    "logits explorer": {"tokens": [EVIL] * 3, "names": [EVIL] * 23},
    "mask painter": {"tokens": [*TOKENS[:4], EVIL]},
    "mixer": {"words": [*TOKENS[1:3], EVIL], "focus": 2},
    "nearest words": {"sentences": [f"apple {EVIL}", "phone pear"]},
    "objective explorer": {"sentence": f"a {EVIL}"},
    "position explorer": {"schemes": [Scheme(EVIL, EVIL, EVIL, EVIL, np.eye(5)[None], measures=EVIL)]},
    "residual stream": {"tokens": ["x", "y", EVIL]},
    "translation flow": {"source": [EVIL, "the", "dog", "barks", "."]},
    "translator": {"sentence": f"it {EVIL} wide", "written": "all"},
}
"""What makes them show hostile text, where they do not yet."""
DECLARED = Whole | Real | OneOf | Name
every = pytest.mark.parametrize("name", VIEWS)


def test_every_view_has_its_row() -> None:
    named = {name: getattr(views, name) for name in dir(views)}
    classes = {name for name, cls in named.items() if inspect.isclass(cls) and issubclass(cls, AnatomyWidget)}
    assert {type(make()).__name__ for make, *_ in VIEWS.values()} == classes - MADE_ELSEWHERE


@every
def test_its_picture_says_what_it_shows_and_its_state_can_be_sent(name: str) -> None:
    make, *says = VIEWS[name]
    data, _ = make()._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)
    assert [each for each in says if each.lower() not in data["text/plain"].lower()] == [], data["text/plain"]
    evil = make(**HOSTILE.get(name, {}))
    html = evil._repr_mimebundle_()[0]["text/html"] if name in HOSTILE else data["text/html"]
    assert "<script" not in html and "</script" not in html
    json.dumps(evil.get_state(), default=lambda raw: bytes(raw).hex(), allow_nan=name == "debugging lab")


@every
def test_it_holds_its_limits(name: str) -> None:
    view, limits = VIEWS[name][0](), LIMITS.get(name, {})
    assert {trait.name for trait in view.traits(sync=True).values() if isinstance(trait, DECLARED)} == set(limits)
    for trait, limit in limits.items():
        if isinstance(limit, tuple):
            low, high = limit
            good, bad = [low, *([] if high is None else [high])], [low - 1, *([] if high is None else [high + 1]), True]
            expected = f"number from {low} " + ("on" if high is None else f"to {high}")
        else:
            good, bad = limit.split() if isinstance(limit, str) else limit, ["none of these"]
            expected = (" or " if isinstance(limit, str) else ", ").join(map(repr, good))
        for value in bad:
            with pytest.raises(traitlets.TraitError, match=re.escape(f"{expected}: choose one of these.")) as error:
                setattr(view, trait, value)
            assert str(error.value).startswith(f"{trait}={value!r} was asked for; expected ")
        for value in good:
            setattr(view, trait, value)


# What it refuses -----------------------------------------------------------------------------------------------------


def stepper_of(**change: Any) -> Any:
    return small.attention_stepper(compute=lambda _: replace(small.steps("the animal was tired"), **change))


def block_of(stages: dict[str, Any]) -> Any:
    good = small.block_vectors("a b", 0)
    return small.block_stepper("a b", compute=lambda *_: BlockVectors(good.tokens, stages, good.norms))


def journey_of(**change: Any) -> Any:
    lane = Lane(np.full((2, 3, 3), 1 / 3), np.ones((2, 3, 2)), np.ones((3, 4)))
    square = np.ones((4, 4))
    split = SplitHeads(["a", "b", "c"], np.ones((3, 4)), square, np.ones((3, 4)), square, lane, lane)
    return _checked(replace(split, **change))


def translator_of(weights: Any, candidates: Any) -> Any:
    return small.translator(compute=lambda _: Translation(["a", "b"], ["c", "<eos>"], candidates, weights, "c"))


def lens_of(top: Any, final: Any) -> Any:
    return lens(compute=lambda text: Readings(["a"], top, np.ones((2, 1, 1)), final, [[1]] * len(final)))


def objective_of(**parts: Any) -> Any:
    return small.objective_explorer(draw=lambda *arguments: small.drawing(*arguments) | parts)


def heads_of(shares: Any, pairs: Any) -> Any:
    nothing: Any = None
    lab = HeadFunctions(right=made_up_pronoun_heads.right, at_random=nothing, translate=nothing, search=nothing)
    return views.PronounHeads([AttentionKind("cross", "Cross", shares)], lab, pairs)


def beds_of(*beds: Any) -> Any:
    lab = made_up_debugging_lab.view()._lab
    return views.DebuggingLab(beds, Twin([1.0], 1.0, 1.0, []), made_up_debugging_lab.PROBES, lab)


def memory(tensor: DrawnTensor) -> Moment:
    return Moment("memory", "", "", [tensor])


def weights(**sizes: int) -> np.ndarray:
    return small.attention_weights(**sizes)


GOOD = small.block_vectors("a b", 0).stages
LONG, ONE = "x" * 301, Scheme("one", "", "", "", np.ones((1, 5, 5)))
NARROW = Bed(**{**vars(made_up_debugging_lab.bed("Ada", 0)), "weights": WIDE, "twin_weights": WIDE})
SPLIT = Lane(np.ones((1, 3, 3)), np.ones((2, 3, 2)), np.ones((3, 4)))
REFUSED: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (stepper_of, {"query": np.zeros((4, 3))}, "key has shape (4, 5); expected numbers of shape"),
    (stepper_of, {"weights": np.zeros((4, 5))}, "weights has shape (4, 5)"),
    (stepper_of, {"hidden": np.full((4, 11), np.nan)}, "hidden holds NaN"),
    (stepper_of, {"value": np.zeros(4)}, "value has shape (4,)"),
    (stepper_of, {"tokens": ["a"] * 33}, "That makes 33 tokens; the drawing has room for 32"),
    (small.attention_viewer, {"tokens": TOKENS[:3]}, "tokens has 3 entries and the weights have 5 query positions"),
    (small.attention_viewer, {"weights": weights()[0]}, "have 3 axes"),
    (small.attention_viewer, {"weights": np.zeros((2, 4, 3, 5, 5))}, "batch of 4 sentences"),
    (small.attention_viewer, {"weights": weights() * 3}, "weights lie between 0 and 1"),
    (small.attention_viewer, {"weights": weights() * np.nan}, "NaN or infinity"),
    (small.attention_viewer, {"weights": weights(keys=4)}, "name the keys' tokens with key_tokens="),
    (small.attention_viewer, {"weights": [weights()[0], weights(heads=2)[0]]}, "different shapes"),
    (small.attention_viewer, {"weights": []}, "empty"),
    (small.attention_viewer, {"weights": [["words"]]}, "no array of numbers"),
    (small.attention_viewer, {"weights": weights(layers=1, heads=1, queries=257, keys=257), "tokens": ["t"] * 257},
     "up to 256 tokens and was given 257"),
    (small.beam_tree, {"num_beams": 0}, "num_beams is 0"),
    (small.beam_tree, {"length_penalty": 0.3}, "length_penalty is 0.3; choose one of 0.0, 0.5"),
    (small.block_stepper, {"layer": 2}, "Layer 2 was asked for; there are layers 0 to 1"),
    (small.block_stepper, {"sentence": "  "}, "The sentence is empty"),
    (small.block_stepper, {"sentence": "a " * 25}, "25 tokens; the drawing has room for 24"),
    (small.block_stepper, {"sentence": LONG}, "301 characters"),
    (block_of, {"stages": {"post": GOOD["post"]}}, "pre-norm stages lack 'input'"),
    (block_of, {"stages": {**GOOD, "pre": {**GOOD["pre"], "fed": np.ones((2, 5))}}}, "pre-norm fed has shape (2, 5)"),
    (cache_lab, {"written": ["a"] * 22}, "There are 25 positions; at most 24 can be drawn"),
    (cache_lab, {"entry": CacheEntry(2, 2, 3, 5, 4)}, "kv_heads dividing heads"),
    (cache_lab, {"entry": CacheEntry(0, 1, 3, 5, 4)}, "counts of at least 1"),
    (cache_lab, {"prompt": []}, "prompt has 0 words"),
    (small.compare_models, {"first": "Old"}, "no model 'Old' to show; choose one of First"),
    (views.compare_models, {"first": "XLNet", "second": "BERT"}, "no model 'XLNet' to show"),
    (beds_of, {}, "0 beds and 3 probes"),
    (partial(beds_of, NARROW), {}, "map of Ada has shape (2, 2), but there are 5 tokens"),
    (Rule, {"temperature": 0.0}, "temperature is 0"),
    (Rule, {"top_k": -2}, "top_k is -2"),
    (Rule, {"top_p": 0.0}, "top_p is 0"),
    (small.depth_lab, {"depth": 7}, "depth is 7; expected one of the depths on offer, [2, 3]"),
    (small.depth_lab, {"steps": 0}, "steps is 0"),
    (small.depth_lab, {"runs": [DepthRun(2, "post", 0, 0, 1.0, [1.0], [[1.0] * 3])]}, "2 layers has 3 gradient norms"),
    (small.family_tree, {"cards": [*small.CARDS, small.CARDS[0]]}, "each its own name"),
    (small.family_tree, {"cards": small.CARDS[2:]}, "parent 'First' has no card"),
    (small.family_tree, {"cards": [small.ModelCard("A", 2000, "", "twig", "")]}, "branch 'twig'"),
    (small.family_tree, {"chosen": "Nobody"}, "no model 'Nobody'"),
    (small.head_board, {"measures": {"odd": small.MEASURE.T}}, "'odd' has shape (3, 2); expected numbers"),
    (small.head_board, {"measures": {"odd": small.MEASURE * np.nan}}, "NaN"),
    (small.head_board, {"switch": lambda off: np.ones((3, 2))}, "what switch returned has shape (3, 2);"),
    (small.head_board, {"switch": lambda off: np.ones(5)}, "expected numbers of shape (position, d_model)"),
    (lambda off: setattr(small.head_board(), "off", off), {"off": [[2, 0]]}, "off holds [2, 0]; expected [layer,"),
    (journey_of, {"tokens": ["a", "b"]}, "hidden_states has shape (3, 4); expected numbers of shape"),
    (journey_of, {"tokens": ["a"] * 9}, "That makes 9 tokens; the drawing has room for 8"),
    (journey_of, {"value": np.ones(4)}, "value has shape (4,); expected numbers of shape (position, d_model)"),
    (journey_of, {"hidden_states": np.ones((3, 17))}, "d_model is 17 for 2 heads; the drawing has room for 16"),
    (journey_of, {"wrong": SPLIT}, "wrong.weights has shape (1, 3, 3)"),
    (lens, {"text": " "}, "The sentence is empty"),
    (lens, {"text": "a " * 25}, "That makes 25 tokens; the drawing has room for 24"),
    (lens_of, {"top": [], "final": [[1], [1]]}, "top has"),
    (lens_of, {"top": [[["x"]]] * 2, "final": [[1]]}, "final_probabilities has shape (1, 1)"),
    (small.logits_explorer, {"position": 3}, "position is 3; this text has positions 0 to 2"),
    (small.logits_explorer, {"states": torch.ones(2, 7)}, "states has shape (2, 7)"),
    (small.logits_explorer, {"logits": torch.ones(3, 9)}, "logits has shape (3, 9); expected"),
    (small.logits_explorer, {"table": torch.ones(9, 7)}, "table has shape (9, 7)"),
    (small.logits_explorer, {"next_ids": [99, 1]}, "next_ids holds 2 ids"),
    (views.TransformerMap, {"here": "atention"}, "here='atention' names nothing on the map"),
    (small.mask_painter, {"tokens": []}, "0 words"),
    (small.mask_painter, {"tokens": ["a"] * 25}, "That makes 25 tokens; the drawing has room for 24"),
    (small.mask_painter, {"scores": np.ones((5, 4))}, "scores has shape (5, 4)"),
    (small.mask_painter, {"mask": small.CAUSAL.astype(int)}, "mask holds int64; expected booleans of shape (5, 5)"),
    (small.mask_painter, {"mask": small.CAUSAL[:4]}, "mask has shape (4, 5)"),
    (small.mask_painter, {"mask": [[True], [True, False]]}, "mask "),
    (small.mask_painter, {"mask": "causal"}, "mask holds <U6"),
    (small.mask_painter, {"attention_mask": [1, 1, 1]}, "attention_mask has shape (3,)"),
    (small.mask_painter, {"attention_mask": [1, 1, 1, 2, 0]}, "1 for a real token and 0 for padding"),
    (small.mixer, {"words": ["time"]}, "1 words; expected 2 to 12"),
    (small.mixer, {"words": ["a"] * 13}, "13 words"),
    (small.mixer, {"vectors": np.ones((2, 2))}, "shape (2, 2)"),
    (small.mixer, {"vectors": np.ones((3, 4))}, "shape (3, 4)"),
    (small.mixer, {"focus": "bees"}, "focus is 'bees'; expected one of time, flies, fruit"),
    (small.mixer, {"focus": 3}, "focus is 3"),
    (small.mixer, {"weights": [1.0, 1.0]}, "weights has shape (2,)"),
    (small.mixer, {"weights": [-1.0, 1.0, 1.0]}, "at least 0"),
    (small.mixer, {"presets": {"none": [0, 0, 0]}}, "not all 0"),
    (small.mixer, {"presets": {"other": {"bees": 1}}}, "preset 'other' names 'bees'"),
    (small.nearest_words, {"word": "plum"}, "no word 'plum' in sentence 1; its words are apple, pear"),
    (small.nearest_words, {"sentence": 9}, "no word 'apple' in sentence 9; its words are those of sentences 1 to 2"),
    (small.nearest_words, {"follow": ["plum"]}, "no word 'plum' in the sentences"),
    (small.nearest_words, {"follow": ["pear 2"]}, "no word 'pear 2' in the sentences"),
    (small.nearest_words, {"sentences": ["apple", ""]}, "The sentence is empty"),
    (small.nearest_words, {"sentences": ["apple " * 40] * 5}, "200 words together; at most 160 fit"),
    (small.nearest_words, {"compute": lambda _: small.WordStates([["apple"]], np.ones((2, 3, 4)))},
     "states has shape (2, 3, 4); expected numbers of shape"),
    (small.objective_explorer, {"questions": []}, "Give at least one objective"),
    (small.objective_explorer, {"questions": small.QUESTIONS[:1] * 2}, "each its own name"),
    (small.objective_explorer, {"chosen": "guess"}, "There is no objective 'guess'"),
    (small.objective_explorer, {"sentence": " "}, "The sentence is empty"),
    (small.objective_explorer, {"sentence": "raise"}, "That is no sentence"),
    (small.objective_explorer, {"sentence": "a " * 81}, "inputs has 81 words"),
    (objective_of, {"asked": ["a"]}, "'asked': 1, "),
    (objective_of, {"marks": ["a"]}, "'marks': 1, "),
    (objective_of, {"mask": [[True]] * 5}, "each row of the mask 5"),
    (swapper, {"parts": {}}, "give at least one"),
    (swapper, {"results": {}}, "There is no result for 'LayerNorm'"),
    (swapper, {"before": SwapResult("before", float("inf"), 2.0, "", 1)}, "plain is inf"),
    (small.position_explorer, {"position": 5}, "position is 5; expected a whole number from 0 to 4"),
    (small.position_explorer, {"length": 129}, "129 positions; the drawing has room for 2 to 128"),
    (small.position_explorer, {"waves": np.ones((4, 4))}, "waves has shape (4, 4)"),
    (small.position_explorer, {"schemes": [ONE, ONE]}, "called one, one; give each a name of its own"),
    (small.position_explorer, {"schemes": [ONE, Scheme("two", "", "", "", np.ones((1, 4, 4)))]}, "scores of two has"),
    (heads_of, {"shares": ALONE, "pairs": []}, "1 organs and 0 pairs"),
    (heads_of, {"shares": 100 * ALONE, "pairs": PAIRS}, "shares from 0 to 1"),
    (small.translation_flow, {"target": ["<bos>"]}, "There are 1 target tokens, 3 written ones and choices for 3"),
    (small.translation_flow, {"encoder": []}, "no steps for the encoder"),
    (small.translation_flow, {"encoder": [Moment("soul", "", "")]}, "'soul' names no part of the figure"),
    (small.translation_flow, {"encoder": [memory(small.vectors("m", "source", 4))]}, "m has shape"),
    (small.translation_flow, {"encoder": [memory(DrawnTensor("m", [[1.0]] * 5, ("source", "d"), (5,)))]}, "one size"),
    (small.translation_flow, {"source": ["a"] * 33}, "source has 33 words"),
    (small.translator, {"written": 5}, "written is 5; expected 0 to 4"),
    (small.translator, {"written": "most"}, "written is 'most'; expected 0 to 4"),
    (small.translator, {"sentence": " "}, "The sentence is empty"),
    (small.translator, {"sentence": "nonsense"}, "That makes no sense"),
    (translator_of, {"weights": np.ones((1, 1, 2, 3)), "candidates": [[], []]}, "weights has shape (1, 1, 2, 3)"),
    (translator_of, {"weights": np.ones((1, 1, 2, 2)), "candidates": [[]]}, "candidates for 1 words, but 2 were"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "wrong", "said"), REFUSED, ids=[said[:40] for *_, said in REFUSED])
def test_what_does_not_fit_is_refused_with_one_sentence(
    make: Callable[..., Any], wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        make(**wrong)
    assert "\n" not in str(error.value)


# In the browser ------------------------------------------------------------------------------------------------------


@every
def test_any_text_stays_text_in_two_views_and_both_themes(show: Show, name: str) -> None:
    shown = show(VIEWS[name][0](**HOSTILE.get(name, {})), theme="dark", views=2)
    backgrounds = [shown.page.evaluate(BACKGROUND)]
    shown.theme("light")
    shown.settle()
    backgrounds.append(shown.page.evaluate(BACKGROUND))
    assert max(backgrounds[0]) < 100 < 200 < min(backgrounds[1])
    assert shown.page.evaluate("window.hit === undefined")
    assert shown.count(".anatomy") == 2 and shown.count(".anatomy :is(img, script, .word b)") == 0


BACKGROUND = """() => {
  const background = (node) => getComputedStyle(node).backgroundColor;
  let node = document.querySelector('.anatomy');
  while (node.parentElement && /rgba\\(.*, 0\\)/.test(background(node))) node = node.parentElement;
  return background(node).match(/\\d+/g).slice(0, 3).map(Number);
}"""


def asked(**question: Any) -> Callable[[OnPage], Any]:
    """The page asks, and the answer reaches it."""

    def ask(shown: OnPage) -> None:
        number = shown.widget.answered + 1
        shown.widget.set_state({"question": {**shown.widget.question, **question, "id": number}})
        shown.follow()

    return ask


def pressed(role: str, name: str) -> Callable[[OnPage], Any]:
    return lambda shown: shown.click(role, name, exact=not name[0].isdigit())


def prepared(shown: OnPage) -> None:
    shown.page.wait_for_function("document.querySelectorAll('.as-body').length === 7")


def drawn(name: str) -> Callable[[OnPage], Any]:
    def draw(shown: OnPage) -> None:
        shown.widget.draw(name, [1, 200], [4.0, 0.25])
        shown.widget.publish()
        shown.follow()

    return draw


def switched(*off: list[int]) -> Callable[[OnPage], Any]:
    def switch(shown: OnPage) -> None:
        shown.widget.off = list(off)
        shown.follow()

    return switch


def board() -> Any:
    weights = np.random.default_rng(0).dirichlet(np.ones(16) * 0.2, size=(6, 12, 16))
    words = "[CLS] the animal didn ' t cross the street because it was too tired . [SEP]".split()
    output = partial(np.ones, (16, 2))
    return views.HeadBoard(weights, words, {"first": weights[..., 0].mean(-1)}, switch=lambda off: output(), query=10)


def splitting() -> Any:
    words = "The animal crossed a street".split()
    return views.head_splitting(*small.attention_module(8, 2), words, position=1, feature=6)


def viewer(length: int) -> Any:
    weights = np.random.default_rng(0).dirichlet(np.ones(length) * 0.2, size=(6, 12, length))
    return views.AttentionViewer(weights, [f"word{i}" for i in range(length)])


def long_stepper(level: str) -> Any:
    words = "[CLS] the animal didn't cross the street because it was too tired [SEP]".split()
    hidden, query, key, value = np.random.default_rng(0).normal(size=(4, len(words), 8))
    made = small.Steps.of(words, hidden, query, key, value)
    return views.AttentionStepper(lambda _: made, query=8, level=level)


def painter() -> Any:
    scores = np.random.default_rng(0).normal(size=(7, 7)) * 3
    words = "[CLS] time flies like an arrow [SEP]".split()
    return views.MaskPainter(words, scores, mask=np.tri(7, dtype=bool))


def emptied(shown: OnPage) -> None:
    cell = shown.page.get_by_role("grid").locator("tbody tr").first.locator("td").first
    if "masked" not in (cell.get_attribute("aria-label") or ""):
        cell.press("Enter")
    shown.settle()


SIX = [{"step": step} for step in range(1, 7)]
ORDERS = [{"norm": norm, **step} for norm in ("post", "pre") for step in SIX]
RUNS = [depth_run(3, norm, [2.0, 1.0 + seed / 9], seed) for norm in ("post", "pre") for seed in range(3)]
PRESETS = {"as a verb": {"time": 1, "flies": 1}}
SCHEMES = ("sinusoidal", "learned", "DeBERTa", "ALiBi")
LONG_STORY = [*views.JOURNEY, "The animal didn't cross the street because it was too tired, " * 2]
SIZES: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "attention stepper, a word": (lambda _: long_stepper("word"), [prepared, *SIX]),
    "attention stepper, all words": (lambda _: long_stepper("matrix"), [prepared, *SIX]),
    "attention viewer, 16 words": (lambda _: viewer(16), [{"head": 11, "layer": 5}, {"query": 9}]),
    "attention viewer, 64 words": (lambda _: viewer(64), [{"head": 11, "layer": 5}, {"query": 9}]),
    "beam tree": (lambda _: small.beam_tree(length_penalty=2), [{"step": 1}, {"step": 2}, {"step": 3}]),
    "block stepper": (lambda minilm: views.block_stepper(*minilm(), word="it"), ORDERS),
    "cache lab": (lambda _: cache_lab(), [{"step": 0}, {"cached": False}, {"step": 3}, {"cached": True}]),
    "depth lab": (
        lambda _: small.depth_lab(runs=RUNS),
        [{"norm": "pre", "depth": 2}, {"running": True}, {"running": False}],
    ),
    "head board": (lambda _: board(), [switched([0, 0]), switched([0, 0], [1, 1], [5, 11]), switched()]),
    "head splitting": (lambda _: splitting(), [{"step": step} for step in range(1, 9)]),
    "live curves": (
        lambda _: views.LiveCurves(label="Two rivals"),
        [drawn("encoder–decoder"), drawn("causal decoder")],
    ),
    "logit lens": (lambda _: lens(), [{"layer": 0, "position": 0}, {"layer": 3, "position": 1}]),
    "logits explorer": (
        lambda _: views.LogitsExplorer(small.outputs(1201, d_model=576)),
        [{"position": 0}, {"position": 1, "token": 3}, {"temperature": 0.5, "top_k": 4}, {"top_p": 0.3, "position": 2}],
    ),
    "mask painter": (
        lambda _: painter(),
        [emptied, pressed("radio", "none"), pressed("button", "0 after the softmax"), pressed("radio", "all open")],
    ),
    "mixer": (
        lambda _: small.mixer(presets=PRESETS),
        [pressed("button", n) for n in (*PRESETS, "all alike", "only flies")],
    ),
    "nearest words": (
        lambda minilm: views.nearest_words(*minilm(), LONG_STORY),
        [{"chosen": 0, "followed": [1, 2]}, {"chosen": 3, "followed": [1, 2, 5, 6, 7]}, {"chosen": 40, "followed": []}],
    ),
    "neuron reader": (lambda _: views.neuron_reader(), [{"neuron": 777}, {"neuron": 286}, {"neuron": 840}]),
    "part swapper": (lambda _: swapper(), [{"chosen": name} for name in OUTCOMES]),
    "position explorer": (
        lambda minilm: views.position_explorer(minilm()[0]),
        [pressed("radio", name) for name in SCHEMES],
    ),
    "pronoun heads": (
        lambda _: made_up_pronoun_heads.view(),
        [asked(off=[["encoder", 0, 1]], pair=0), asked(off=[], pair=1), asked(off=[], pair=0, search=True)],
    ),
    "scale explorer": (
        lambda _: views.ScaleExplorer(64),
        [{"d_head": 1, "scaled": False}, {"d_head": 512}, {"scaled": True}],
    ),
    "translation flow": (lambda _: small.translation_flow(), [{"place": place} for place in range(12)]),
}
EXACT = ("pronoun heads", "translation flow")
"""Views whose height does not change by a pixel."""


@pytest.mark.parametrize("name", SIZES)
def test_it_fits_and_stands_still(show: Show, name: str, minilm: Any) -> None:
    """From the narrowest card to the widest: what stands on it can be read, and no step makes it higher."""
    make, states = SIZES[name]
    shown = show(make(lambda: minilm), width=min(LAB), reduced_motion=True)
    for width in sorted(LAB):
        shown.page.set_viewport_size({"width": LAB[width], "height": 900})
        shown.settle()
        heights = [] if prepared in states else [height_of(shown.page)]
        for state in states:
            if callable(state):
                state(shown)
            else:
                shown.update(**state)
            assert_fits(shown.page)
            heights.append(height_of(shown.page))
        assert max(heights) - min(heights) <= (0 if name in EXACT else 8), (width, heights)
