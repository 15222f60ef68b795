"""Notebook 10: saving a training run, judged by what is in the file."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, normal, primes, written
from anatomy_course.judge.effects.parts import VOCABULARY
from anatomy_course.judge.effects.saved_run import SAVED, drive_saving


# fmt: off
def save_training(path, model, optimizer, generator: torch.Generator, step: int) -> None:
    """torch.save at `path`, a file's name, a dictionary with the keys 'model' and 'optimizer' (their state_dict()),
    'generator' (its state) and 'step' (a plain number). Only numbers and names, no objects with code.
    """
    run = {
        'model': model.state_dict(),
        'optimizer': optimizer.state_dict(),
        'generator': generator.get_state(),
        'step': step,
    }
    torch.save(run, path)
# fmt: on


def cases(generator: Generator) -> Cases:
    for kind in ("a run of some steps", "a run that has not begun", "a run of one step"):
        d_model, steps = primes(generator, 2, (3, 5, 7))
        arguments = {
            "table": normal(generator, VOCABULARY, d_model),
            "weight": normal(generator, d_model, VOCABULARY),
            "steps": {"a run that has not begun": 0, "a run of one step": 1}.get(kind, steps),
            "seed": int(torch.randint(1000, (1,), generator=generator)),
        }
        yield Case(arguments, kind, {"d_model": d_model})


EXERCISE = written(
    save_training,
    title="Saving a run",
    task="Write into one file everything that training needs to go on later: the model, the optimizer, the generator "
    "and the step.",
    level="easy, 4 minutes",
    same_as="anatomy_utils.training.checkpointing.save_training",
    returns=SAVED,
    cases=cases,
    observe=drive_saving,
    mistakes="""
    no_optimizer: 'optimizer': optimizer.state_dict(), ⇒
        “The optimizer is not in your file: its averages of earlier gradients would begin again at 0, and the next steps
        would be different.”
    no_generator: 'generator': generator.get_state(), ⇒
        “The generator is not in your file: a resumed run would be given other batches.”
    no_step: 'step': step, ⇒
        “The step is not in your file: a resumed run would warm up again.”
    only_the_model: (run, path) ⇒ (model.state_dict(), path)
        “Your file holds the weights alone. That is enough to use the model, but not to go on training it.”
    whole_model: model.state_dict() ⇒ model
        “You save a whole object, such as the model itself: it could only be read by running code from the file, and no
        longer when its class has changed. Save its state: a model's is its `state_dict()`.”
    trained_only: model.state_dict() ⇒ {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}
        “Frozen weights are missing from your file; the model's own `state_dict()` has them all.”
    parameters_only: model.state_dict() ⇒ {name: p.detach() for name, p in model.named_parameters()}
        “The model's buffers are missing from your file, such as counts and running means: `state_dict()` has them,
        `named_parameters()` and `parameters()` do not.”
    settings_only: optimizer.state_dict() ⇒ optimizer.state_dict()["param_groups"]
        “What you save of the optimizer is a list, such as that of its settings; what it remembers of earlier gradients
        belongs to it, too.”
    seed_only: generator.get_state() ⇒ generator.initial_seed()
        “You save the generator's seed: a resumed run would draw the first batches again. `get_state()` tells where it
        is by now.”
    state_of_a_new_one:
        generator.get_state() ⇒ torch.Generator().manual_seed(generator.initial_seed()).get_state()
        “You save the state of a new generator with the same seed, which has drawn nothing yet: a resumed run would draw
        the first batches again. Ask `generator` itself for its state.”
    global_state: generator.get_state() ⇒ torch.get_rng_state()
        “You save the state of another source of random numbers, such as torch's global one, not that of `generator`.”
    other_names:
        'model' ⇒ 'model_state_dict'
        'optimizer' ⇒ 'optimizer_state_dict'
        “Two of your keys have other names: `resume_training` looks for 'model' and 'optimizer'.”
    """,
    also_right="""
    in one go:
        states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "generator": generator.get_state()}
        torch.save({**states, "step": step}, path)
    through a file:
        torch.save(run, path) ⇒
            with open(path, "wb") as file:
                torch.save(run, file)
    renamed when complete:
        torch.save(run, path) ⇒
            import os
            torch.save(run, f"{path}.new")
            os.replace(f"{path}.new", path)
    """,
    hints="""
    - If the notebook stopped now: what would you need, apart from the weights, so that the next loss is the same to the
      last digit?
    - Model and optimizer both have `state_dict()`; a generator has `get_state()`.
    - `torch.save({'model': model.state_dict(), …, 'step': step}, path)`.
    """,
    explanation="""
    AdamW remembers two numbers for each weight, so the file is three times as large as the weights. Numbers and names
    can be read by any later program; a pickled object needs the class that it was made of.
    """,
)
