"""bertviz's views: offline, safe with any token, readable in both themes, and a sentence instead of a frozen page."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from measure import look_at
from on_page import OnPage, Show

from anatomy_course.views.bertviz.neurons import NEURON_MENDED, neuron_view
from anatomy_course.views.bertviz.view import BertvizView, head_view, model_view

pytest.importorskip("bertviz", reason="bertviz comes with the [lab] extra")

TOKENS = ["</script><script>parent.alert(1)</script>", "<!--", "😀", "שלום", "\u2028it", "street"]
View = Callable[..., BertvizView]
both = pytest.mark.parametrize("view", [head_view, model_view])


def some_weights(layers: int = 3, heads: int = 2, length: int = 6, batch: int = 1) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.softmax(torch.randn(batch, heads, length, length, generator=generator), -1) for _ in range(layers)]


def some_neurons(layers: int = 3, heads: int = 2, length: int = 6) -> dict[str, torch.Tensor]:
    seen = {f"layers.{i}.self_attention.weights": each for i, each in enumerate(some_weights(layers, heads, length))}
    for name in [f"layers.{i}.self_attention.{role}" for role in ("query", "key") for i in range(layers)]:
        seen[name] = torch.randn(1, heads, length, 5, generator=torch.Generator().manual_seed(int(name[7])))
    return seen


def data_of(view: BertvizView) -> Any:
    """The page's data; also: the page needs nothing from outside, and no token ends the script or the data."""
    page = view.page
    assert re.findall(r"<(?:script|link|img)\b[^<>]*(?:src|href)=|@import", page) == [] and "<script src" not in page
    assert "default-src 'none'" in page
    script = page[page.index("const params = ") + len("const params = ") :]
    assert "<!--" not in script and "</script>" not in script[: script.index("\n")]
    return json.JSONDecoder().raw_decode(script)[0]


@both
def test_the_weights_are_the_models_and_the_bundle_holds_the_picture_and_not_the_page(view: View) -> None:
    weights = some_weights()
    made = view(weights, TOKENS)
    attention = data_of(made)["attention"][0]
    assert torch.allclose(torch.tensor(attention["attn"]), torch.cat(weights), atol=5.1e-5)
    assert attention["left_text"] == TOKENS
    data, _ = made._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)
    assert "jQuery" not in json.dumps(data)


def test_what_watch_saw_a_sentence_layers_and_heads_can_be_chosen() -> None:
    weights = some_weights(layers=12, batch=2)
    seen = {f"layers.{i}.self_attention.weights": layer for i, layer in enumerate(weights)}
    seen |= {"layers.0.self_attention.scores": torch.zeros(1)}
    one = data_of(head_view(seen, TOKENS, sentence=1))["attention"]
    assert one == data_of(head_view([layer[1] for layer in weights], TOKENS))["attention"], "in the layers' order"
    made = data_of(model_view(some_weights(), TOKENS, layers=[2], heads=[1]))
    assert (made["include_layers"], made["include_heads"]) == ([2], [1])
    assert data_of(head_view(some_weights(), TOKENS, layer=2, heads=[1]))["heads"] == [1]
    assert "layer 2, every head" in head_view(some_weights(), TOKENS, layer=2).still_picture().alt
    assert "layer 0, every head" in model_view(some_weights(), TOKENS).still_picture().alt


@both
@pytest.mark.parametrize(
    ("weights", "tokens", "options", "sentence"),
    [
        (some_weights(length=33), ["t"] * 33, {}, "gets slow above 32 tokens, and here are 33"),
        (some_weights(), TOKENS[:5], {}, "5 tokens were given for weights with 6 query and 6 key positions"),
        (some_weights(), "a string", {}, "tokens is one string"),
        ({"layers.0.output": torch.zeros(1)}, TOKENS, {}, "No tensor named layers.*.self_attention.weights was seen"),
        ([], TOKENS, {}, "of no layer at all"),
        ([torch.zeros(6, 6)], TOKENS, {}, "(6, 6)"),
        (some_weights(), TOKENS, {"sentence": 1}, "sentence=1 was asked for"),
        (some_weights(), TOKENS, {"heads": [5]}, "weights have head 0 to 1"),
    ],
)
def test_what_cannot_be_shown_gets_one_sentence(
    view: View, weights: Any, tokens: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        view(weights, tokens, **options)
    assert "\n" not in str(error.value)


@both
def test_without_bertviz_one_sentence_names_the_cure(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bertviz", None)
    with pytest.raises(ImportError, match="pip install bertviz"):
        view(some_weights(), TOKENS)


def test_the_neuron_view_is_bertvizs_with_our_queries_and_keys() -> None:
    seen = some_neurons()
    made = neuron_view(seen, TOKENS, layer=2, head=1, word="street")
    data = data_of(made)
    assert (data["layer"], data["head"]) == (2, 1) and data["attention"]["all"]["left_text"] == TOKENS
    queries = torch.tensor(data["attention"]["all"]["queries"][2])
    assert torch.allclose(queries, seen["layers.2.self_attention.query"][0], atol=5.1e-3)
    assert 'data-query="5"' in made.page
    assert all(ours in made.page and theirs not in made.page for theirs, ours in NEURON_MENDED.items())
    assert "query of “street” × each key: 6 keys × 5 features" in made.still_picture().alt
    with pytest.raises(ValueError, match="head=2 was asked for; these weights have head 0 to 1"):
        neuron_view(seen, TOKENS, head=2)
    del seen["layers.1.self_attention.key"]
    with pytest.raises(ValueError, match="2 tensors named layers.*self_attention.key were seen"):
        neuron_view(seen, TOKENS)


def drawn(shown: OnPage) -> Any:
    frame = shown.page.frames[1]
    frame.wait_for_selector("svg")
    return frame


@both
def test_drawn_offline_and_readable_in_both_themes(show: Show, view: View) -> None:
    shown = show(view(some_weights(), TOKENS), theme="dark")
    frame = drawn(shown)
    assert frame.locator("line").count() >= 36
    assert shown.page.locator("iframe").get_attribute("title") == shown.widget.label
    for theme, ink in (("dark", "rgb(230, 232, 234)"), ("light", "rgb(27, 31, 35)")):
        shown.theme(theme)
        frame.wait_for_function("ink => getComputedStyle(document.querySelector('svg text')).fill === ink", arg=ink)


def test_twelve_heads_have_a_color_and_a_number_each_and_lines_that_show(show: Show) -> None:
    shown = show(head_view(some_weights(heads=12), TOKENS, layer=1))
    frame = drawn(shown)
    assert frame.locator("#layer").input_value() == "1"
    frame.locator("#layer").select_option("0")
    assert frame.locator("#left text").all_text_contents() == TOKENS
    assert shown.page.locator("iframe").bounding_box()["height"] >= 165
    squares = frame.locator("rect[aria-label^=head]")
    colors = squares.evaluate_all("all => all.map((node) => getComputedStyle(node).fill)")
    assert len(colors) == len(set(colors)) == 12
    assert frame.locator("text.head-number").all_text_contents() == [str(head) for head in range(12)]
    opacities = frame.locator("line").evaluate_all("all => all.map((n) => Number(n.getAttribute('stroke-opacity')))")
    assert max(opacities) == pytest.approx(float(some_weights(heads=12)[0].max()) / 12**0.5, abs=1e-3)
    squares.nth(3).click()
    assert frame.locator("text.head-number").count() == 12
    assert squares.nth(3).evaluate("node => getComputedStyle(node).fill") == "rgb(180, 185, 191)"


@pytest.mark.parametrize("width", [1000, 624, 326])
def test_the_model_view_fits_and_its_text_is_legible(show: Show, width: int) -> None:
    shown = show(model_view(some_weights(6, 12, 16), [f"w{i}" for i in range(16)]), size=(width, 900))
    drawn(shown)
    shown.page.wait_for_function("document.querySelector('iframe').clientHeight > 400")
    root: Any = shown.page.query_selector(".anatomy")
    seen = look_at(root, window=1440)
    assert seen.findings == [] and seen.height <= 700
