"""What a sentence of the street becomes under each objective of `anatomy_utils.objectives`, and all of them by name."""

from anatomy_course.lab.objectives.registry import OBJECTIVES as OBJECTIVES, Objective as Objective
