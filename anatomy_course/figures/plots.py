"""The static plots of the course in one place: every function takes arrays and words and returns a `Picture`.

Arrays may be lists, NumPy arrays or tensors. Weights run from 0 to 1 on one sequential map, signed values on one
diverging map centered at zero; a comparison shares its limits; shapes stand beside what is drawn.
"""

from __future__ import annotations

from anatomy_course.figures.charts import bars as bars, lines as lines
from anatomy_course.figures.confusion import confusion as confusion
from anatomy_course.figures.curve_grid import curve_grid as curve_grid
from anatomy_course.figures.heatmaps import heatmap as heatmap, heatmaps as heatmaps
from anatomy_course.figures.images import images as images
from anatomy_course.figures.scale_steps import scale_steps as scale_steps
from anatomy_course.figures.scatter import scatter_words as scatter_words
from anatomy_course.figures.strips import strips as strips
from anatomy_course.figures.word_steps import word_steps as word_steps
