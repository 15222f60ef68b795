"""Notebook 08: the names of a published checkpoint as the learner's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from anatomy_course.judge.definition import Case, Objection
from anatomy_course.judge.form import written


def own_name(published: str) -> str:
    """published, the name of a tensor in SmolLM2's checkpoint → the name of the parameter in your model.
    "model.embed_tokens.weight" is the table of `tokens`, "model.norm.weight" the norm after the last block.
    "model.layers.3.….weight" belongs to block 3, "blocks.3.….weight". In between, the published names have
    input_layernorm and post_attention_layernorm (before attention and before the feed-forward network:
    `attention_norm`, `feed_forward_norm`), self_attn.q_proj, k_proj, v_proj, o_proj (query, key, value, output of
    `attention`), mlp.gate_proj, up_proj, down_proj (gate, inner, output of `feed_forward`).
    Any other name, including one with another ending, raises ValueError.
    """
    parts = {
        "input_layernorm": "attention_norm",
        "self_attn.q_proj": "attention.query",
        "self_attn.k_proj": "attention.key",
        "self_attn.v_proj": "attention.value",
        "self_attn.o_proj": "attention.output",
        "post_attention_layernorm": "feed_forward_norm",
        "mlp.gate_proj": "feed_forward.gate",
        "mlp.up_proj": "feed_forward.inner",
        "mlp.down_proj": "feed_forward.output",
    }
    if published in ("model.embed_tokens.weight", "model.norm.weight"):
        return "tokens.weight" if "embed" in published else "norm.weight"
    pieces = published.split(".")
    part = ".".join(pieces[3:-1])
    if pieces[:2] != ["model", "layers"] or pieces[-1] != "weight" or part not in parts:
        raise ValueError(published + " is not the name of a tensor in this model.")
    return "blocks." + pieces[2] + "." + parts[part] + ".weight"


PARTS = {
    "input_layernorm": "attention_norm",
    "self_attn.q_proj": "attention.query",
    "self_attn.k_proj": "attention.key",
    "self_attn.v_proj": "attention.value",
    "self_attn.o_proj": "attention.output",
    "post_attention_layernorm": "feed_forward_norm",
    "mlp.gate_proj": "feed_forward.gate",
    "mlp.up_proj": "feed_forward.inner",
    "mlp.down_proj": "feed_forward.output",
}


"""Of one layer: published name → ours."""


OUTSIDE = {"model.embed_tokens.weight": "tokens.weight", "model.norm.weight": "norm.weight"}


FOREIGN = (
    *("transformer.h.{}.attn.c_attn.weight", "encoder.layer.{}.output.dense.weight"),
    *("model.layers.{}.mlp.fc1.weight", "encoder.layers.{}.self_attn.q_proj.weight"),
    *("model.layers.{}.cross_attn.q_proj.weight", "lm_head.weight", "layers.{}.mlp.up_proj.weight", "norm.weight"),
    *("language_model.model.layers.{}.mlp.up_proj.weight", "model.layers.{}.mlp.experts.up_proj.weight"),
)


"""Names of other models' tensors: GPT-2's, BERT's, Phi's, BART's, a head of its own, a bare Llama's, LLaVA's."""


MIXED = ("self_attn.up_proj", "self_attn.down_proj", "mlp.q_proj", "mlp.o_proj")


"""Parts of a layer, under the module to which they do not belong."""


def _own_name(published: str) -> str:
    if published in OUTSIDE:
        return OUTSIDE[published]
    match = re.fullmatch(r"model\.layers\.(\d+)\.(.+)\.weight", published)
    if match is None or match[2] not in PARTS:
        raise ValueError(f"{published} is not the name of a tensor in this model.")
    return f"blocks.{match[1]}.{PARTS[match[2]]}.weight"


def _names(published: str) -> list[str]:
    """The published names of the tensors outside the layers and of one layer: that of `published`, or else layer 0."""
    layer = next(iter(re.findall(r"\d+", published)), "0")
    return [*OUTSIDE, *(f"model.layers.{layer}.{part}.weight" for part in PARTS)]


def _drive(answer: Callable[[str], object], published: str) -> tuple[Tensor, ...] | Objection:
    """1 where the name is right; else what is off about it, in words."""
    try:
        wanted = _own_name(published)
    except ValueError:
        return _refusal(answer, published)
    found = answer(published)
    if isinstance(found, str) and found == wanted:
        return (torch.ones(()),)
    if found is None:
        return Objection("nothing", f"For {published!r} your function returns nothing (None); a name is wanted.")
    if not isinstance(found, str):
        return Objection("type", f"Your function returns a {type(found).__name__}; a name is wanted, as text.")
    other = next((name for name in _names(published) if _own_name(name) == found), None)
    what = f"which belongs to {other!r}" if other else "which no parameter is called"
    return Objection("name", f"For {published!r} your function returns {found!r}, {what}.")


def _refusal(answer: Callable[[str], object], published: str) -> tuple[Tensor, ...] | Objection:
    start = f"{published!r} is not the name of a tensor in this model; "
    try:
        found = answer(published)
    except ValueError:
        return (torch.ones(()),)
    except Exception as error:
        return Objection("error", f"{start}raise ValueError for it. Yours stops with {type(error).__name__}.")
    return Objection("not_refused", f"{start}raise ValueError for it. Yours returns {found!r}.")


def cases(generator: torch.Generator) -> Iterator[Case]:
    low, high = torch.randint(2, 10, (1,), generator=generator).item(), torch.randint(11, 30, (1,), generator=generator)
    for part in PARTS:
        yield Case({"published": f"model.layers.{low}.{part}.weight"}, "tensors of a layer")
    yield Case({"published": f"model.layers.{int(high)}.self_attn.q_proj.weight"}, "a layer of two digits")
    yield Case({"published": "model.layers.0.mlp.down_proj.weight"}, "the first layer")
    for published in OUTSIDE:
        yield Case({"published": published}, "tensors outside the layers")
    for foreign in FOREIGN:
        yield Case({"published": foreign.format(low)}, "names of other models")
    for part in MIXED:
        yield Case({"published": f"model.layers.{low}.{part}.weight"}, "parts of the other module")
    yield Case({"published": f"model.layers.{low}.weight"}, "a layer without a part")
    for bias in (f"model.layers.{low}.self_attn.q_proj.bias", "model.norm.bias"):
        yield Case({"published": bias}, "a bias")
    yield Case({"published": f"model.layers.{low}.mlp.up_proj.weight.scale"}, "more after a known name")


def _changing(change: Callable[[str, str], str]) -> Callable[[str], str]:
    """The right function, after which `change(name, published)` is made."""
    return lambda published: change(_own_name(published), published)


def _swapping(one: str, other: str) -> Callable[[str], str]:
    """The right function, after which two parts of names have changed places."""
    return _changing(lambda name, published: name.replace(one, "\0").replace(other, one).replace("\0", other))


def _only_first_digit(name: str, published: str) -> str:
    return re.sub(r"^blocks\.(\d)\d*", r"blocks.\1", name)


EXERCISE = written(
    own_name,
    title="Their names, your names",
    task="Say which of your parameters a tensor of the checkpoint fills.",
    level="medium, 8 minutes",
    returns="names that are right",
    cases=cases,
    observe=_drive,
    mistakes=r"""
    norms_swapped: _swapping(".attention_norm", ".feed_forward_norm")(published)
        “Your two norms have changed places: `input_layernorm` comes before attention, and `post_attention_layernorm`
        before the feed-forward network.”
    gate_and_inner: _swapping(".gate", ".inner")(published)
        “`gate_proj` and `up_proj` have changed places. Both have the same shape, so no loading would complain.”
    query_and_key: _swapping(".query", ".key")(published)
        “The names of query and key have changed places.”
    inner_and_output: _swapping("feed_forward.inner", "feed_forward.output")(published)
        “`up_proj` and `down_proj` have changed places: up goes from d_model to d_inner, down comes back.”
    no_weight: _changing(lambda name, published: name.removesuffix(".weight"))(published)
        “Your names lack `.weight` at their end: you name modules, and the parameters in them are wanted.”
    first_digit: _changing(_only_first_digit)(published)
        “You read one digit of a layer's number: layer 12 becomes block 1.”
    from_one:
        return _changing(lambda name, published: re.sub(r"\d+", lambda number: str(int(number[0]) + 1), name))(
            published
        )
        “You count the blocks from 1; both sides count from 0.”
    layers: _changing(lambda name, published: name.replace("blocks.", "layers."))(published)
        “Your names begin with `layers`; in your model the list of blocks is called `blocks`.”
    with_model: _changing(lambda name, published: f"model.{name}")(published)
        “Your names begin with `model.`, as the published ones do; your model's own begin with its parts.”
    no_attention:
        _changing(lambda name, published: name.replace("attention.", "").replace("feed_forward.", ""))(published)
        “Your names go from the block straight to the layers; between them is the part, `attention.` or
        `feed_forward.`.”
    nothing_refused:
        try:
            return _own_name(published)
        except ValueError:
            return published
        “You return an unknown name as it is. Raise ValueError: a tensor with no place must not be dropped silently.”
    key_error:
        try:
            return _own_name(published)
        except ValueError as error:
            raise KeyError(published) from error
        “An unknown name stops your function with a KeyError; raise ValueError, and say which name it was.”
    looked_up_apart:
        modules, matrices = (
            {theirs.split(".")[place]: ours.split(".")[place] for theirs, ours in PARTS.items() if "." in theirs}
            for place in (0, 1)
        )
        match = re.fullmatch(r"model\.layers\.(\d+)\.(\w+)\.(\w+)\.weight", published)
        if match is None or match[2] not in modules or match[3] not in matrices:
            return _own_name(published)
        return f"blocks.{match[1]}.{modules[match[2]]}.{matrices[match[3]]}.weight"
        “Names that do not exist get an answer, such as `self_attn.up_proj`, as if module and matrix were looked up
        apart from each other. Look up the two together.”
    start_suffices: _own_name(re.sub(r"\.(weight|bias).*", ".weight", published))
        “You look at the beginning of a name only: a bias, or something after `.weight`, passes for the weight.”
    """,
    also_right=r"""
    by replacing:
        name = published.removeprefix("model.").replace("layers.", "blocks.", 1).replace("embed_tokens", "tokens")
        for theirs, ours in PARTS.items():
            name = name.replace(theirs, ours)
        known = re.fullmatch(rf"(blocks\.\d+\.({'|'.join(map(re.escape, PARTS.values()))})|tokens|norm)\.weight", name)
        if not known or not published.startswith("model."):
            raise ValueError(published)
        return name
    by splitting:
        match published.split("."):
            case ["model", "embed_tokens" | "norm" as place, "weight"]:
                return "tokens.weight" if place == "embed_tokens" else "norm.weight"
            case ["model", "layers", number, *part, "weight"] if ".".join(part) in PARTS:
                return f"blocks.{number}.{PARTS['.'.join(part)]}.weight"
        raise ValueError(f"unknown: {published}")
    a whole table:
        table = {
            **OUTSIDE,
            **{
                f"model.layers.{layer}.{theirs}.weight": f"blocks.{layer}.{ours}.weight"
                for layer in range(100)
                for theirs, ours in PARTS.items()
            },
        }
        if published not in table:
            raise ValueError(published)
        return table[published]
    """,
    hints="""
    - Two names are outside the layers. All others have a prefix, a number and a part; a dictionary from their parts to
      yours holds what has to be known.
    - `published.split(".")` gives the pieces: "model", "layers", the number, the part in one or two pieces, "weight".
      What does not fit is unknown.
    - `parts = {"input_layernorm": "attention_norm", "self_attn.q_proj": "attention.query", …}`; the name is `"blocks."
      + number + "." + parts[part] + ".weight"`, once you know that `part` is in `parts`.
    """,
    explanation="""
    Names are all that a checkpoint says about what its numbers are for. Shapes catch some confusions, but not gate and
    inner, nor the two norms: those load without a complaint, and only a comparison of states finds them.
    """,
)
