"""Notebook 10: what AdamW does to one parameter in one step."""

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, primes, written


# fmt: off
def adamw_step(
    weight: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, step: int,
    learning_rate: float, betas: tuple[float, float], epsilon: float, weight_decay: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """weight, its gradient, and two averages of earlier gradients, all of one shape; step counts from 1.
    mean ← β₁ · mean + (1 − β₁) · gradient, and square ← β₂ · square + (1 − β₂) · gradient²; betas is (β₁, β₂).
    Both began at 0: before use, not where they are kept, divide them by 1 − β₁^step and 1 − β₂^step. Then
    weight ← weight − learning_rate · (weight_decay · weight + corrected mean / (√corrected square + epsilon)).
    Returns the new weight, mean and square; what was given stays as it is.
    """
    beta1, beta2 = betas
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient**2
    corrected_mean = mean / (1 - beta1**step)
    corrected_square = square / (1 - beta2**step)
    change = corrected_mean / (corrected_square.sqrt() + epsilon)
    weight = weight - learning_rate * (weight_decay * weight + change)
    return weight, mean, square
# fmt: on


def cases(generator: Generator) -> Cases:
    first, later, quiet, alone = "the first step", "a later step", "a gradient with zeros", "a single number"
    narrow = "a matrix with one column"
    for kind in (first, later, "no decay", "a large epsilon", quiet, "tiny gradients", alone, narrow):
        rows, columns = primes(generator, 2, (2, 3, 5))
        shape = {later: (rows, columns), alone: (), narrow: (rows, 1)}.get(kind, (columns,))
        weight, gradient, mean, spread = (normal(generator, *shape) for _ in range(4))
        rate, decay, *betas = torch_numbers(generator, 4)
        scale = 1e-4 if kind == "tiny gradients" else 1.0
        if kind == quiet:
            gradient[0] = 0.0
        new = kind in (first, quiet)  # nothing was averaged before
        arguments = {
            "weight": 2 * weight,
            "gradient": scale * gradient,
            "mean": 0 * mean if new else scale * mean,
            "square": 0 * spread if new else scale**2 * (0.5 + spread**2),
            "step": 1 if new else 2 + int(8 * betas[0]),
            "learning_rate": 0.1 + rate / 10,
            "betas": (0.5 + betas[0] / 10, 0.8 + betas[1] / 10),
            "epsilon": 0.3 if kind == "a large epsilon" else 1e-8,
            "weight_decay": 0.0 if kind == "no decay" else 0.2 + decay / 5,
        }
        yield Case(arguments, kind, {"row": rows, "column": columns})


def torch_numbers(generator: Generator, count: int) -> list[float]:
    """So many numbers between 0 and 1, of few digits."""
    return [round(abs(number) % 1, 2) for number in normal(generator, count).tolist()]


EXERCISE = written(
    adamw_step,
    title="AdamW by hand",
    task="Change one parameter as AdamW does: two running averages, each corrected for its beginning at 0, and a decay "
    "apart from the gradient.",
    level="medium, 9 minutes",
    returns="weight: column; mean: column; square: column",
    look_first="mean square weight",
    cases=cases,
    stages="""
    corrected mean: corrected_mean
    corrected square: corrected_square
    change: change
    """,
    mistakes="""
    no_correction:
        mean / (1 - beta1**step) ⇒ mean
        square / (1 - beta2**step) ⇒ square
        “Your averages are used as they are. They began at 0, so in the first steps they are too small: divide them by 1
        − β₁^step and 1 − β₂^step.”
    mean_not_corrected: mean / (1 - beta1**step) ⇒ mean
        “Only your average of the squares is corrected; the mean began at 0 as well: divide it by 1 − β₁^step.”
    square_not_corrected: square / (1 - beta2**step) ⇒ square
        “Only your mean is corrected; the average of the squares began at 0 as well: divide it by 1 − β₂^step.”
    one_correction: square / (1 - beta2**step) ⇒ square / (1 - beta1**step)
        “You correct both averages with β₁; the squares are averaged with β₂, so their correction is 1 − β₂^step.”
    correction_of_one_step:
        mean / (1 - beta1**step) ⇒ mean / (1 - beta1)
        square / (1 - beta2**step) ⇒ square / (1 - beta2)
        “Your correction is that of the first step, in every step; it should fade as β^step does.”
    times_step:
        mean / (1 - beta1**step) ⇒ mean / (1 - beta1 * step)
        square / (1 - beta2**step) ⇒ square / (1 - beta2 * step)
        “In your correction β is multiplied by the step; β to the power of the step is wanted: `beta1**step`.”
    one_step_ahead:
        beta1**step ⇒ beta1**(step + 1)
        beta2**step ⇒ beta2**(step + 1)
        “Your correction is that of the step after this one: `step` counts from 1, so nothing is to be added to it.”
    one_step_late:
        beta1**step ⇒ beta1**(step - 1)
        beta2**step ⇒ beta2**(step - 1)
        “Your correction is that of the step before: `step` counts from 1, so nothing is to be taken off. In the first
        step yours divides by 0.”
    corrected_kept: return weight, mean, square ⇒ return weight, corrected_mean, corrected_square
        “You return the corrected averages. The next step would correct them once more: keep them as they are.”
    decay_in_gradient:
        beta1, beta2 = betas ⇒
            beta1, beta2 = betas
            gradient = gradient + weight_decay * weight
        (weight_decay * weight + change) ⇒ change
        “Your decay is added to the gradient, so Adam divides it by the size of the gradients: that is Adam with L2. In
        AdamW it is taken off the weight itself.”
    decay_in_both:
        beta1, beta2 = betas ⇒
            beta1, beta2 = betas
            gradient = gradient + weight_decay * weight
        “Your decay is in the gradient and is taken off the weight as well; only the second is AdamW.”
    decay_without_rate:
        learning_rate * (weight_decay * weight + change) ⇒ weight_decay * weight - learning_rate * change
        “Your decay is not multiplied by the learning rate, so it is far too strong, and stays so when the rate falls.”
    no_decay: weight_decay * weight + change ⇒ change
        “Nothing decays in yours: that is Adam, without the W.”
    decay_grows: weight_decay * weight + change ⇒ change - weight_decay * weight
        “Your decay makes weights larger: it should be subtracted.”
    decay_afterward:
        (weight_decay * weight + change) ⇒ change
        return weight, ⇒ return weight * (1 - learning_rate * weight_decay),
        “You let the weight decay after it was changed; the decay is that of the weight as it was given.”
    decay_alone: weight_decay * weight + change ⇒ weight_decay * weight
        “Your weight only decays; the corrected averages do not reach it.”
    epsilon_in_root: corrected_square.sqrt() + epsilon ⇒ (corrected_square + epsilon).sqrt()
        “Your epsilon is inside the root, where it counts for far more: add it to the root.”
    epsilon_before_correction:
        corrected_mean / (corrected_square ⇒ (1 - beta2**step) ** 0.5 * corrected_mean / (square
        “You add epsilon to the root of the average that is not corrected yet: correct it first.”
    no_epsilon: corrected_square.sqrt() + epsilon ⇒ corrected_square.sqrt()
        “Epsilon is missing: where all gradients were 0, yours divides 0 by 0.”
    no_root: corrected_square.sqrt() ⇒ corrected_square
        “You divide by the average of the squares; divide by its root, which is as large as a gradient.”
    not_squared: gradient**2 ⇒ gradient.abs()
        “You average the sizes of the gradients; their squares are wanted.”
    square_of_mean: gradient**2 ⇒ mean**2
        “You average the squares of the mean; those of the gradient itself are wanted.”
    no_mean: mean / (1 - beta1**step) ⇒ gradient
        “Your weight follows the gradient of this step alone (that is RMSProp); the corrected mean is wanted.”
    no_square: corrected_mean / (corrected_square.sqrt() + epsilon) ⇒ corrected_mean
        “Your change is not divided by the root of the squares: that is momentum alone.”
    sums:
        (1 - beta1) * gradient ⇒ gradient
        (1 - beta2) * gradient**2 ⇒ gradient**2
        “Your averages are sums: the new gradient counts whole. Multiply it by 1 − β.”
    mean_is_a_sum: (1 - beta1) * gradient ⇒ gradient
        “Your mean is a sum, as SGD's momentum has it: multiply the new gradient by 1 − β₁.”
    shares_swapped:
        beta1 * mean + (1 - beta1) * gradient ⇒ (1 - beta1) * mean + beta1 * gradient
        beta2 * square + (1 - beta2) * gradient**2 ⇒ (1 - beta2) * square + beta2 * gradient**2
        “Old and new have swapped their shares: β is the share of what was averaged before.”
    betas_swapped: beta1, beta2 = betas ⇒ beta2, beta1 = betas
        “Your two β have changed places: the first is that of the mean.”
    old_averages:
        corrected_mean = mean ⇒ corrected_mean = old_mean
        corrected_square = square ⇒ corrected_square = old_square
        beta1, beta2 = betas ⇒
            beta1, beta2 = betas
            old_mean, old_square = mean, square
        “Your weight is changed by the averages as they were given; this step's gradient belongs into them first.”
    uphill: weight_decay * weight + change ⇒ weight_decay * weight - change
        “Your weight goes along the gradient, so the loss rises: subtract.”
    no_rate: learning_rate * (weight_decay * weight + change) ⇒ learning_rate * weight_decay * weight - change
        “Your change is not multiplied by the learning rate.”
    change_only: return weight, ⇒ return learning_rate * (weight_decay * weight + change),
        “You return by how much the weight changes, not the weight itself.”
    swapped: return weight, mean, square ⇒ return weight, square, mean
        “You return the averages in the other order: the mean comes before the square.”
    """,
    also_right="""
    a factor for the decay:
        weight = weight - learning_rate * (weight_decay * weight + change) ⇒
            weight = weight * (1 - learning_rate * weight_decay) - learning_rate * change
    as torch does it:
        mean = mean.lerp(gradient, 1 - betas[0])
        square = (square * betas[1]).addcmul(gradient, gradient, value=1 - betas[1])
        root = (square / (1 - betas[1] ** step)).sqrt().add(epsilon)
        weight = (weight * (1 - learning_rate * weight_decay)).addcdiv(
            mean, root, value=-learning_rate / (1 - betas[0] ** step)
        )
        return weight, mean, square
    on copies in place:
        weight, mean, square = weight.clone(), mean.clone(), square.clone()
        mean.mul_(betas[0]).add_(gradient, alpha=1 - betas[0])
        square.mul_(betas[1]).add_(gradient * gradient * (1 - betas[1]))
        weight.mul_(1 - learning_rate * weight_decay)
        root = (square / (1 - betas[1] ** step)) ** 0.5
        weight.sub_(learning_rate * mean / (1 - betas[0] ** step) / (root + epsilon))
        return weight, mean, square
    """,
    again="""
    beta1, beta2 = betas ⇒
        beta1, beta2 = betas
        gradient = gradient + weight_decay * weight
    (weight_decay * weight + change) ⇒ change
        “This time weight_decay · weight is added to the gradient first, as in Adam with L2, so that it goes through
        both averages; the last line no longer has it.”
        Not here: decay_in_both no_epsilon
    """,
    hints="""
    - Three parts after each other: the new averages, their corrected copies, the new weight. Only the averages
      themselves are returned.
    - `mean = beta1 * mean + (1 - beta1) * gradient`, and the same with `beta2` and `gradient**2`; the corrected copies
      are `mean / (1 - beta1**step)` and `square / (1 - beta2**step)`.
    - `change = corrected_mean / (corrected_square.sqrt() + epsilon)`; then `weight - learning_rate * (weight_decay *
      weight + change)`.
    """,
    explanation="""
    The mean smooths the direction, and the root of the squares gives each number a step of about the learning rate,
    whether its gradients are large or small. Decay that went through this division would be weakest where gradients are
    large; AdamW takes it off apart from them (Loshchilov and Hutter 2019, arXiv:1711.05101).
    """,
)
