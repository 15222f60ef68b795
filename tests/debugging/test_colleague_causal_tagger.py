"""The case of notebook 06, and the functions that it teaches against the models that have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from unchecked import unchecked

from anatomy_utils.debugging.colleague import causal_tagger
from anatomy_utils.exercises import find_exercise, solution_source
from anatomy_utils.functional import costs
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import ParallelLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.relative_positions import DisentangledPositions
from anatomy_utils.recipes.encoder_tasks import small_encoder
from anatomy_utils.toy_language.sampling import sample_scenes
from anatomy_utils.zoo.albert import AlbertConfig, albert
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head


def solution(id: str) -> Callable[..., Any]:
    namespace = {"torch": torch, "Tensor": Tensor, "exercise": lambda id: lambda function: function}
    exec(solution_source(id), namespace)
    return namespace[find_exercise(id).function_name]


def both(name: str) -> list[Callable[..., Any]]:
    """The package's function and the exercise's solution."""
    return [find_exercise(f"taxonomy.{name}").resolve(), solution(f"taxonomy.{name}")]


def size(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


# ---- what is taught, against the models ----


@pytest.mark.parametrize("depth", [1, 3])
def test_counts_are_those_of_the_models(depth: int) -> None:
    with torch.device("meta"):
        wide = bert(BertConfig(97, 30, depth, 5, 41, 11))
        narrow = albert(AlbertConfig(97, 7, 30, depth, num_heads=5, d_ff=41, max_positions=11))
        layer = size(wide.layers[0])
    for count in both("encoder_parameters"):
        own, shared = count(torch.tensor([depth]), 97 + 11 + 2, 7, 30, layer)
        assert (own.item(), shared.item()) == (size(wide), size(narrow))


def test_the_published_counts() -> None:
    own, shared = costs.encoder_parameters(torch.tensor([12]), 30522 + 512 + 2, 128, 768, 7_087_872)
    assert own.item() + 768 * 769 == 109_482_240, "BERT-base with the layer on top"
    shared = costs.encoder_parameters(torch.tensor([12]), 30000 + 512 + 2, 128, 768, 7_087_872).shared
    assert shared.item() + 768 * 769 == 11_683_584, "ALBERT-base with the layer on top"


def test_scores_are_those_of_deberta() -> None:
    generator = torch.Generator().manual_seed(0)
    query, key = torch.randn(2, 2, 3, 7, 5, generator=generator)
    table = torch.randn(8, 15, generator=generator)
    to_query, to_key = nn.Linear(15, 15), nn.Linear(15, 15)
    positions = DisentangledPositions(lambda offset: offset.clamp(-4, 3) + 4, lambda: table, to_query, to_key, 3)
    places = torch.arange(7)
    rows = (places[:, None] - places).clamp(-4, 3) + 4
    tables = [part(table).unflatten(-1, (3, 5)).transpose(0, 1).expand(2, -1, -1, -1) for part in (to_query, to_key)]
    wanted = positions(query, key) + query @ key.mT / 15**0.5
    for scores in both("disentangled_scores"):
        torch.testing.assert_close(scores(query, key, *tables, rows), wanted)


def test_the_layer_is_that_of_gpt_j() -> None:
    layer = ParallelLayer(MultiHeadAttention(15, 3), FeedForward(15, 11), norm=LayerNorm(15))
    states = torch.randn(2, 7, 15, generator=torch.Generator().manual_seed(0))
    for function in both("parallel_layer"):
        made = function(
            states,
            lambda x: layer.self_attention(x, causal=True),
            layer.feed_forward,
            layer.self_attention_norms.before,
        )
        torch.testing.assert_close(made, layer(states))


def test_bytes_are_those_of_a_cache() -> None:
    model = with_head(Gpt2Config(53, 15, 2, 3, 11, d_ff=7), "LMHeadModel")
    assert isinstance(model, LanguageModel)
    with torch.no_grad():
        _, cache = model.step(torch.ones(1, 5, dtype=torch.long), model.start(1, 11))
    for count in both("cache_bytes"):
        assert count(torch.tensor([5, 90]), 2, 3, 5, 7, 4).tolist() == [cache.bytes, cache.bytes // 5 * 7]


def test_the_loss_is_torchs_divergence() -> None:
    student, teacher = torch.randn(2, 3, 5, 7, generator=torch.Generator().manual_seed(0))
    log_student, soft = (student.flatten(0, -2) / 3).log_softmax(-1), (teacher.flatten(0, -2) / 3).softmax(-1)
    theirs = F.kl_div(log_student, soft, reduction="batchmean")
    for loss in both("soft_loss"):
        torch.testing.assert_close(loss(student, teacher, 3.0), 9 * theirs)


def test_hiding_a_word_of_a_model_moves_its_output() -> None:
    torch.manual_seed(0)
    body = small_encoder().eval()
    ids = torch.tensor([[5, 9, 7, 30, 11]])

    @torch.no_grad()
    def read(attention_mask: Tensor) -> Tensor:
        return body(ids.expand(len(attention_mask), -1), attention_mask)[:, 2]

    with torch.no_grad():
        shorter = torch.stack([body(ids, (torch.arange(5) != place).long()[None])[0, 2] for place in range(5)])
    wanted = (shorter - read(torch.ones(1, 5, dtype=torch.long))).norm(dim=-1)
    for effects in both("leave_one_out"):
        torch.testing.assert_close(effects(read, 5), wanted)
        assert (wanted > 0.01).all()


# ---- the case ----


@pytest.fixture(scope="module")
def taggers() -> dict[str, causal_tagger.Tagger]:
    """Pretraining is cut short: what is shown does not hang on it. Types are checked in the short training below."""
    with pytest.MonkeyPatch.context() as patch, unchecked():
        patch.setattr(causal_tagger, "PRETRAINING", 10)
        patch.setattr(causal_tagger, "FINE_TUNING", 130)
        return {
            "patient": causal_tagger.colleagues_tagger(),
            "healthy": causal_tagger.healthy_tagger(),
            "repaired": causal_tagger.colleagues_tagger(solution("taxonomy.repair")),
        }


@pytest.mark.usefixtures("unchecked")
def test_the_patient_is_wrong_where_a_tag_hangs_on_what_comes_after(taggers: dict[str, causal_tagger.Tagger]) -> None:
    scenes = sample_scenes(200, torch.Generator().manual_seed(3), "test")
    shares = {
        name: {kind: right / total for kind, (right, total) in causal_tagger.right_by_kind(each, scenes).items()}
        for name, each in taggers.items()
    }
    for name in ("healthy", "repaired"):
        assert min(shares[name].values()) > 0.9, f"{name}: {shares[name]}"
    patient = shares["patient"]
    assert min(patient["nouns"], patient["other words"]) > 0.97
    assert 0.4 < patient["it"] < 0.6 and 0.6 < patient["adjectives beside a noun"] < 0.9


def test_the_patients_share_is_that_of_a_guess(taggers: dict[str, causal_tagger.Tagger], unchecked: None) -> None:
    scenes = sample_scenes(causal_tagger.SENTENCES, torch.Generator().manual_seed(9), "test")
    found, guessed = (
        causal_tagger.right_by_kind(taggers["patient"], scenes),
        causal_tagger.best_guess_from_words_before(),
    )
    assert guessed.keys() == {"adjectives beside a noun", "it"}
    for kind, share in guessed.items():
        right, total = found[kind]
        assert right / total == pytest.approx(share, abs=0.08)


def test_what_moves(taggers: dict[str, causal_tagger.Tagger]) -> None:
    sentence = "The old animal didn't cross the street because it was too tired."
    for name, nothing_moves in (("patient", 11), ("healthy", 0), ("repaired", 0)):
        moves = [
            move
            for _, move in causal_tagger.words_that_change(taggers[name], sentence, sentence.replace("tired", "wide"))
        ]
        assert moves == [False] * nothing_moves + [True] * (13 - nothing_moves)
    words, moves = zip(
        *causal_tagger.words_that_change(taggers["patient"], sentence, sentence.replace("animal", "horse")), strict=True
    )
    assert words[2] == "animal" and moves == (False, False, *[True] * 11)
    with pytest.raises(ValueError, match="13 and 12 words"):
        causal_tagger.words_that_change(taggers["patient"], sentence, sentence.replace("old ", ""))


def test_the_symptoms(taggers: dict[str, causal_tagger.Tagger], unchecked: None) -> None:
    text = causal_tagger.symptoms_of_causal_tagger(taggers["patient"], taggers["healthy"]).text
    lines = [line.strip() for line in text.splitlines()]
    assert any(line.startswith("another reason") and line.endswith("0 of 200 pairs") for line in lines)
    parameters = lines[-1].split()
    assert parameters[0] == "parameters" and parameters[1] == parameters[2]


def test_a_training_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal_tagger, "PRETRAINING", 2)
    monkeypatch.setattr(causal_tagger, "FINE_TUNING", 3)
    one, other = (causal_tagger.colleagues_tagger(seed=4).history.loss for _ in range(2))
    assert one == other and len(one) == 3
