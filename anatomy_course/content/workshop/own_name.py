"""Notebook 10: the names of a published checkpoint as the learner's own."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written


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


PARTS = (
    *("input_layernorm", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"),
    *(f"self_attn.{letter}_proj" for letter in "qkvo"),
)
"""Of one layer, as they are published."""
OUTSIDE = ("model.embed_tokens.weight", "model.norm.weight")
FOREIGN = (
    *("transformer.h.{}.attn.c_attn.weight", "encoder.layer.{}.output.dense.weight"),
    *("model.layers.{}.mlp.fc1.weight", "encoder.layers.{}.self_attn.q_proj.weight"),
    *("model.layers.{}.cross_attn.q_proj.weight", "lm_head.weight", "layers.{}.mlp.up_proj.weight", "norm.weight"),
    *("language_model.model.layers.{}.mlp.up_proj.weight", "model.layers.{}.mlp.experts.up_proj.weight"),
)
"""Names of other models' tensors: GPT-2's, BERT's, Phi's, BART's, a head of its own, a bare Llama's, LLaVA's."""


def cases(generator: Generator) -> Cases:
    # Parts of a layer, under the module to which they do not belong.
    mixed = ("self_attn.up_proj", "self_attn.down_proj", "mlp.q_proj", "mlp.o_proj")
    low, high = (int(torch.randint(*ends, (1,), generator=generator)) for ends in ((2, 10), (11, 30)))
    for kind, names in (
        ("tensors of a layer", [f"model.layers.{low}.{part}.weight" for part in PARTS]),
        ("a layer of two digits", [f"model.layers.{high}.self_attn.q_proj.weight"]),
        ("the first layer", ["model.layers.0.mlp.down_proj.weight"]),
        ("tensors outside the layers", [*OUTSIDE]),
        ("names of other models", [name.format(low) for name in FOREIGN]),
        ("parts of the other module", [f"model.layers.{low}.{part}.weight" for part in mixed]),
        ("a layer without a part", [f"model.layers.{low}.weight"]),
        ("a bias", [f"model.layers.{low}.self_attn.q_proj.bias", "model.norm.bias"]),
        ("more after a known name", [f"model.layers.{low}.mlp.up_proj.weight.scale"]),
    ):
        yield from (Case({"published": name}, kind) for name in names)


def drive(answer: Callable[[str], object], published: str) -> tuple[Tensor, ...] | Objection:
    """1 where the name is right, or rightly refused; else what is off about it, in words."""
    try:
        wanted = own_name(published)
    except ValueError:
        return refusal(answer, published)
    found = answer(published)
    if found is None:
        return Objection("nothing", f"For {published!r} your function returns nothing (None); a name is wanted.")
    if not isinstance(found, str):
        return Objection("type", f"Your function returns a {type(found).__name__}; a name is wanted, as text.")
    if found == wanted:
        return (torch.ones(()),)
    layer = next((piece for piece in published.split(".") if piece.isdigit()), "0")
    names = [*OUTSIDE, *(f"model.layers.{layer}.{part}.weight" for part in PARTS)]
    other = next((name for name in names if own_name(name) == found), None)
    what = f"which belongs to {other!r}" if other else "which no parameter is called"
    return Objection("name", f"For {published!r} your function returns {found!r}, {what}.")


def refusal(answer: Callable[[str], object], published: str) -> tuple[Tensor, ...] | Objection:
    start = f"{published!r} is not the name of a tensor in this model; "
    try:
        found = answer(published)
    except ValueError:
        return (torch.ones(()),)
    except Exception as error:
        return Objection("error", f"{start}raise ValueError for it. Yours stops with {type(error).__name__}.")
    return Objection("not_refused", f"{start}raise ValueError for it. Yours returns {found!r}.")


EXERCISE = written(
    own_name,
    title="Their names, your names",
    task="Say which of your parameters a tensor of the checkpoint fills.",
    level="medium, 8 minutes",
    returns="names that are right",
    cases=cases,
    observe=drive,
    mistakes="""
    norms_swapped:
        "input_layernorm": "attention_norm" ⇒ "input_layernorm": "feed_forward_norm"
        "post_attention_layernorm": "feed_forward_norm" ⇒ "post_attention_layernorm": "attention_norm"
        “Your two norms have changed places: `input_layernorm` comes before attention, and `post_attention_layernorm`
        before the feed-forward network.”
    gate_and_inner:
        "mlp.gate_proj": "feed_forward.gate" ⇒ "mlp.gate_proj": "feed_forward.inner"
        "mlp.up_proj": "feed_forward.inner" ⇒ "mlp.up_proj": "feed_forward.gate"
        “`gate_proj` and `up_proj` have changed places. Both have the same shape, so no loading would complain.”
    query_and_key:
        "self_attn.q_proj": "attention.query" ⇒ "self_attn.q_proj": "attention.key"
        "self_attn.k_proj": "attention.key" ⇒ "self_attn.k_proj": "attention.query"
        “The names of query and key have changed places.”
    inner_and_output:
        "mlp.up_proj": "feed_forward.inner" ⇒ "mlp.up_proj": "feed_forward.output"
        "mlp.down_proj": "feed_forward.output" ⇒ "mlp.down_proj": "feed_forward.inner"
        “`up_proj` and `down_proj` have changed places: up goes from d_model to d_inner, down comes back.”
    no_weight: result.removesuffix(".weight")
        “Your names lack `.weight` at their end: you name modules, and the parameters in them are wanted.”
    first_digit: + pieces[2] ⇒ + pieces[2][0]
        “You read one digit of a layer's number: layer 12 becomes block 1.”
    from_one: + pieces[2] ⇒ + str(int(pieces[2]) + 1)
        “You count the blocks from 1; both sides count from 0.”
    layers: "blocks." ⇒ "layers."
        “Your names begin with `layers`; in your model the list of blocks is called `blocks`.”
    with_model: "model." + result
        “Your names begin with `model.`, as the published ones do; your model's own begin with its parts.”
    no_attention: result.replace("attention.", "").replace("feed_forward.", "")
        “Your names go from the block straight to the layers; between them is the part, `attention.` or
        `feed_forward.`.”
    nothing_refused: raise ValueError(published + " is not the name of a tensor in this model.") ⇒ return published
        “You return an unknown name as it is. Raise ValueError: a tensor with no place must not be dropped silently.”
    key_error: raise ValueError ⇒ raise KeyError
        “An unknown name stops your function with a KeyError; raise ValueError, and say which name it was.”
    looked_up_apart:
        pieces = published.split(".") ⇒
            pairs = [(theirs.split("."), ours.split(".")) for theirs, ours in parts.items() if "." in theirs]
            for (module, _), (part, _) in pairs:
                for (_, matrix), (_, name) in pairs:
                    parts[f"{module}.{matrix}"] = f"{part}.{name}"
            pieces = published.split(".")
        “Names that do not exist get an answer, such as `self_attn.up_proj`, as if module and matrix were looked up
        apart from each other. Look up the two together.”
    start_suffices:
        if published in ⇒
            published = published.replace(".bias", ".weight").partition(".weight")[0] + ".weight"
            if published in
        “You look at the beginning of a name only: a bias, or something after `.weight`, passes for the weight.”
    """,
    also_right=r"""
    by a pattern:
        pieces = ⇒
            import re
            found = re.fullmatch(r"model\.layers\.(\d+)\.(.+)\.weight", published)
            if found and found[2] in parts:
                return f"blocks.{found[1]}.{parts[found[2]]}.weight"
            pieces =
    by splitting:
        pieces = published.split(".") ⇒
            match published.split("."):
                case ["model", "layers", number, *part, "weight"] if ".".join(part) in parts:
                    return f"blocks.{number}.{parts['.'.join(part)]}.weight"
            pieces = []
    an f-string: "blocks." + pieces[2] + "." + parts[part] + ".weight" ⇒ f"blocks.{pieces[2]}.{parts[part]}.weight"
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
