"""The static plots of the course in one place: every function takes arrays and words and returns a `Picture`.

Arrays may be lists, NumPy arrays or tensors. Weights run from 0 to 1 on one sequential map, signed values on one
diverging map centered at zero; a comparison shares its limits; shapes stand beside what is drawn.
"""

from __future__ import annotations

from anatomy_course.figures.charts import bars, lines
from anatomy_course.figures.confusion import confusion
from anatomy_course.figures.curve_grid import curve_grid
from anatomy_course.figures.heatmaps import heatmap, heatmaps
from anatomy_course.figures.scale_steps import scale_steps
from anatomy_course.figures.scatter import scatter_words
from anatomy_course.figures.strips import strips
from anatomy_course.figures.word_steps import word_steps

__all__ = [
    "bars",
    "confusion",
    "curve_grid",
    "heatmap",
    "heatmaps",
    "lines",
    "scale_steps",
    "scatter_words",
    "strips",
    "word_steps",
]
