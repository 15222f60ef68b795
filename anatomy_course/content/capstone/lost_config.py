"""Notebook 09: what the names and shapes of a checkpoint say about a lost configuration."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, primes, written


def lost_config(shapes) -> dict:
    """shapes: published name of a tensor → its shape, {"model.norm.weight": (576,), …}, in any order.
    A Linear's weight is (output, input) → the config's entries, whole numbers or True and False:
    num_layers, d_model, d_ff, vocab_size; tied: one table serves both ends and is in the file once;
    qk_norm: there is a self_attn.q_norm; kv_width: all heads' keys side by side; d_head: the width
    that q_norm has; num_heads. The last two are None where no shape says them.
    """
    vocab_size, d_model = shapes["model.embed_tokens.weight"]
    in_first_layer = "model.layers.0."
    d_head = shapes.get(in_first_layer + "self_attn.q_norm.weight", (None,))[0]
    query_width = shapes[in_first_layer + "self_attn.q_proj.weight"][0]
    return {
        "num_layers": len({name.split(".")[2] for name in shapes if name.startswith("model.layers.")}),
        "d_model": d_model,
        "d_ff": shapes[in_first_layer + "mlp.gate_proj.weight"][0],
        "vocab_size": vocab_size,
        "tied": "lm_head.weight" not in shapes,
        "qk_norm": d_head is not None,
        "kv_width": shapes[in_first_layer + "self_attn.k_proj.weight"][0],
        "d_head": d_head,
        "num_heads": None if d_head is None else query_width // d_head,
    }


KINDS = {
    "a tied table": (True, False, 1),
    "an output matrix of its own": (False, False, 3),
    "QK norm": (False, True, 2),
    "a tied table and QK norm": (True, True, 5),
}
"""What there is → whether it is tied, whether it has QK norm, and how many queries' heads share one of keys."""


def cases(generator: Generator) -> Cases:
    for kind, (tied, qk_norm, shared_by) in KINDS.items():
        layers, d_ff, vocabulary, half_head = primes(generator, 4, (11, 13, 17, 19, 23))
        kv_heads, d_head = 2 + int(torch.randint(3, (), generator=generator)), 2 * half_head
        query_width = kv_heads * shared_by * d_head
        d_model = query_width + (d_head if qk_norm else 0)  # heads need not be as wide together as d_model
        one = one_layer(d_model, query_width, kv_heads * d_head, d_ff, d_head if qk_norm else None)
        shapes = {"model.embed_tokens.weight": (2 * vocabulary, d_model), "model.norm.weight": (d_model,)}
        for layer in range(layers):
            shapes |= {f"model.layers.{layer}.{name}.weight": shape for name, shape in one.items()}
        if not tied:
            shapes["lm_head.weight"] = shapes["model.embed_tokens.weight"]
        names = list(shapes)
        order = torch.randperm(len(names), generator=generator).tolist()
        yield Case({"shapes": {names[place]: shapes[names[place]] for place in order}}, kind)


def one_layer(
    d_model: int, query_width: int, kv_width: int, d_ff: int, norm_width: int | None
) -> dict[str, tuple[int, ...]]:
    """The tensors in a layer of a Llama, or with QK norm of a Qwen 3."""
    shapes: dict[str, tuple[int, ...]] = {
        "input_layernorm": (d_model,),
        "self_attn.q_proj": (query_width, d_model),
        "self_attn.k_proj": (kv_width, d_model),
        "self_attn.v_proj": (kv_width, d_model),
        "self_attn.o_proj": (d_model, query_width),
        "post_attention_layernorm": (d_model,),
        "mlp.gate_proj": (d_ff, d_model),
        "mlp.up_proj": (d_ff, d_model),
        "mlp.down_proj": (d_model, d_ff),
    }
    if norm_width is not None:
        shapes |= {"self_attn.q_norm": (norm_width,), "self_attn.k_norm": (norm_width,)}
    return shapes


def drive(answer: Callable[[Any], object], shapes: dict[str, tuple[int, ...]]) -> tuple[Tensor, ...] | Objection | None:
    """1 where every entry is right; else the first that is not."""
    wanted, found = lost_config(shapes), answer(dict(shapes))
    if found is None:
        return None
    if not isinstance(found, dict):
        return Objection("type", f"Your function returns a {type(found).__name__}; a dictionary is wanted.")
    if missing := [name for name in wanted if name not in found]:
        return Objection("missing", f"Your dictionary has no entry {missing[0]!r}.", missing)
    off = {name: found[name] for name, value in wanted.items() if repr(found[name]) != repr(value)}  # True is not 1
    if not off:
        return (torch.ones(()),)
    name, value = next(iter(off.items()))
    return Objection("entry", f"Your {name} is {value!r:.40}; it should be {wanted[name]!r}.", off)


EXERCISE = written(
    lost_config,
    title="The lost config",
    task="A checkpoint's config is lost. Say what the names and shapes of its tensors say about it for certain.",
    level="medium, 8 minutes",
    returns="entries that are right",
    cases=cases,
    observe=drive,
    mistakes="""
    layers_from_tensors:
        len({name.split(".")[2] for name in shapes if name.startswith("model.layers.")}) ⇒
            sum(name.startswith("model.layers.") for name in shapes)
        “Your num_layers counts tensors; a layer has many. How many different numbers come after `model.layers.`?”
    largest_number:
        len({name.split(".")[2] for name in shapes if name.startswith("model.layers.")}) ⇒
            max(int(name.split(".")[2]) for name in shapes if name.startswith("model.layers."))
        “Your num_layers is the number of the last layer. Layers are counted from 0.”
    one_digit: name.split(".")[2] ⇒ name[13]
        “You read one digit of a layer's number: layers 1 and 10 to 19 become one.”
    table_turned: vocab_size, d_model ⇒ d_model, vocab_size
        “vocab_size and d_model have changed places: a table has a row for each token.”
    input_of_gate: "mlp.gate_proj.weight"][0] ⇒ "mlp.gate_proj.weight"][1]
        “Your d_ff is what goes into the feed-forward network, d_model. A Linear's weight is (output, input).”
    tied_turned: not in shapes, ⇒ in shapes,
        “Your tied is turned round: where lm_head.weight is in the file, the output matrix is one of its own.”
    input_of_keys: "self_attn.k_proj.weight"][0] ⇒ "self_attn.k_proj.weight"][1]
        “Your kv_width is what keys are made from, d_model; a Linear's weight is (output, input).”
    usual_head: None if d_head is None else query_width // d_head ⇒ query_width // (d_head or 2)
        “You say a number of heads where no shape does. The rows of q_proj are heads × d_head; without q_norm many pairs
        give that product.”
    from_d_model: query_width // d_head ⇒ d_model // d_head
        “Your num_heads is d_model / d_head. All heads together need not be as wide as d_model; look at the rows of
        q_proj.”
    key_heads: "self_attn.q_proj.weight" ⇒ "self_attn.k_proj.weight"
        “Your num_heads counts the heads of keys, which several heads of queries share.”
    """,
    also_right="""
    largest number and one:
        len({name.split(".")[2] for name in shapes if name.startswith("model.layers.")}) ⇒
            1 + max(int(name.split(".")[2]) for name in shapes if name.startswith("model.layers."))
    one tensor of each layer:
        len({name.split(".")[2] for name in shapes if name.startswith("model.layers.")}) ⇒
            sum(name.endswith("input_layernorm.weight") for name in shapes)
    from the other ends:
        shapes[in_first_layer + "mlp.gate_proj.weight"][0] ⇒ shapes[in_first_layer + "mlp.down_proj.weight"][1]
        shapes[in_first_layer + "self_attn.q_proj.weight"][0] ⇒ shapes[in_first_layer + "self_attn.o_proj.weight"][1]
        shapes[in_first_layer + "self_attn.k_proj.weight"][0] ⇒ shapes[in_first_layer + "self_attn.v_proj.weight"][0]
    """,
    hints="""
    - All layers are alike: the tensors of layer 0 say what one layer is. Their common prefix is `model.layers.0.`.
    - `shapes["model.embed_tokens.weight"]` is (vocab_size, d_model). A name's third piece, `name.split(".")[2]`, is its
      layer. Whether something is there, `in` says: `"lm_head.weight" in shapes`.
    - `d_head = shapes.get("model.layers.0.self_attn.q_norm.weight", (None,))[0]`; if it is not None, num_heads is the
      rows of q_proj divided by it. Without it, both are None.
    """,
    explanation="""
    Shapes fix all widths, and names what there is. What is only *computed with* leaves no trace in them: how the rows
    of q_proj are cut into heads, the base of the rotary angles and which features are turned together, the ε of the
    norms, a window. All of these load without a word, whatever is guessed.
    """,
)
