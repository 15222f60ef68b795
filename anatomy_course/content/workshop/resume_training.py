"""Notebook 10: resuming a training run, judged by how it goes on."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, normal, primes, written
from anatomy_course.judge.effects.parts import VOCABULARY
from anatomy_course.judge.effects.saved_run import REFUSED, RESUMED, drive_resuming


# fmt: off
def resume_training(path, model, optimizer, generator: torch.Generator) -> int:
    """`path` is a file written by `save_training`: a dictionary with 'model', 'optimizer', 'generator' and
    'step'. Restores the model, the optimizer and the generator, and returns the step. The file may be a
    stranger's: read it with weights_only=True. Weights that are not this model's must raise an error.
    """
    run = torch.load(path, weights_only=True)
    model.load_state_dict(run['model'])
    optimizer.load_state_dict(run['optimizer'])
    generator.set_state(run['generator'])
    return run['step']
# fmt: on


def cases(generator: Generator) -> Cases:
    for kind in ("a run of some steps", "a run that has not begun", *REFUSED):
        d_model, steps = primes(generator, 2, (3, 5, 7))
        arguments = {
            "saved_table": normal(generator, VOCABULARY, d_model),
            "saved_weight": normal(generator, d_model, VOCABULARY),
            "table": normal(generator, VOCABULARY, d_model),
            "weight": normal(generator, d_model, VOCABULARY),
            "steps": 0 if kind == "a run that has not begun" else steps,
            "seed": int(torch.randint(1000, (1,), generator=generator)),
            "kind": kind,
        }
        yield Case(arguments, kind, {"d_model": d_model})


EXERCISE = written(
    resume_training,
    title="Resuming a run",
    task="Put a saved run back into a model, its optimizer and a generator, so that training goes on as if it had "
    "never stopped.",
    level="medium, 5 minutes",
    same_as="anatomy_utils.training.checkpointing.resume_training",
    returns=RESUMED,
    cases=cases,
    observe=drive_resuming,
    also_right="""
    copied name by name:
        model.load_state_dict(run['model']) ⇒
            own, saved = model.state_dict(), run['model']
            if own.keys() != saved.keys() or any(own[name].shape != saved[name].shape for name in own):
                raise ValueError("This checkpoint comes from another model.")
            for name in own:
                own[name].copy_(saved[name])
    in another order:
        run = torch.load(path, map_location="cpu", weights_only=True)
        generator.set_state(run["generator"])
        optimizer.load_state_dict(run["optimizer"])
        model.load_state_dict(run["model"], strict=True)
        return int(run["step"])
    checked first:
        model.load_state_dict(run['model']) ⇒
            if set(run['model']) != set(model.state_dict()):
                raise ValueError("The checkpoint is of another model.")
            model.load_state_dict(run['model'])
    """,
    mistakes="""
    no_model: model.load_state_dict(run['model']) ⇒ pass
        “The model keeps the weights that it had: those of the file are read, but not put into it. `state_dict()` only
        tells what they are; `load_state_dict` changes them.”
    no_optimizer: optimizer.load_state_dict(run['optimizer']) ⇒ pass
        “The weights are right, but the optimizer keeps what it remembers of another run. A dictionary that
        `state_dict()` gave can be changed without its noticing: `load_state_dict` reaches it.”
    settings_only:
        optimizer.load_state_dict(run['optimizer']) ⇒
            for group, saved in zip(optimizer.param_groups, run['optimizer']['param_groups'], strict=True):
                group['lr'] = saved['lr']
        “The optimizer gets its learning rate back, but not what it remembers of earlier gradients.”
    no_generator: generator.set_state(run['generator']) ⇒ pass
        “Weights and optimizer are right, but the generator goes on where it was. `set_state` must be called on the one
        that was given: a new one, also under the name `generator`, stays inside your function.”
    generator_seeded: set_state(run['generator']) ⇒ manual_seed(0)
        “You set the generator to a seed: it begins again, and does not go on where the saved run stopped.”
    global_state: generator.set_state ⇒ torch.set_rng_state
        “You change torch's global source of random numbers; the batches are drawn from `generator`, which keeps its own
        state.”
    next_step: result + 1
        “The step that you return is one too large: the file already holds the one that comes next.”
    step_zero: return run['step'] ⇒ return 0
        “You return step 0 whatever the file says, so the learning rate would warm up again.”
    not_strict: run['model'] ⇒ run['model'], strict=False
        “A checkpoint from another model is accepted without a word, as with strict=False: names that do not fit are
        passed over, and your model keeps the weights that it had.”
    extra_ignored (copied name by name): own.keys() != saved.keys() or ⇒
        “Weights in the file that your model has not are passed over in silence. They show that the file is of another
        model, so they must raise an error.”
    missing_ignored (extra_ignored): for name in own ⇒ for name in saved
        “A file that lacks some of your model's weights is accepted, and those keep the numbers that they had; it must
        raise an error.”
    stretched (copied name by name): or any(own[name].shape != saved[name].shape for name in own) ⇒
        “A file with weights of another shape is accepted, as with `copy_`, which stretches them where it can. A wrong
        shape must raise an error.”
    extra_ignored_and_stretched (stretched): own.keys() != saved.keys() ⇒ False
        “Two things pass in silence, as when you copy by your model's names: weights in the file that your model has
        not, and those of another shape, which `copy_` stretches where it can.”
    missing_ignored_and_stretched (extra_ignored_and_stretched): for name in own ⇒ for name in saved
        “Two things pass in silence, as when you copy by the file's names: weights of your model that the file lacks,
        and those of another shape, which `copy_` stretches where it can.”
    parameters_only (copied name by name): for name in own: ⇒ for name in dict(model.named_parameters()):
        “The model's parameters are right, but its buffers, such as counts and running means, keep the numbers that they
        had: `load_state_dict` puts both back.”
    unsafe: weights_only=True ⇒ weights_only=False
        “Your function runs code that is hidden in a stranger's file: with weights_only=False, `torch.load` calls
        whatever the file tells it to.”
    errors_swallowed:
        try:
            run = torch.load(path, weights_only=True)
            model.load_state_dict(run['model'])
            optimizer.load_state_dict(run['optimizer'])
            generator.set_state(run['generator'])
            return run['step']
        except Exception:
            return 0
        “No file is refused, as if you hid the errors: one that does not fit is passed over in silence, and training
        begins again without your knowing it.”
    """,
    hints="""
    - Four entries, four lines: each part of the file goes back to where `save_training` took it from.
    - `torch.load(path, weights_only=True)` gives the dictionary. `load_state_dict(…)` takes back what `state_dict()`
      gave, and `set_state(…)` what `get_state()` gave.
    - `model.load_state_dict(run['model'])` raises an error by itself when names or shapes do not fit; leave it so.
    """,
    explanation="""
    The next losses are the same to the last bit, because nothing is left to chance: same weights, same averages in
    AdamW, same batches, same learning rate. A run can be stopped at any time and resumed on another day.
    """,
)
