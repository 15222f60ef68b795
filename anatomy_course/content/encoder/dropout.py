"""Notebook 03: dropout, in training and in use."""

from collections.abc import Mapping

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def dropout(hidden_states: Tensor, uniform: Tensor, probability: float, training: bool) -> Tensor:
    """uniform: random numbers from 0 to 1, as many as hidden_states has, given so that your output can be
    checked; training is True or False → output, the same shape.
    """
    if not training:
        return hidden_states
    return hidden_states * (uniform >= probability) / (1 - probability)


def cases(generator: Generator) -> Cases:
    for kind, probability in (("a model in training", 0.4), ("a model in training", 0.25), ("a model in use", 0.3)):
        one = {"batch": 1} if probability == 0.25 else {}
        draw = Draw(generator, "batch position d_model", among=(5, 7, 11), **one, kind=kind)
        uniform = draw.uniform("batch position d_model")
        if probability == 0.25:  # numbers that are the probability itself are not below it
            uniform = (uniform * 8).floor() / 8
        yield draw.case(
            hidden_states=draw("batch position d_model"),
            uniform=uniform,
            probability=probability,
            training=kind == "a model in training",
        )


def stages(hidden_states: Tensor, uniform: Tensor, probability: float, training: bool) -> Mapping[str, Tensor]:
    return {"features that stay": hidden_states * (uniform >= probability)} if training else {}


EXERCISE = written(
    dropout,
    same_as="anatomy_utils.functional.layers.dropout",
    title="Dropout",
    task="In training, set to 0 each feature whose random number is below the probability, and multiply the others by "
    "1 / (1 − probability); in use, change nothing.",
    level="easy, 3 minutes",
    returns="output: position d_model",
    cases=cases,
    stages=stages,
    mistakes="""
    not_enlarged: / (1 - probability) ⇒
        “The right features are gone, but the others are as they were: in training the mean is now smaller than in use.”
    shrunk_in_use (not_enlarged): result if training else result * (1 - probability)
        “You keep the features' size in training and shrink them in use. Early implementations did that; today the
        remaining features are enlarged in training instead.”
    shrunk_as_well: result if training else result * (1 - probability)
        “Training is right, but you shrink the features in use: the factor in training has already corrected the mean.”
    enlarged_in_use: result if training else result / (1 - probability)
        “Training is right, but you enlarge the features in use, although none has been left out.”
    always: not training ⇒ False
        “You leave features out in use as well: the same text would get a different answer each time.”
    in_use_only: not training ⇒ training
        “Training and use are swapped.”
    never: hidden_states
        “Your output is the input: no feature is left out of it.”
    kept_below: >= ⇒ <
        “You keep the features that should go, and drop those that should stay: only a share of `probability` is left.”
    kept_below_and_enlarged (kept_below): (1 - probability) ⇒ probability
        “Your features stay as if `probability` were the chance of staying; it is the chance of being left out.”
    divided_by_the_probability: (1 - probability) ⇒ probability
        “The right features are gone, but the others are divided by `probability`: far too large.”
    shrunk_in_training: / (1 - probability) ⇒ * (1 - probability)
        “The right features are gone, but the others have shrunk; they should grow.”
    enlarged_by_one_more: / (1 - probability) ⇒ * (1 + probability)
        “The right features are gone, but the others are multiplied by 1 + probability: close, but not equal to 1 / (1 −
        probability).”
    whole_words: uniform >= ⇒ uniform[..., :1] >=
        “You leave out whole words, by the first random number of each; every feature has one of its own.”
    the_same_for_all_words: uniform >= ⇒ uniform[:, :1] >=
        “All words of a text lose the same features; every word has random numbers of its own.”
    """,
    also_right="""
    where: torch.where(uniform < probability, 0.0, hidden_states / (1 - probability)) if training else hidden_states
    masked_fill:
        hidden_states * (uniform >= probability) ⇒ hidden_states.masked_fill(uniform < probability, 0.0)
    one factor:
        (uniform >= probability) / (1 - probability) ⇒ ((uniform >= probability).float() / (1 - probability))
    """,
    hints="""
    - Two cases, training and use; in one of them nothing happens.
    - `uniform >= probability` is True where a feature stays. Multiply by it: True counts as 1, False as 0.
    - In training: `hidden_states * (uniform >= probability) / (1 - probability)`.
    """,
    explanation="""
    With a probability of 0.1, nine of ten features stay and are 1 / 0.9 times as large, so that sums further on have
    the same mean as in use. `model.train()` and `model.eval()` set `training` in every module.
    """,
)
