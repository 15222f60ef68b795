"""What a cell shows beside plots and views, and what the course knows of its notebooks.

- `page`: HTML for notebooks and text for terminals in one object; tables, folded details, code
- `source`: the code of a function or class, shown in a cell
- `notebooks`: the table of contents; `colab`: what the first cell of a notebook does there
- `saved`: what JupyterLab saves of a notebook that was only opened
"""

from anatomy_course.page import page as page, source as source
from anatomy_course.page.page import table as table
from anatomy_course.page.source import show_source as show_source

show_table = table
"""What notebooks call it: there `table` is a table of embeddings."""
