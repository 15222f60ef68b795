"""Transformer Anatomy: the transformer's parts, each small enough to read and proven equal to its reference.

Importing this package loads nothing else; torch, matplotlib and ipywidgets come with the room that needs them.
"""

__version__ = "0.1.0"
