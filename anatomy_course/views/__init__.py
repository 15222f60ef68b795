"""Where a model meets a widget: each function runs a model and gives a widget plain arrays, as `views.head_board` does.

Widgets know no model and models know no widget; the notebooks call these functions to join the two. A module is loaded
when one of its names is first used.
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
