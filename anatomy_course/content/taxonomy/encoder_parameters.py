"""Notebook 07: parameters of an encoder, and where ALBERT saves them."""

import torch

from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, written


def encoder_parameters(
    depths: Tensor, rows: int, d_embedding: int, d_model: int, layer_parameters: int
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """depths (depth), numbers of layers; rows of all embedding tables together; layer_parameters of one
    layer → own (depth) and shared (depth), whole numbers. A norm follows the tables, as wide as they are:
    two numbers per feature. The linear layer after it has a bias.
    """
    own = rows * d_model + 2 * d_model + depths * layer_parameters
    embeddings = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model
    shared = torch.full_like(depths, embeddings + layer_parameters)
    return own, shared


def cases(generator: Generator) -> Cases:
    for kind, count in (("three depths", 3), ("a single depth", 1), ("five depths of large layers", 5)):
        depths = 2 + torch.randperm(23, generator=generator)[:count]
        smallest = 50_000_000 if kind == "five depths of large layers" else 2000  # float32 cannot count that far
        arguments = {
            "depths": depths.sort().values if kind == "three depths" else depths,
            "rows": 100 + int(torch.randint(900, (), generator=generator)),
            **Draw(generator, "d_embedding", (3, 5, 7)).sizes,
            **Draw(generator, "d_model", (11, 13, 17)).sizes,
            "layer_parameters": smallest + int(torch.randint(3000, (), generator=generator)),
        }
        yield Case(arguments, kind, {"depth": count})


EXERCISE = written(
    encoder_parameters,
    same_as="anatomy_utils.functional.costs.encoder_parameters",
    title="Shared layers, narrow tables",
    task="Count the parameters of an encoder of each depth, twice: as BERT has them (tables d_model wide, every layer "
    "its own) and as ALBERT has them (tables d_embedding wide, a linear layer from there to d_model, one layer for "
    "all).",
    level="medium, 6 minutes",
    returns="own: depth; shared: depth",
    cases=cases,
    mistakes="""
    nothing_shared: torch.full_like(depths, embeddings + layer_parameters) ⇒ embeddings + depths * layer_parameters
        “Your own is right. Your shared grows with the depth: the tables are narrow, but every layer still has
        parameters of its own.”
    wide_tables: embeddings + layer_parameters ⇒ rows * d_model + 2 * d_model + layer_parameters
        “Your own is right. In your shared the layers are shared, but the tables are as wide as BERT's; d_embedding
        makes no difference.”
    no_way_up: + d_embedding * d_model + d_model ⇒
        “Your own is right. In your shared nothing brings the narrow vectors to d_model: the linear layer is missing.”
    no_bias: d_embedding * d_model + d_model ⇒ d_embedding * d_model
        “Your own is right. Your shared lacks d_model numbers: those of the linear layer's bias.”
    wide_norm: 2 * d_embedding ⇒ 2 * d_model
        “Your own is right. In your shared the norm is d_model wide; it comes after the tables, before the linear
        layer.”
    no_norms:
        + 2 * d_model ⇒
        + 2 * d_embedding ⇒
        “The norm after the tables is missing in both of yours.”
    own_without_norm: + 2 * d_model ⇒
        “Your shared is right. In your own the norm after the tables is missing.”
    shared_without_norm: + 2 * d_embedding ⇒
        “Your own is right. In your shared the norm after the tables is missing.”
    narrow_bias: d_embedding * d_model + d_model ⇒ d_embedding * d_model + d_embedding
        “Your own is right. In your shared the bias of the linear layer has d_embedding numbers; it has one for each
        feature that comes out.”
    half_norms: 2 * ⇒
        “In both of yours the norm after the tables has one number per feature; it has two, a factor and a shift.”
    layers_once: depths * layer_parameters ⇒ torch.ones_like(depths) * layer_parameters
        “Your shared is right. Your own is the same for all depths: it counts one layer, however many there are.”
    tables_in_every_layer:
        rows * d_model + 2 * d_model + depths * layer_parameters ⇒
            depths * (rows * d_model + 2 * d_model + layer_parameters)
        “Your shared is right. In your own every layer has tables; there is one set of them.”
    narrow_own: return own ⇒ return embeddings + depths * layer_parameters
        “Your shared is right. In your own the tables are narrow as well; BERT's are d_model wide.”
    no_layers: embeddings + layer_parameters ⇒ embeddings
        “Your own is right. Your shared counts no layer at all; there is one, though it is used many times.”
    not_repeated: torch.full_like(depths, embeddings + layer_parameters) ⇒ torch.tensor(embeddings + layer_parameters)
        “Your numbers are right, but your shared is a single one; there should be one for each depth.”
    rounded:
        depths * layer_parameters ⇒ depths.float() * layer_parameters
        torch.full_like(depths, ⇒ torch.full_like(depths.float(),
        return own, shared ⇒ return own.long(), shared.long()
        “Small numbers are right; large ones are rounded, because float32 has only about seven digits. Whole numbers
        stay exact.”
    """,
    also_right="""
    all at once:
        rows * d_model + 2 * d_model ⇒ (rows + 2) * d_model
        rows * d_embedding + 2 * d_embedding + d_embedding * d_model ⇒ (rows + 2 + d_model) * d_embedding
    one by one:
        own = [(rows + 2) * d_model + sum(layer_parameters for _ in range(depth)) for depth in depths.tolist()]
        shared = [(rows + 2) * d_embedding + (d_embedding + 1) * d_model + layer_parameters for _ in own]
        return torch.tensor(own), torch.tensor(shared)
    zeros added: torch.full_like(depths, embeddings + layer_parameters) ⇒ 0 * depths + embeddings + layer_parameters
    """,
    hints="""
    - Write down the parts of each from the bottom up: tables, norm, linear layer (only in one), layers. Which of these
      numbers changes with the depth?
    - A table has rows · width numbers, a norm 2 · width, a linear layer from a to b features a · b + b.
    - `own = rows * d_model + 2 * d_model + depths * layer_parameters`; the other is one number for all depths, and
      `torch.full_like(depths, number)` repeats it.
    """,
    explanation="""
    With its 30,522 words BERT's base model comes to 108.9 million (110.1 with the heads of its pretraining), ALBERT's
    to 11.1 million: a tenth. What is saved is memory.
    """,
)
