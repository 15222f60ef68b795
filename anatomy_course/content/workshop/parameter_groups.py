"""Notebook 10: two groups of parameters, judged by which decay each parameter of a model gets."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, primes, written
from anatomy_course.judge.effects.groups import KINDS, NARROW, drive


# fmt: off
def parameter_groups(model: torch.nn.Module, weight_decay: float) -> list[dict]:
    """→ [{'params': those with two or more axes, 'weight_decay': weight_decay},
       {'params': the others, 'weight_decay': 0.0}], as torch's optimizers want it.
    Only parameters with requires_grad; one that is used in two places is listed once. A group may be empty.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices = [parameter for parameter in trained if parameter.dim() >= 2]
    vectors = [parameter for parameter in trained if parameter.dim() < 2]
    return [
        {'params': matrices, 'weight_decay': weight_decay},
        {'params': vectors, 'weight_decay': 0.0},
    ]
# fmt: on


def cases(generator: Generator) -> Cases:
    for kind in KINDS:
        vocabulary_size, d_model, d_inner = primes(generator, 3, (2, 3, 5, 7, 11))
        d_model = 1 if kind == NARROW else d_model
        decay = round(0.1 + 0.4 * torch.rand(1, generator=generator).item(), 2)
        sizes = {"vocabulary_size": vocabulary_size, "d_model": d_model, "d_inner": d_inner}
        yield Case({**sizes, "kind": kind, "weight_decay": decay}, kind, sizes)


EXERCISE = written(
    parameter_groups,
    title="What decays",
    task="Sort a model's trained parameters into two groups for the optimizer: what has two or more axes decays, the "
    "rest does not.",
    level="easy, 5 minutes",
    same_as="anatomy_utils.training.optimizers.parameter_groups",
    returns="number of times each is listed: parameter; weight decay: parameter",
    cases=cases,
    observe=drive,
    also_right="""
    a filter:
        [parameter for parameter in model.parameters() if parameter.requires_grad] ⇒
            list(filter(lambda parameter: parameter.requires_grad, model.parameters()))
    by name and parameter:
        groups = [{"params": [], "weight_decay": weight_decay}, {"params": [], "weight_decay": 0.0}]
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                decays = parameter.dim() >= 2
                groups[0 if decays else 1]["params"].append(parameter)
        return groups
    a group for each:
        trained = filter(lambda parameter: parameter.requires_grad, model.parameters())
        return [{"params": [p], "weight_decay": weight_decay if p.dim() > 1 else 0.0} for p in trained]
    """,
    mistakes="""
    all_decay (by name and parameter): parameter.dim() >= 2 ⇒ True
        “All your parameters decay, biases and norms too: a norm's gain is pulled toward 0, although it starts at 1.”
    none_decays (by name and parameter): parameter.dim() >= 2 ⇒ False
        “No parameter of yours decays, not even a matrix.”
    turned_round:
        'params': matrices ⇒ 'params': vectors
        'params': vectors, 'weight_decay': 0.0 ⇒ 'params': matrices, 'weight_decay': 0.0
        “Your groups are swapped: biases and norms decay, and the matrices do not.”
    frozen_too: if parameter.requires_grad ⇒
        “Frozen parameters are in your groups too; leave out those with `requires_grad` False.”
    frozen_with_the_rest (by name and parameter):
        if parameter.requires_grad: ⇒ if True:
        parameter.dim() >= 2 ⇒ parameter.requires_grad and parameter.dim() >= 2
        “Frozen parameters land in your group of the others, matrices among them: whether a parameter is trained must be
        asked before either group takes it.”
    only_frozen: if parameter.requires_grad ⇒ if not parameter.requires_grad
        “You list the frozen parameters and leave the trained ones out.”
    shared_twice (by name and parameter): named_parameters() ⇒ named_parameters(remove_duplicate=False)
        “A table that is used in two places is listed twice; the optimizer would refuse it, or change it twice.”
    by_bias (by name and parameter): parameter.dim() >= 2 ⇒ "bias" not in name
        “Only what is called bias is spared: the gain of a norm is a vector too, and it decays.”
    by_weight_of_norm (by name and parameter): parameter.dim() >= 2 ⇒ "norm" not in name
        “Only the norms are spared: the biases of the linear layers are vectors too, and they decay.”
    all_but_norms_and_biases (by name and parameter):
        parameter.dim() >= 2 ⇒ not any(word in name for word in ("norm", "centering", "bias"))
        “Norms and biases are spared and all else decays: a vector or a single number may also be a parameter of its
        own, in no layer. Count the axes.”
    called_weight (by name and parameter): parameter.dim() >= 2 ⇒ name.endswith("weight")
        “What is called weight decays in yours, the gain of a norm among it, and a matrix of another name does not.
        Count the axes.”
    by_layer (by name and parameter):
        decays = parameter.dim() >= 2 ⇒
            layers = (torch.nn.Linear, torch.nn.Embedding)
            decays = any(parameter is part.weight for part in model.modules() if isinstance(part, layers))
        “The weights of Linear and Embedding decay in yours, but not a convolution's kernel, nor a matrix of no layer.
        Count the axes.”
    by_layer_with_kernels (by_layer): torch.nn.Embedding ⇒ torch.nn.Embedding, torch.nn.Conv1d
        “A matrix that is a parameter of its own, in no layer, does not decay in yours, as if layers or names counted.
        Count the axes.”
    equal_left_out (by name and parameter):
        if parameter.requires_grad: ⇒
            seen = [other for group in groups for other in group["params"]]
            if parameter.requires_grad and not any(torch.equal(parameter, other) for other in seen):
        “Of two parameters with equal numbers you list only one, as if they were the same. Two norms of a new model are
        equal, and still two: what counts is whether they are one object, as `is` or `id` tells.”
    no_table (by name and parameter): parameter.dim() >= 2 ⇒ parameter.dim() >= 2 and not name.startswith("tokens")
        “Your table of tokens does not decay; it has two axes, so it belongs to the matrices.”
    exactly_two (by name and parameter): >= 2 ⇒ == 2
        “Only what has exactly two axes decays. What has three, such as a convolution's kernel, decays too.”
    more_than_two (by name and parameter): >= 2 ⇒ > 2
        “Only what has three axes or more decays in yours; a matrix has two.”
    exactly_one (by name and parameter): >= 2 ⇒ != 1
        “Right for vectors. A parameter that is a single number has no axis at all, and yours decays.”
    number_left_out: < 2 ⇒ == 1
        “A parameter that is a single number has no axis at all. It is in neither of your groups, so it would never be
        trained: ask for fewer than two axes, not for one.”
    matrices_only: result[:1]
        “Your vectors are in no group, so they would never be trained.”
    vectors_only: result[1:]
        “Your matrices are in no group, so they would never be trained.”
    in_both: 'params': vectors ⇒ 'params': trained
        “Your matrices are in both groups: the second should hold only what the first does not.”
    """,
    hints="""
    - Three questions for each parameter: is it trained, how many axes does it have, have I seen it before?
    - `model.parameters()` names a shared parameter only once. `parameter.requires_grad` says whether it is trained,
      `parameter.dim()` how many axes it has.
    - `trained = [p for p in model.parameters() if p.requires_grad]`; then a list for `p.dim() >= 2` and one for
      `p.dim() < 2`.
    """,
    explanation="""
    Weight decay pulls a number a little toward 0 in every step, so that only what the loss asks for stays large. A
    matrix has many numbers that can share the work. A norm's gain is best near 1 and a bias wherever it is needed, so
    pulling on them only does harm.
    """,
)
