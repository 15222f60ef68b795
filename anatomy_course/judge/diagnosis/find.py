"""What a wrong answer is, when it is no catalogued mistake: the first diagnosis that fits."""

from __future__ import annotations

from anatomy_course.judge.diagnosis import arguments, axes, calls, first_wrong_stage, mistakes, shapes, values
from anatomy_course.judge.diagnosis.wrong_answer import Diagnosis, WrongOutput

OF_ARGUMENTS: tuple[Diagnosis, ...] = (
    arguments.an_argument_itself,
    arguments.a_stage,
    arguments.of_one_argument,
    arguments.other_arguments,
    arguments.missing_entries,
)
EXACT: tuple[Diagnosis, ...] = (
    mistakes.equal_to_a_mistake,
    calls.another_call,
    calls.put_together_otherwise,
    axes.python_sum,
    values.all_one_number,
    values.one_factor,
    values.one_offset,
    values.opposite_sums,
    values.temperature,
    *OF_ARGUMENTS,
    values.function_of_target,
    values.cut_off,
    values.one_relation,
    mistakes.with_a_likeness,
)
"""Each accounts for every number of an output, or names the first call that differs."""
ROUGH: tuple[Diagnosis, ...] = (
    values.proportions_right,
    values.factor_per_case,
    values.scaled_rows,
    values.shifted_rows,
    first_wrong_stage.changed_stage,
    values.wrong_sums,
    values.heads_scrambled,
    values.another_order,
    values.same_for_all,
    values.only_some_entries,
    values.parts_of_a_square,
    values.zero_in_wrong_places,
    arguments.argument_without_effect,
    first_wrong_stage.last_good_stage,
    first_wrong_stage.first_cell,
)
"""Each says something of the output; the last one always fits."""
EXACT_SHAPES: tuple[Diagnosis, ...] = (
    mistakes.equal_to_a_mistake,
    axes.python_sum,
    shapes.axes_swapped,
    shapes.extra_or_missing_ones,
    shapes.laid_out_differently,
    shapes.repeated,
    shapes.one_axis_gone,
    shapes.one_axis_left,
    shapes.some_entries,
    calls.another_call,
    calls.put_together_otherwise,
    *OF_ARGUMENTS,
    axes.turned_input,
    mistakes.with_a_likeness,
)
ROUGH_SHAPES: tuple[Diagnosis, ...] = (
    axes.another_argument,
    shapes.always_the_same_shape,
    shapes.sizes_in_words,
)


def diagnose(wrong: WrongOutput) -> tuple[str, str]:
    """The name and the sentence of the first diagnosis that holds."""
    return explain(wrong) or next(found for look in _of(wrong)[1] if (found := look(wrong)))


def explain(wrong: WrongOutput) -> tuple[str, str] | None:
    """What accounts for every number of the output in all cases in which it is wrong; None where nothing does."""
    return next((found for look in _of(wrong)[0] if (found := look(wrong))), None)


def _of(wrong: WrongOutput) -> tuple[tuple[Diagnosis, ...], tuple[Diagnosis, ...]]:
    return (EXACT, ROUGH) if wrong.is_shaped else (EXACT_SHAPES, ROUGH_SHAPES)
