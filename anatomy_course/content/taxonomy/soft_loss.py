"""Notebook 07: the distillation loss with which DistilBERT learns from BERT."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_large, and_short, written


def soft_loss(student_logits: Tensor, teacher_logits: Tensor, temperature: float) -> Tensor:
    """Logits (batch, position, vocab_size) → one number, (). With p of the teacher and q of the student,
    both softmax of their logits divided by the temperature, KL(p ‖ q) is the sum of p · log(p / q) over the
    vocabulary.
    """
    teacher = (teacher_logits / temperature).log_softmax(dim=-1)
    student = (student_logits / temperature).log_softmax(dim=-1)
    divergences = (teacher.exp() * (teacher - student)).sum(dim=-1)
    return temperature**2 * divergences.mean()


AXES = "batch position vocab_size"


def of_each_temperature(generator: Generator) -> Cases:
    for kind, temperature in (("temperature 2", 2.0), ("a high temperature", 4.0), ("a low temperature", 0.5)):
        draw = Draw(generator, AXES, (2, 3, 5, 7), kind)
        if draw["vocab_size"] == 2:
            draw.sizes |= {"batch": 2, "vocab_size": draw["batch"]}
        logits = {"student_logits": 1.5 * draw(AXES), "teacher_logits": 2 * draw(AXES)}
        yield draw.case(**logits, temperature=temperature)


def cases(generator: Generator) -> Cases:
    with_short = and_short(of_each_temperature, "position", "texts of one word")
    yield from and_large(with_short, "student_logits", "teacher_logits")(generator)
    draw = Draw(generator, AXES, (3, 5, 7), "a student that is sure of another word")
    student, teacher = draw(AXES), draw(AXES)
    student[0, :, 0] += 60.0  # it finds the teacher's word all but impossible: no ε may hide that
    teacher[0, :, 1] += 60.0
    yield draw.case(student_logits=student, teacher_logits=teacher, temperature=2.0)


EXERCISE = written(
    soft_loss,
    same_as="anatomy_utils.training.losses.soft_loss",
    title="Learning from a teacher",
    task="Divide both logits by the temperature, take the divergence KL(teacher ‖ student) at each position, average "
    "over all positions, and multiply by the temperature squared.",
    level="medium, 6 minutes",
    returns="loss",
    cases=cases,
    stages="""
    teacher's probabilities: teacher.exp()
    student's log-probabilities: student
    divergences
    """,
    mistakes="""
    wrong_way_round: teacher.exp() * (teacher - student) ⇒ student.exp() * (student - teacher)
        “Yours is KL(student ‖ teacher): student and teacher are swapped. It punishes other things: a student may then
        leave out what the teacher finds possible.”
    negative: (teacher - student) ⇒ (student - teacher)
        “Your loss has the wrong sign, as if log q − log p came in place of log p − log q: it is never above 0.”
    over_positions: log_softmax(dim=-1) ⇒ log_softmax(dim=1)
        “Your softmax runs over the positions; it should run over the vocabulary.”
    no_square: temperature**2 * ⇒
        “Your loss lacks the factor of temperature²: at a high temperature it and its gradients fade away.”
    divided_by_the_square: temperature**2 * divergences.mean() ⇒ divergences.mean() / temperature**2
        “You divide by temperature² where you should multiply.”
    teacher_not_softened: teacher_logits / temperature ⇒ teacher_logits
        “The temperature does not reach the teacher's logits; it does reach the student's.”
    student_not_softened: student_logits / temperature ⇒ student_logits
        “The temperature does not reach the student's logits; it does reach the teacher's.”
    no_temperature_inside: / temperature ⇒
        “The temperature reaches neither of the logits; it is only in your factor.”
    logits_multiplied: / temperature ⇒ * temperature
        “You multiply the logits by the temperature: a high one makes the teacher more certain, not less.”
    mean_over_everything: .sum(dim=-1) ⇒ .mean(dim=-1)
        “You average over the vocabulary too (torch's kl_div does so with reduction='mean'): a larger vocabulary would
        make the loss smaller.”
    sum: .mean() ⇒ .sum()
        “You add up all positions; what is wanted is their mean.”
    mean_over_texts: .mean() ⇒ .sum(dim=-1).mean()
        “You add up the positions of each text and average over texts (so does torch's 'batchmean' when the texts are
        its first axis); what is wanted is the mean over all positions.”
    cross_entropy: (teacher - student) ⇒ -student
        “Yours is the cross-entropy, −Σ p · log q: the teacher's own uncertainty is still in it, and even a student that
        agrees completely would not reach 0.”
    hard_targets: F.cross_entropy(student_logits.flatten(0, 1), teacher_logits.argmax(-1).flatten())
        “Yours is the cross-entropy of the teacher's favorite word alone; what it thinks of the others is lost.”
    log_of_log: (teacher - student) ⇒ (teacher - student.exp())
        “You have the student's probabilities where their logarithms should be (torch's kl_div wants log q as its first
        argument).”
    """,
    also_right="""
    torch's kl_div:
        p = (teacher_logits / temperature).softmax(-1).flatten(0, -2)
        log_q = (student_logits / temperature).log_softmax(-1).flatten(0, -2)
        return temperature * temperature * F.kl_div(log_q, p, reduction="batchmean")
    cross-entropy less the teacher's own entropy:
        (teacher.exp() * (teacher - student)).sum(dim=-1) ⇒
            (teacher.exp() * teacher).sum(dim=-1) - (teacher.exp() * student).sum(dim=-1)
    log of the ratio: (teacher - student) ⇒ (teacher.exp() / student.exp()).log()
    """,
    again="""
    (teacher.exp() * (teacher - student)) ⇒ (student.exp() * (student - teacher))
        “This time take the divergence the other way round, KL(student ‖ teacher).”
    """,
    hints="""
    - Four steps: soften both, compare them at each position, average, restore the size of the gradients.
    - log(p / q) is log p − log q, and `log_softmax(dim=-1)` gives logarithms of probabilities. Which of the two comes
      first as the weight, p or q?
    - `(teacher.exp() * (teacher - student)).sum(dim=-1)` is the divergence of each position, when both are
      log-probabilities.
    """,
    explanation="""
    Hinton et al. 2015. The right word alone says little; that “cat” would have been likelier than “car” says much. A
    temperature above 1 shows such small probabilities. Softening makes the gradients smaller by a factor of about T²,
    so the loss is multiplied by T². DistilBERT's loss has a second and a third part: masked words, and the similarity
    of the states.
    """,
)
