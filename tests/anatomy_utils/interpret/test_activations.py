"""What the notebooks ask of a running encoder, and the code and costs they show."""

import pytest
import torch
from torch.nn import functional as F

from anatomy_course import views
from anatomy_course.lab.experiments import attention_cost
from anatomy_course.page.source import show_source
from anatomy_utils import pretrained
from anatomy_utils.functional import attention
from anatomy_utils.interpret import activations
from anatomy_utils.nn.attention import MultiHeadAttention


@pytest.fixture(scope="module")
def minilm():
    return pretrained.load("minilm")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", [3, ["a", "b"], " "])
def test_what_is_no_text_gets_one_sentence_in_every_view_of_an_encoder(minilm, text):
    of_weights = views.attention_viewer, views.attention_stepper, views.mask_painter, views.head_board
    for view in (*of_weights, views.block_stepper):
        with pytest.raises(ValueError, match=r"Give one text, such as|The text is empty"):
            view(*minilm, text)
    if not isinstance(text, list):
        with pytest.raises(ValueError, match="Give a list of sentences"):
            views.nearest_words(*minilm, text)


def test_a_word_has_one_vector_in_the_table_and_another_in_every_sentence(minilm):
    time, fruit = (activations.word_states(*minilm, f"{word} flies like this", "flies") for word in ("time", "fruit"))
    assert time.shape == (7, 384)
    assert torch.equal(time[0], fruit[0])
    assert not torch.allclose(time[6], fruit[6], atol=0.1)


def test_closeness_is_the_cosine_layer_by_layer(minilm):
    similarities = activations.word_similarity(*minilm, "An apple a day", "apple", ["banana", "apple"])
    assert list(similarities) == ["banana", "apple"]
    assert similarities["apple"][0] == pytest.approx(1.0)  # the same row of the table
    by_hand = F.cosine_similarity(
        activations.word_states(*minilm, "An apple a day", "apple")[4],
        activations.word_states(*minilm, "banana", "banana")[4],
        dim=0,
    )
    assert similarities["banana"][4] == pytest.approx(by_hand.item())


def test_probes_name_bad_input_and_bare_vectors_have_length_one(minilm):
    with pytest.raises(ValueError, match="no token 'zebra'"):
        activations.word_states(*minilm, "An apple", "zebra")
    with pytest.raises(ValueError, match="empty"):
        activations.read_activations(*minilm, "  ")
    with pytest.raises(ValueError, match="'anatomized' is cut into"):
        activations.unit_embeddings(*minilm, ["anatomized"])
    torch.testing.assert_close(activations.unit_embeddings(*minilm, ["flies", "bees"]).norm(dim=-1), torch.ones(2))
    with pytest.raises(ValueError, match="502 positions|ends at 512"):
        activations.read_activations(*minilm, "word " * 700)


def test_show_source_leaves_the_docstrings_out():
    shown = show_source(attention.scaled_dot_product_attention)
    assert shown.code.startswith("def scaled_dot_product_attention(")
    assert shown.code.endswith("return Attended(weighted_average(weights, value), weights)")
    assert "Vaswani" not in shown.code
    assert shown._repr_markdown_().startswith("```python\n")
    assert "Vaswani" not in show_source(MultiHeadAttention).code
    with pytest.raises(ValueError, match="no Python source"):
        show_source(len)


def test_attention_costs_count_the_square():
    costs = attention_cost.attention_costs([512, 1024], num_heads=2, d_head=16, repeats=1)
    explicit, fused = ([cost.largest for cost in costs[kind]] for kind in ("explicit", "fused"))
    assert explicit == [2 * 512 * 512 * 4, 2 * 1024 * 1024 * 4]
    assert fused == [2 * 512 * 16 * 4, 2 * 1024 * 16 * 4]
    assert all(cost.seconds > 0 for cost in costs["explicit"])


def test_views_hand_over_real_tensors(minilm):
    _, seen = activations.read_activations(*minilm, "time flies")
    viewer = views.attention_viewer(*minilm, "time flies", layer=3, head=1)
    assert viewer.shape == [6, 12, 4, 4]
    weights = seen["layers.3.self_attention.weights"][0, 1].numpy()
    assert abs(viewer.shown - weights).max() <= 0.5 / 255 + 1e-6
    painter = views.mask_painter(*minilm, "time flies", layer=2, head=5)
    assert painter.tokens == ["[CLS]", "time", "flies", "[SEP]"]
    mixer = views.mixer(*minilm, ["time", "flies"], focus="flies", towards=("bees", "travels"))
    assert mixer.words == ["time", "flies"]
