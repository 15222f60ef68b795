"""The figures: shapes and limits drawn as given, words for every picture, colors apart, the same bytes twice."""

import importlib.util
import io
import json
import re
import subprocess
import sys
import warnings
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch
from PIL import Image

from anatomy_course.figures import canvas, cells, diagrams, palette, plots, style, transformer_layout
from anatomy_course.figures.style import PAGE, QUIET
from anatomy_course.page.notebooks import NOTEBOOKS
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.taxonomy import TREE

ROOT = Path(__file__).parents[3]
IMAGES = ROOT / "images"
WORDS = ["time", "flies", "like", "an", "arrow"]


@pytest.fixture
def weights():
    scores = np.random.default_rng(0).normal(size=(3, 5))
    exponents = np.exp(scores)
    return exponents / exponents.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def maker():
    found = importlib.util.spec_from_file_location("make_images", ROOT / "tools" / "images" / "make_images.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def texts(picture):
    own = [text.get_text() for text in picture.figure.texts]
    return own + [text.get_text() for axes in picture.figure.axes for text in axes.texts]


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


# ---- plots ----


def test_heatmap_prints_values_labels_and_shape(weights):
    words = texts(plots.heatmap(weights, WORDS[:3], WORDS, title="weights"))
    assert "(3 queries × 5 keys)" in words and "weights" in words
    assert f"{weights[2, 4]:.2f}" in words
    assert words.count("flies") == 2  # once as a row, once as a column


def test_limits_are_fixed_for_weights_centered_for_signed_values_and_shared(weights):
    assert cells.limit_of([weights], "weights") == (0, 1)
    assert cells.limit_of([np.array([[-3.0, 1.0]])], "signed") == (-3, 3)
    assert cells.limit_of([np.zeros((2, 2))], "signed") == (-1, 1)
    picture = plots.heatmaps([("small", weights), ("large", 4 * weights)], kind="signed")
    images = [image for axes in picture.figure.axes for image in axes.images if image.get_array().shape == (3, 5)]
    assert len(images) == 2 and len({image.get_clim() for image in images}) == 1
    for heights in ([0.1, 0.2, 0.1], [0.5, 0.4, 0.5]):
        picture = plots.lines([1, 2, 3], {"a": heights}, limits=(0, 0.6))
        assert picture.figure.axes[0].get_ylim() == (0, 0.6)


def test_numbers_in_cells_are_in_the_alt_text_row_by_row() -> None:
    maps = [("before", [[1, 2.5], [3, 99.75]]), ("after", [[0, 1], [-np.inf, 4]])]
    told = plots.heatmaps(maps, ["noun", "it"], range(2), axes=("word", "seed"), values=True, limit=100).alt
    assert told.endswith(
        "before (2 words × seed 2): noun 1.0 2.5, it 3.0 99.8; after (2 words × seed 2): noun 0.0 1.0, it −∞ 4.0."
    )
    assert "99.8" not in plots.heatmaps(maps, limit=100).alt


def test_masked_cells_are_hatched_and_named(weights):
    mask = np.ones((3, 5), bool)
    assert not any("masked" in word for word in texts(plots.heatmap(weights, mask=mask)))
    mask[0, 3:] = False
    picture = plots.heatmap(weights, mask=mask)
    assert any("masked" in word for word in texts(picture))
    assert [patch for axes in picture.figure.axes for patch in axes.patches if patch.get_hatch()]
    words = texts(plots.heatmap([[1.0, -np.inf], [np.nan, 2.0]], kind="signed"))
    assert "NaN" in words and any("masked" in word for word in words), "minus infinity counts as masked"
    assert "no cell may be attended to" in plots.heatmap([[-np.inf, -np.inf]]).alt


def word_steps():
    """Attention of 3 words with d_head 4 and d_value 5."""
    query, key, value = (np.random.default_rng(seed).normal(size=(3, size)) for seed, size in enumerate((4, 4, 5)))
    scores = query @ key.T / 2
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    steps = {"query": query, "key": key, "value": value, "scores": scores, "weights": weights}
    return steps | {"context": weights @ value}


def test_word_steps_prints_scores_scaled_scores_and_weights_of_that_word_alone():
    steps = word_steps()
    picture = plots.word_steps(WORDS[:3], steps, 1, title="flies")
    words = texts(picture)
    assert [f"{n} {name}" in words for n, name in enumerate(("Project", "Score", "Scale", "Softmax", "Weigh"), 1)]
    for j in range(3):
        for value, digits in ((2 * steps["scores"][1, j], 1), (steps["scores"][1, j], 1), (steps["weights"][1, j], 2)):
            assert canvas.number(float(value), digits) in words
    assert "6 Sum: the new vector of flies" in words
    assert canvas.number(float(steps["weights"][1].max())) in picture.alt
    shapes = sorted(image.get_array().shape for axes in picture.figure.axes for image in axes.images)
    assert shapes == sorted([(3, 4), (3, 5), (3, 5), (1, 4), (1, 5), *[(1, 128)] * 3])


def test_lists_arrays_and_tensors_are_accepted(weights):
    wanted = pixels(plots.heatmap(weights).png)
    for given in (weights.tolist(), torch.tensor(weights, requires_grad=True)):
        assert np.array_equal(pixels(plots.heatmap(given).png), wanted)
    assert plots.heatmap(torch.tensor(weights).bfloat16()).figure is not None


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.heatmap([1.0, 2.0]), r"shape \(2,\); it must have two axes"),
        (lambda: plots.heatmap(np.zeros((2, 3, 4))), r"shape \(2, 3, 4\)"),
        (lambda: plots.heatmap([[1.0], [1.0, 2.0]]), "no rectangular block"),
        (lambda: plots.heatmap([["a"]]), "no rectangular block"),
        (lambda: plots.heatmap(np.zeros((0, 3))), "holds no number"),
        (lambda: plots.heatmap(np.eye(3), ["a", "b"]), "2 row labels for 3 rows"),
        (lambda: plots.heatmap(np.eye(3), mask=np.ones((2, 2))), r"mask has shape \(2, 2\)"),
        (lambda: plots.heatmaps([]), "no matrix"),
        (lambda: plots.lines([1, 2], {}), "0 series"),
        (lambda: plots.lines([1, 2], {"a": [1, 2, 3]}), "'a' has 3 points and x has 2"),
        (lambda: plots.bars(["a"], [1, 2]), "1 bar labels for 2 bars"),
        (lambda: plots.scatter_words([[1, 2, 3]], ["a"]), "exactly two numbers"),
        (lambda: plots.scatter_words([[1, 2]], ["a"], groups=["colorful"]), "no role 'colorful'"),
        (lambda: plots.strips(np.zeros((2, 2, 2))), r"shape \(2, 2, 2\)"),
        (lambda: diagrams.where_are_we("99_nowhere"), "no notebook '99_nowhere'"),
        (lambda: diagrams.six_steps(WORDS, {}), "lack query"),
        (lambda: plots.word_steps(WORDS[:3], {}, 0), "lack query"),
        (lambda: plots.word_steps(WORDS[:3], word_steps(), 3), "3 words, weights .3, 3. and query 3"),
        (lambda: diagrams.encoder_stack(99), "2 to 12 layers"),
    ],
)
def test_wrong_input_gets_one_sentence(draw, message):
    with pytest.raises(ValueError, match=message) as caught:
        draw()
    assert "\n" not in str(caught.value)


def test_strange_words_are_drawn_without_a_warning(weights):
    strange = ["$x$", "<script>", "😀🏽", "שלום", "a" * 90]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = plots.heatmap(np.full((5, 5), 0.2), strange, strange)
        plots.bars(strange, np.ones(5))
        plots.scatter_words(np.eye(5)[:, :2], strange)
    assert "a" * 90 not in texts(picture) and "$x$" in texts(picture)


def test_lines_differ_in_marker_and_dash_and_carry_their_names():
    picture = plots.lines([16, 32, 64], {"explicit": [1, 2, 4], "fused": [1, 1.1, 1.2]}, xlabel="positions", log="xy")
    one, two = picture.figure.axes[0].lines
    assert one.get_marker() != two.get_marker() and one.get_linestyle() != two.get_linestyle()
    assert {"explicit", "fused"} <= set(texts(picture))
    assert [label.get_text() for label in picture.figure.axes[0].get_xticklabels()] == ["16", "32", "64"]


def test_line_names_never_touch():
    picture = plots.lines([0, 1], {name: [0, 1] for name in ("a", "b", "c", "d")})
    heights = sorted(text.get_position()[1] * 320 for text in picture.figure.texts if len(text.get_text()) == 1)
    assert min(b - a for a, b in pairwise(heights)) > 14


def test_bars_print_their_values():
    assert {"0.25", "−0.50"} <= set(texts(plots.bars(["a", "b"], [0.25, -0.5])))


def test_strips_take_one_vector_or_several():
    assert "(1 position × d_model 4)" in texts(plots.strips(torch.zeros(4)))
    assert "(2 positions × d_model 4)" in texts(plots.strips(np.ones((2, 4)), ["a", "b"]))


def test_much_stays_within_the_page():
    steps = {name: np.zeros((32, 32 if name in ("scores", "weights") else 2)) for name in word_steps()}
    assert plots.word_steps(["very long words indeed"] * 32, steps, 31).width <= 720
    assert plots.heatmap(np.full((256, 256), 1 / 256), ["word"] * 256, ["word"] * 256).width <= 720
    assert plots.heatmaps([(str(i), np.eye(64)) for i in range(12)]).width <= 720


# ---- pictures ----


def test_a_picture_offers_html_with_alt_text_png_and_plain_text(weights):
    picture = plots.heatmap(weights, alt='weights of "time" & co')
    bundle = picture._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/png", "text/plain"}
    assert 'alt="weights of &quot;time&quot; &amp; co"' in str(bundle["text/html"])
    assert bundle["text/plain"] == picture.alt
    assert picture.png.startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="no alt text"), style.look():
        canvas.finish(canvas.page(10, 10), " ")


def test_a_picture_is_saved_in_three_forms(weights, tmp_path):
    shown = plots.heatmap(weights)
    for name, begins in (("a.svg", b"<svg"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG")):
        shown.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)
    with pytest.raises(ValueError, match=r"saved as 'a.gif'; end the name with .svg, .pdf or .png"):
        shown.save("a.gif")


def test_the_same_call_gives_the_same_bytes_whatever_the_readers_own_settings(weights):
    one, two = (plots.heatmap(weights, WORDS[:3], WORDS) for _ in range(2))
    assert one.png == two.png and one.svg() == two.svg()
    plain = plots.lines([1, 2], {"a": [1, 2]}).png
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.facecolor": "black"}):
        assert plots.lines([1, 2], {"a": [1, 2]}).png == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_importing_loads_no_matplotlib_and_drawing_neither_pyplot_nor_torch():
    code = "import sys; from anatomy_course.figures import plots, diagrams, transformer_layout; "
    code += "print('matplotlib' in sys.modules); plots.heatmap([[1.0]]); diagrams.transformer(); "
    code += "print([m for m in ('matplotlib.pyplot', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["False", "[]"]


# ---- colors ----


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_color_has_contrast_on_its_page(theme):
    named = palette.ROLES | {"ink": palette.INK, "pass": palette.PASS, "fail": palette.FAIL}
    low = {n: canvas.contrast(getattr(c, theme), getattr(palette.PAGE, theme)) for n, c in named.items()}
    low["quiet"] = canvas.contrast(QUIET, PAGE)
    assert min(low.values()) >= 4.5, low


SIGHT = {
    "full": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
"""Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB."""


def lab(color, sight):
    rgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(SIGHT[sight]) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    x, y, z = (np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_roles_stay_apart_for_every_eye(theme, sight):
    """Ten units of CIELAB are about four times the difference one can just see side by side."""
    for (one, a), (other, b) in combinations(palette.ROLES.items(), 2):
        apart = float(np.linalg.norm(lab(getattr(a, theme), sight) - lab(getattr(b, theme), sight)))
        assert apart >= 10, f"{one} and {other}: {apart:.1f}"


def test_the_sequential_map_grows_darker_and_the_diverging_one_is_palest_at_zero():
    weights = [canvas.luminance(tuple(c)) for c in canvas.colors("weights")(np.linspace(0, 1, 21))[:, :3]]
    assert all(b < a for a, b in pairwise(weights))
    signed = [canvas.luminance(tuple(c)) for c in canvas.colors("signed")(np.linspace(0, 1, 21))[:, :3]]
    assert int(np.argmax(signed)) == 10


def test_css_variables_name_every_role():
    css = palette.css_variables()
    for name, color in palette.ROLES.items():
        assert f"--{name.replace('_', '-')}: {color.light};" in css and color.dark in css


# ---- the map and the diagrams ----


def test_the_map_is_whole():
    parts = {part.id: part for part in transformer_layout.parts()}
    assert len(parts) == len(transformer_layout.parts())
    for part in parts.values():
        assert part.x >= 0 and part.x + part.width <= transformer_layout.WIDTH
        assert part.y >= 0 and part.y + part.height <= transformer_layout.HEIGHT
        assert part.role in {*palette.ROLES, "ink"}
        assert re.fullmatch(r"0[1-6]_[a-z_]+", part.notebook) and part.section and part.shape_in and part.shape_out
        assert len(re.findall(r"[.:!?](?= [A-Z0-9]|$)", part.text)) == 2, part.text
    for a, b in combinations([part for part in parts.values() if not part.frame], 2):
        apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
        assert apart, f"{a.id} and {b.id}"


def test_arrows_end_where_their_part_is():
    parts, arrows = {part.id: part for part in transformer_layout.parts()}, transformer_layout.arrows()
    for arrow in arrows:
        assert {arrow.start, arrow.end} <= set(parts)
        assert len(arrow.points) >= 2
        if not arrow.start.endswith("positions"):  # these end in a sum
            part, (x, y) = parts[arrow.end], arrow.points[-1]
            assert part.x - 62 <= x <= part.x + part.width + 1 and part.y <= y <= part.y + part.height, arrow
    assert [arrow.kind for arrow in arrows].count("residual") == 5
    memory = [(arrow.start, arrow.end) for arrow in arrows if arrow.kind == "memory"]
    assert memory == [("memory", "cross_attention")]


def test_sections_of_the_map_exist_in_the_notebooks():
    for part in transformer_layout.parts():
        notebook = json.loads((ROOT / "notebooks" / f"{part.notebook}.ipynb").read_text(encoding="utf-8"))
        told = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
        assert any(line.startswith("#") and part.section in line for line in told.splitlines()), part


def test_the_drawn_map_names_every_part():
    words = texts(diagrams.transformer_map())
    for part in transformer_layout.parts():
        assert part.label in words
    taught = texts(diagrams.transformer("03_encoder"))
    assert "▸ feed-forward" in taught and "▸ cross-attention" not in taught


def test_every_notebook_has_its_place_on_the_strip():
    for each in NOTEBOOKS:
        assert f"notebook {int(each.file[:2])} of" in diagrams.where_are_we(each.file).alt


def test_the_family_tree_names_every_model_with_its_change():
    picture = diagrams.family_tree(TREE)
    drawn = texts(picture)
    for model in TREE:
        assert any(model.name in words for words in drawn)
        assert any(model.change in words for words in drawn)
        assert model.name in picture.alt


def test_a_grid_of_parts_names_models_and_parts_and_who_was_first():
    table = [[False, True], [True, True], [True, False]]
    picture = diagrams.part_grid(TREE[2:5], ["window", "gate"], table)
    assert {*(model.name for model in TREE[2:5]), "window", "gate"} <= set(texts(picture))
    assert f"window: {TREE[3].name}; gate: {TREE[2].name}." in picture.alt
    with pytest.raises(ValueError, match=r"The table is \(3, 2\), but there are 3 models and 1 parts"):
        diagrams.part_grid(TREE[2:5], ["window"], table)


def test_six_steps_show_the_numbers_of_the_package(maker):
    chance = torch.Generator().manual_seed(17)
    hidden_states = torch.randn(5, maker.D_MODEL, generator=chance, dtype=torch.float64)
    weight = torch.randn(3, maker.D_MODEL, maker.D_HEAD, generator=chance, dtype=torch.float64) / 2
    weights = scaled_dot_product_attention(*(hidden_states @ part for part in weight)).weights[1]
    assert {f"{number:.2f}" for number in weights.tolist()} <= set(texts(maker.six_steps()))


# ---- images/ ----


def test_every_picture_has_its_files_and_its_words(maker):
    told = json.loads((IMAGES / maker.LIST).read_text(encoding="utf-8"))
    assert list(told) == list(maker.PICTURES)
    assert {path.stem for path in IMAGES.glob("*.png")} == set(told) == {path.stem for path in IMAGES.glob("*.svg")}
    for name, alt in told.items():
        assert len(alt) > 40
        assert (IMAGES / f"{name}.png").stat().st_size < 150_000
        text = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
        assert "<title>" in text and 'role="img"' in text, "SVG files carry their words"
        assert "<script" not in text and "<dc:date>" not in text, "and nothing foreign"
        assert len(text) < (230_000 if name == "family_tree" else 200_000), "45 models take more"


def test_drawing_again_changes_nothing(maker, tmp_path):
    """Equal words; equal dots where the drawing library is the one the pictures were made with."""
    maker.draw_all(tmp_path)
    old, new = ((folder / maker.LIST).read_text(encoding="utf-8") for folder in (IMAGES, tmp_path))
    assert old == new, "images/ is out of date; run `make images`"
    pinned = re.search(r"^matplotlib==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    if not pinned or pinned[1] != matplotlib.__version__:
        pytest.skip(f"the pictures are drawn with the pinned matplotlib, this is {matplotlib.__version__}")
    for name in maker.PICTURES:
        old, new = (pixels((folder / f"{name}.png").read_bytes()) for folder in (IMAGES, tmp_path))
        assert old.shape == new.shape, name
        assert np.abs(old.astype(int) - new).mean() < 0.05, f"images/{name}.png is out of date; run `make images`"
