"""A small view of each kind, over made-up models: what its table in `test_every_view.py` and its own tests look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from unittest.mock import Mock

import numpy as np
import torch

from anatomy_course import views
from anatomy_course.lab.experiments.norm_placement import DepthRun
from anatomy_course.lab.objectives import Objective
from anatomy_course.views._kit.model_card import ModelCard, ModelRun
from anatomy_course.views.attention_stepper.view import Steps
from anatomy_course.views.beam_tree.view import Found, Greedy, Node
from anatomy_course.views.block_stepper.view import BlockVectors
from anatomy_course.views.depth_lab.view import Report, Setting
from anatomy_course.views.first_words.view import Heads, Loader, Rival, Written
from anatomy_course.views.logits_explorer.view import Outputs
from anatomy_course.views.nearest_words.view import WordStates
from anatomy_course.views.position_explorer.view import Scheme
from anatomy_course.views.translation_flow.view import DrawnTensor, Moment, TranslationRun
from anatomy_course.views.translator.view import Translation, UnknownWords
from anatomy_utils.nn.attention import MultiHeadAttention

EVIL = "</script><img/src=x/onerror=window.hit=1>"
"""What a browser must show as text."""
TOKENS = ["the", "<script>alert(1)</script>", "😀", "שלום", "it"]
STREET = "The animal didn't cross the street because it was too tired."


# Attention -----------------------------------------------------------------------------------------------------------


def steps(sentence: str) -> Steps:
    """Random projections to 5 features of queries and keys and 7 of values, the same for every sentence."""
    tokens = sentence.split()
    if len(tokens) > 12:
        raise ValueError(f"The sentence has {len(tokens)} words; at most 12 fit: shorten it.")
    random = np.random.default_rng(len(tokens))
    hidden = random.normal(size=(len(tokens), 11))
    query, key, value = (hidden @ random.normal(size=(11, size)) for size in (5, 5, 7))
    return Steps.of(tokens, hidden, query, key, value)


def attention_stepper(sentence: str = "the animal was tired", **settings: Any) -> views.AttentionStepper:
    return views.AttentionStepper(settings.pop("compute", steps), sentence, **settings)


def attention_weights(layers: int = 2, heads: int = 3, queries: int = 5, keys: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(keys), size=(layers, heads, queries))


def attention_viewer(weights: Any = None, tokens: Any = TOKENS, **settings: Any) -> views.AttentionViewer:
    return views.AttentionViewer(attention_weights() if weights is None else weights, tokens, **settings)


BOARD = attention_weights(seed=1)
MEASURE = np.array([[0.1, 0.6, 0.3], [0.5, 0.2, 0.4]])


def turned(off: Sequence[Any]) -> np.ndarray:
    """Output of two features in which every head that is off turns the last token by 30 degrees."""
    output = np.tile([1.0, 0.0], (5, 1))
    output[4] = np.cos(np.pi / 6 * len(off)), np.sin(np.pi / 6 * len(off))
    return output


def head_board(**settings: Any) -> views.HeadBoard:
    measures = settings.pop("measures", {"first": MEASURE, "second": 1 - MEASURE})
    return views.HeadBoard(BOARD, settings.pop("tokens", TOKENS), measures, **({"switch": turned} | settings))


def attention_module(d_model: int = 12, num_heads: int = 3, **options: Any) -> tuple[MultiHeadAttention, torch.Tensor]:
    """And the hidden states that it is given, of five words."""
    torch.manual_seed(0)
    return MultiHeadAttention(d_model, num_heads, **options), 2 * torch.randn(1, 5, d_model)


def head_splitting(tokens: Sequence[str] = TOKENS, **settings: Any) -> views.HeadSplitting:
    return views.head_splitting(*attention_module(), tokens, **({"position": 1, "feature": 9} | settings))


def residual_stream(**settings: Any) -> views.ResidualStream:
    """Two layers over three positions; without attention of layer 0 at the last one, half is left."""
    moved, kept = np.zeros((5, 4, 5, 3)), np.full((5, 4), 0.8)
    moved[1, 2, 1:, 2], kept[1, 2] = 0.5, 0.5
    top = [[["b", "c"] if row != 2 else ["d", "b"] for _ in range(4)] for row in range(6)]
    tokens = settings.pop("tokens", ["x", "y", "z"])
    chances = np.tile([0.8, 0.2], (6, 4, 1))
    given = {"moved": moved, "kept": kept, "shares": [0.5, 1.0, -0.5, 0.0, 2.0], "probabilities": chances} | settings
    return views.ResidualStream(tokens, top=top, **given)


def head_words(**settings: Any) -> views.HeadWords:
    """Two heads and a random one."""
    lists = [["x", "y"], ["z", "y"]], [["x", "z"], ["x", "z"]]
    matched = [[lists[0][0]] * 2, [lists[0][1]] * 2, [["z", "x"]] * 2]
    own = settings.pop("own", [[1.0, 0.5], [0.5, 0.0], [0.1, 0.1]])
    words = settings.pop("words", ["king", "cat"])
    return views.HeadWords(words, ["0·0", "0·1", "random 0"], own, matched, [lists[1][0:1] * 2] * 3, controls_from=2)


def spoken_words(**settings: Any) -> views.SpokenWords:
    """Half a second of a tone with two words in it."""
    samples = 0.5 * np.sin(np.arange(8000) / 10)
    given = {"words": ["good", "day"], "begins": [0.0, 0.25], "looked": [[0.2, 0.1, 0.0], [0.0, 0.0, 0.4]]} | settings
    return views.SpokenWords(given.pop("samples", samples), **given)


MASKED = ["time", "flies", "like", "[PAD]", "[PAD]"]
SCORES = np.random.default_rng(3).normal(size=(5, 5))
CAUSAL = np.tril(np.ones((5, 5), dtype=bool))


def mask_painter(**settings: Any) -> views.MaskPainter:
    return views.MaskPainter(settings.pop("tokens", MASKED), settings.pop("scores", SCORES), **settings)


def mixer(**settings: Any) -> views.Mixer:
    given = {"words": ["time", "flies", "fruit"], "vectors": [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]], "focus": "flies"}
    return views.Mixer(**given | {"axes": ("verb ↔ insect", "motion")} | settings)


# Layers --------------------------------------------------------------------------------------------------------------


def block_vectors(sentence: str, layer: int) -> BlockVectors:
    """Three features a token; attention adds 1, feed-forward doubles; γ = 2, β = 0.5."""
    tokens = sentence.split()
    if "raise" in tokens:
        raise ValueError("That word is not known; use another.")
    x = np.arange(3.0 * len(tokens)).reshape(-1, 3) + layer

    def norm(v: np.ndarray) -> np.ndarray:
        return (v - v.mean(1, keepdims=True)) / v.std(1, keepdims=True) * 2 + 0.5

    post: dict[str, Any] = {"input": x, "attended": np.ones_like(x), "added": x + 1}
    post |= {"normed": norm(x + 1), "fed": 2 * norm(x + 1), "added again": 3 * norm(x + 1), "normed again": norm(3 * x)}
    pre = {"input": x, "normed": norm(x), "attended": np.ones_like(x), "added": x + 1, "normed again": norm(x + 1)}
    pre |= {"fed": 2 * norm(x + 1), "added again": x + 1 + 2 * norm(x + 1)}
    return BlockVectors(tokens, {"post": post, "pre": pre}, np.stack([[[2.0] * 3, [0.5] * 3]] * 2), epsilon=0.0)


def block_stepper(sentence: str = "a b c d", **settings: Any) -> views.BlockStepper:
    compute = settings.pop("compute", block_vectors)
    return views.BlockStepper(compute, sentence, **{"num_layers": 2, "token": 1} | settings)


ANGLES = {"apple": (0, 60), "pear": (80, 50), "phone": (85, 10), "fruit": (40, 55), "x": (180, 180)}
"""Word → the direction of its vector, in degrees, in layer 0 and in layer 1."""


def word_states(sentences: Sequence[str]) -> WordStates:
    if any("raise" in text for text in sentences):
        raise ValueError("That word is not known; use another.")
    listed = [text.split() for text in sentences]
    turned = np.radians([[ANGLES.get(word, (90, 90))[layer] for words in listed for word in words] for layer in (0, 1)])
    return WordStates(listed, 3 * np.stack([np.cos(turned), np.sin(turned)], axis=-1))


def nearest_words(**settings: Any) -> views.NearestWords:
    sentences = settings.pop("sentences", ["apple pear", "phone fruit apple"])
    return views.NearestWords(settings.pop("compute", word_states), sentences, **{"word": "apple"} | settings)


def position_explorer(length: int = 5, **settings: Any) -> views.PositionExplorer:
    """A scheme that knows offsets alone, and one that does not."""
    at = np.arange(length)
    known = -np.abs(at[:, None] - at)[None].astype(float)
    uneven = np.stack([np.outer(at, at), 2 * np.outer(at, at)]).astype(float)
    schemes = [
        Scheme("offsets", "how", "f", "s", known),
        Scheme("uneven", "how", "f", "s", uneven, ("head 1", "head 2"), vectors=np.ones((length, 3))),
    ]
    return views.PositionExplorer(settings.pop("schemes", schemes), **{"position": 1} | settings)


def falling(setting: Setting, report: Report) -> None:
    """Training in which the loss halves at every step."""
    grow(setting, report, (2.0**-step for step in range(setting.steps)), [float(n + 1) for n in range(setting.depth)])


def grow(setting: Setting, report: Report, losses: Iterable[float], norms: list[float]) -> None:
    """A run with these losses and the same gradient norms at every step, until it is to stop."""
    growing = DepthRun(setting.depth, setting.norm, setting.warmup, setting.seed, 1.0)
    for loss in losses:
        growing.loss.append(loss)
        growing.gradient_norms.append(norms)
        if report(growing):
            return


def depth_run(depth: int, norm: Any, loss: list[float], seed: int = 0) -> DepthRun:
    return DepthRun(depth, norm, 0, seed, 1.0, loss, [[10.0**-layer for layer in range(depth)] for _ in loss])


def depth_lab(train: Any = falling, **settings: Any) -> views.DepthLab:
    return views.DepthLab(train, **{"depths": (2, 3), "depth": 3, "steps": 5} | settings)


# Writing -------------------------------------------------------------------------------------------------------------


def beams(prompt: str, num_beams: int, length_penalty: float) -> Found:
    """Greedy choice begins with “a”, but the best text is “b <end>”; the numbers are as `num_beams` = 2 makes them."""
    if prompt == "raise":
        raise ValueError("That prompt is not known; use another.")

    def node(parent: int, text: str, log: float, fate: Any, stops: bool = False) -> Node:
        words = text.split()
        return Node(parent, words[-1], text, log, log / len(words) ** length_penalty, fate, stops)

    first = [node(-1, "a", -0.5, "alive"), node(-1, "b", -0.9, "alive"), node(-1, "c", -3.0, "dropped")]
    second = [node(1, "b <end>", -1.0, "ended", True), node(0, "a d", -1.7, "alive")]
    second += [node(0, "a <end>", -2.0, "dropped", True)]
    last = [node(1, "a d <end>", -2.1, "ended", True), node(1, "a d a", -4.0, "dropped")]
    return Found(["x"], [first, second, last], Greedy("a d", -2.1, -2.1 / 3**length_penalty, [0, 1, 0]), 4)


def beam_tree(**settings: Any) -> views.BeamTree:
    return views.BeamTree(beams, settings.pop("prompt", "x"), **{"num_beams": 2, "length_penalty": 0} | settings)


def outputs(vocab_size: int = 23, positions: int = 3, d_model: int = 7) -> Outputs:
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(positions, d_model, generator=generator)
    table = torch.randn(vocab_size, d_model, generator=generator)
    names = [f"w{i}" for i in range(vocab_size)]
    logits = states @ table.mT
    return Outputs(names[:positions], states, logits, table, names, [5, 6][: positions - 1], tied=True)


def logits_explorer(**settings: Any) -> views.LogitsExplorer:
    given = vars(outputs()) | {name: settings.pop(name) for name in vars(outputs()) if name in settings}
    return views.LogitsExplorer(Outputs(**given), **settings)


SENTENCE = "The cat sat on the"
ENDINGS = ["␣mat", "␣mouse", "␣moon", "␣sofa", "<b>"]


def looking(sentence: str) -> Heads:
    """Two layers of three heads, each of which looks at one word only: layer + head places on."""
    tokens = ["[CLS]", *("[UNK]" if "🙂" in each else each for each in sentence.lower().split()), "[SEP]"]
    eye = np.eye(len(tokens))
    return Heads(tokens, np.stack([[np.roll(eye, layer + head, 1) for head in range(3)] for layer in range(2)]))


class Models:
    """A reader and a writer whose tokens come from a list; it ends with a full stop after four words."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.seen: list[str] = []
        self.widget: Any = None

    def load(self, role: str) -> Any:
        self.loaded.append(role)
        self.seen.append(self.widget.loading)
        return self

    def read(self, sentence: str) -> Heads:
        return looking(sentence)

    def write(self, sentence: str, token_ids: Any, more: int) -> list[Written]:
        ids = list(token_ids)
        for _ in range(more):
            ids.append(9 if len(ids) >= 4 else 0)
        rivals = tuple(Rival(i, text, 0.5 / (i + 1)) for i, text in enumerate(ENDINGS))
        stop = Written(9, ".", 0.75, False, (Rival(9, ".", 0.75), *rivals[:4]))
        return [stop if i == 9 else Written(i, ENDINGS[i], 0.5 / (i + 1), False, rivals) for i in ids]


def first_words(models: Models | None = None) -> views.FirstWords:
    models = models or Models()
    reader = Loader("a reader, about 2 seconds", lambda: models.load("reader"))
    writer = Loader("a writer, about 7 seconds", lambda: models.load("writer"))
    given = {"heads": looking(SENTENCE), "written": models.write(SENTENCE, [0, 2], 0)}
    models.widget = views.FirstWords(reader, writer, sentence=SENTENCE, **given, chosen=(1, 1), word="sat")
    return models.widget


def live_curves(**settings: Any) -> views.LiveCurves:
    curves = views.LiveCurves(**settings)
    curves.draw("loss", [1, 2, 3], [3.0, 2.0, 1.0])
    curves.publish()
    return curves


QUESTIONS = [
    Objective("hidden", "Which?", "Someone 2019", "encoder", Mock(), 0.2, "of the words are hidden", ("BERT", EVIL)),
    Objective("next", "What follows?", "Someone 2018", "decoder", Mock(), models=("GPT",)),
    Objective("pairs", "How is it said?", "Someone 2020", "encoder–decoder", Mock(), models=("T5",)),
]


def drawing(name: str, sentence: str, rate: float | None, number: int) -> dict[str, Any]:
    """Hides the words from `number` on, as many as the rate says; or asks the sentence; or a target of two words."""
    if "raise" in sentence:
        raise ValueError("That is no sentence; use another.")
    words, length = sentence.split(), len(sentence.split())
    hidden = {(number + k) % length for k in range(round((rate or 0) * length))} if name == "hidden" else set()
    drawn: dict[str, Any] = {
        "note": f"{name} {number} {rate}", "inputs": ["_" if i in hidden else word for i, word in enumerate(words)],
        "altered": [i in hidden for i in range(length)], "decoder_inputs": (), "marks": (), "marks_mean": "",
    }  # fmt: skip
    if name == "hidden":
        drawn |= {"asked": [word if i in hidden else "" for i, word in enumerate(words)], "counts": drawn["altered"]}
        drawn |= {"marks": [str(i) for i in range(length)], "marks_mean": "place"}
        return drawn | {"mask_kind": "everyone", "mask": [[True] * length] * length}
    if name == "next":
        mask = [[key <= query for key in range(length)] for query in range(length)]
        return drawn | {"asked": [*words[1:], "end"], "counts": [True] * length, "mask_kind": "causal", "mask": mask}
    mask = [[key < length or length <= key <= query for key in range(length + 2)] for query in range(length + 2)]
    drawn |= {"decoder_inputs": ["start", "x"], "asked": ["x", "end"], "counts": [True, True]}
    return drawn | {"mask_kind": "encoder–decoder", "mask": mask}


def objective_explorer(**settings: Any) -> views.ObjectiveExplorer:
    given: dict[str, Any] = {"questions": QUESTIONS, "draw": drawing, "sentence": "a b c d e"} | settings
    given = {"examples": ["v w x y z"]} | given
    return views.ObjectiveExplorer(given.pop("questions"), given.pop("draw"), given.pop("sentence"), **given)


# Translating ---------------------------------------------------------------------------------------------------------

WEIGHTS = np.stack([
    np.stack([np.roll([0.5, 0.25, 0.125, 0.125, 0.0], i + 2 * head + layer) for i in range(4)])
    for layer in range(2) for head in range(3)
]).reshape(2, 3, 4, 5)  # fmt: skip


def translation(sentence: str) -> Translation:
    """ "it is tired" → il est las, "it is wide" → elle est large; anything else is refused in its own way."""
    words = sentence.rstrip(".").split()
    if "stret" in words:
        unknown: dict[str, Any] = {"stret": [("tired", sentence.replace("stret", "tired"))]}
        if "more" in words:
            unknown["x" * 60] = []
        raise UnknownWords("The street does not know 'stret'.", unknown, "it is wide")
    if words[0] != "it":
        raise ValueError("That makes no sense.")
    wide, odd = words[-1] == "wide", "odd" in words
    written = ["elle" if wide else "il", "est", "large" if wide else "las", "<eos>"]
    return Translation(
        source=["<french>", *words[:3], "."],
        written=written if "on" not in words else [*written[:3], "las"],
        candidates=[[(word, 0.75), ("rival", 0.2), ("other", 0.05)] for word in written],
        weights=WEIGHTS, text=" ".join(written[:3]), direction="English → French",
        accepted=[] if odd else ["elle est large" if wide else "il est las."],
        remark="Odd." if odd else "", correction="it is wide" if odd else "",
        swaps=[("tired", "it is tired")] if wide else [("wide", "it is wide")], reason=3, pronouns=[0],
    )  # fmt: skip


def translator(**settings: Any) -> views.Translator:
    compute = settings.pop("compute", translation)
    return views.Translator(compute, settings.pop("sentence", "it is tired"), **{"written": 0} | settings)


def vectors(name: str, axis: str, rows: int) -> DrawnTensor:
    return DrawnTensor(name, np.arange(rows * 19).reshape(rows, 19) / 10, ("batch", axis, "d_model"), (1, rows, 19))


def ids(name: str, axis: str, *numbers: int) -> DrawnTensor:
    return DrawnTensor(name, [[number] for number in numbers], ("batch", axis), (1, len(numbers)), kind="ids")


def maps(name: str, weights: np.ndarray, keys: str, causal: bool = False) -> DrawnTensor:
    axes = ("batch", "heads", "target", keys)
    return DrawnTensor(name, weights, axes, (1, *weights.shape), kind="weights", causal=causal)


def translation_run(**changes: Any) -> TranslationRun:
    """Five source tokens, three written ones; cross-attention's row i looks at source token i."""
    causal = np.tril(np.ones((3, 3)))[None] / np.arange(1, 4)[:, None]
    cross = np.stack([np.eye(3, 5), np.full((3, 5), 0.2)])
    given: dict[str, Any] = {
        "source": ["<french>", "the", "dog", "barks", "."],
        "target": ["<bos>", "le", "chien"],
        "written": ["le", "chien", "<eos>"],
        "encoder": [
            Moment("source_tokens", "Numbers", "Each *is* a number.", [ids("input_ids", "source", 7, 3, 4, 5, 6)]),
            Moment("encoder_self_attention", "Encoder attends", "All look at all.", [vectors("x", "source", 5)]),
            Moment("memory", "Memory", "Done.", [vectors("memory", "source", 5)]),
        ],
        "decoder": [
            Moment("target_tokens", "Shifted", "Shifted by one.", [ids("decoder_input_ids", "target", 1, 8, 9)]),
            Moment("decoder_self_attention", "Masked", "No future.", [maps("own.weights", causal, "target", True)]),
            Moment("cross_attention", "Cross", "Looks at the source.",
                   [maps("cross.weights", cross, "source"), vectors("read", "target", 3)]),
            Moment("softmax", "Softmax", "Sums to 1.", [vectors("probabilities", "target", 3)]),
            Moment("next_token", "Next", "Appended."),
        ],
        "choices": [[(word, 2.5, 0.75), ("other", -1.0, 0.25)] for word in ("le", "chien", "<eos>")],
    }  # fmt: skip
    return TranslationRun(**given | changes)


def translation_flow(place: Any = None, **changes: Any) -> views.TranslationFlow:
    return views.TranslationFlow(translation_run(**changes), **({} if place is None else {"place": place}))


# The family of models ------------------------------------------------------------------------------------------------


def block(label: str, *parts: str) -> dict[str, Any]:
    return {"label": label, "role": "weights", "parts": parts}


def part(name: str, value: Any, is_size: bool = False) -> dict[str, Any]:
    return {"name": name, "value": str(value), "is_size": is_size}


def card(name: str, parent: str, branch: str, sees: str, layers: int, **more: Any) -> ModelCard:
    rows = [[int(sees != "the past" or key <= query) for key in range(4)] for query in range(4)]
    size = {
        "name": "base", "parameters": 1000 * layers, "published": 1000 * layers, "exact": True, "counts": "all",
        "organs": {"embeddings": 400 * layers, "attention": 600 * layers},
        "work": {"fixed": 1000, "once": 0, "growing": [[2 * layers, more.pop("reach", None)]]},
        "cache": {"fixed": 0, "once": 0, "growing": [] if sees == "all" else [[100, None]]},
    }  # fmt: skip
    sizes = [part("number of layers", layers, True), part("positions in a table", 512, True)]
    layer = [block("self-attention", "sees"), block("+"), block("norm", "norm")]
    stack = {"name": "encoder", "repeats": layers, "below": [block("token table")], "above": [], "layer": layer}
    given: dict[str, Any] = {
        "parts": [part("sees", sees), part("norm", "LayerNorm"), *sizes],
        "stacks": [stack],
        "sizes": [size, size | {"name": "large", "parameters": 5_000_000, "exact": False}],
        "masks": [{"name": "layer 0", "rows": rows}],
    }
    return ModelCard(name, 2000 + layers, parent, branch, "a change", **(given | more))


CARDS = [
    ModelCard("Old", 1999, "", "root", "no attention", note=EVIL),
    card("First", "Old", "root", "all", 1, paper="1234.56789", objectives=[("next token", "What comes *next*?")]),
    card("Reader", "First", "encoder", "all", 2),
    card("Writer", "First", "decoder", "the past", 4, reach=1000),
    card("Child", "Writer", "decoder", "the past", 5),
]


def model_run(name: str) -> ModelRun:
    if name == "Child":
        raise RuntimeError("out of memory")
    weights = [[[100, 155], [0, 255]], [[255, 0], [127, 128]]]
    drawn = {"queries": ["it", EVIL], "keys": ["it", EVIL], "weights": weights}
    maps = [{"label": f"layer {layer}", **drawn} for layer in (0, 1)]
    return ModelRun([["it", EVIL]], [("embeddings.output", "(1, 2, 8)")], maps)


def family_tree(**settings: Any) -> views.FamilyTree:
    given: dict[str, Any] = {"cards": CARDS, "runs": {"Reader": model_run("Reader")}, "run": model_run} | settings
    return views.FamilyTree(given.pop("cards"), given.pop("runs"), **{"chosen": "Reader"} | given)


def compare_models(**settings: Any) -> views.CompareModels:
    return views.CompareModels(CARDS, settings.pop("first", "Reader"), settings.pop("second", "Writer"), **settings)
