"""Live views of the course: a few typed traits, one small ES module, and a picture for where nothing runs.

A widget's module is loaded when its name is first used, so that a notebook pays only for what it shows.
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
