"""A corpus that every machine has, and a judge for what is written after it: Python's own library and its parser.

Notebook 10 trains a GPT on the functions of the standard library, and notebook 04 sorts their docstrings. Each version
of Python has others, so losses and texts differ a little from machine to machine. What a model writes is judged by
`ast.parse`. A table of pairs is the model to compare with.
"""

from __future__ import annotations

import ast
import sysconfig
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

END = "\0"
"""Ends each function in a corpus: no function contains it, and `split_words` keeps it alone, so its id is 0."""
LEFT_OUT = {"test", "tests", "idle_test", "idlelib", "lib2to3", "turtledemo", "site-packages", "dist-packages"}
"""Folders whose files are not read: tests, programs, and what was installed."""


def python_functions(shortest: int = 30, longest: int = 500) -> list[str]:
    """The functions and methods of Python's standard library, each as a text of its own, without its docstring.

    Always in the same order, by file and line; the same text only once.

    Args:
        shortest: characters that a function has at least.
        longest: characters that it has at most.

    Raises:
        ValueError: this Python comes without the source of its library, or no function is of such a length.
    """
    folder = Path(sysconfig.get_path("stdlib"))
    found: dict[str, None] = {}
    for path in sorted(_files(folder), key=Path.as_posix):
        source = path.read_text(encoding="utf-8", errors="replace")
        found.update(dict.fromkeys(text for text in _functions(source) if shortest <= len(text) <= longest))
    functions = [text for text in found if is_function(text)]
    if not functions:
        raise ValueError(
            f"No function of {shortest} to {longest} characters is in {folder}: allow other lengths, or use a Python "
            "that comes with its library's source."
        )
    return functions


def python_docstrings(modules: Sequence[str], *, words: int = 4) -> list[tuple[str, int]]:
    """What the functions and methods of these modules say about themselves, and which module each is from.

    Of each docstring the first paragraph, in one line. A text that occurs in several modules is left out, and one that
    occurs more than once in a module is there once: no text of a test can have been in the training.

    Args:
        modules: names of modules or packages of the standard library.
        words: how many a text has at least.

    Returns:
        (text, number of its module), by module, file and line.

    Raises:
        ValueError: this Python comes without such a module, or without its source.
    """
    folder, homes = Path(sysconfig.get_path("stdlib")), dict[str, set[int]]()
    for number, module in enumerate(modules):
        package, alone = folder / module, folder / f"{module}.py"
        files = sorted(_files(package), key=Path.as_posix) if package.is_dir() else [alone] if alone.is_file() else []
        if not files:
            raise ValueError(f"There is no source of {module!r} in {folder}; name another module.")
        for tree in filter(None, (_parsed(path.read_text(encoding="utf-8", errors="replace")) for path in files)):
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    text = " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
                    if len(text.split()) >= words:
                        homes.setdefault(text, set()).add(number)
    once = [(text, min(found)) for text, found in homes.items() if len(found) == 1]
    return sorted(once, key=lambda pair: pair[1])


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.suffix == ".py" and path.is_file():
            yield path
        elif path.is_dir() and path.name not in LEFT_OUT:
            yield from _files(path)


def _functions(source: str) -> Iterator[str]:
    tree = _parsed(source)
    lines = source.split("\n")
    for node in _statements(tree) if tree else ():
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        kept = lines[node.lineno - 1 : node.end_lineno]
        if ast.get_docstring(node, clean=False) is not None:
            if len(node.body) == 1:
                continue
            start, end = (statement.lineno - node.lineno for statement in node.body[:2])
            if start == end:  # one line holds both
                continue
            comments = [line for line in kept[(node.body[0].end_lineno or 0) - node.lineno + 1 : end] if line.strip()]
            kept[start:end] = comments
        text = textwrap.dedent("\n".join(line.rstrip() for line in kept))
        if END not in text:
            yield text


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements in the order of their lines; expressions, which are most of a tree, are not looked into."""
    left: list[ast.AST] = list(reversed(tree.body))
    while left:
        node = left.pop()
        yield node
        for field in ("finalbody", "orelse", "handlers", "body"):
            left += reversed(getattr(node, field, ()))


def is_function(text: str) -> bool:
    """Whether Python's parser accepts a text, and it defines a function.

    >>> is_function("def double(x):\\n    return 2 * x"), is_function("def double(x)"), is_function("x = 2")
    (True, False, False)
    """
    tree = _parsed(text)
    return tree is not None and any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in tree.body)


def _parsed(source: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a model writes "\\d" in plain strings, and so does the library
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def share_that_parses(texts: Iterable[str]) -> float:
    """The share of texts that `is_function` accepts.

    Raises:
        ValueError: there is no text.

    >>> share_that_parses(["def f(): pass", "def f(: pass"])
    0.5
    """
    judged = [is_function(text) for text in texts]
    if not judged:
        raise ValueError("There is no text to judge; give a list of texts.")
    return sum(judged) / len(judged)


class BigramTable:
    """A model of one rule: how often each token follows each other one. It sees a single token of what came before.

    Args:
        ids: of a long text.
        vocabulary_size: how many ids there are.

    Raises:
        ValueError: the text has fewer than two tokens, or one outside the vocabulary.
    """

    def __init__(self, ids: Int[Tensor, " token"], vocabulary_size: int) -> None:
        if len(ids) < 2:
            raise ValueError(f"A text of {len(ids)} tokens holds no pair; give a longer one.")
        if not 0 <= int(ids.min()) <= int(ids.max()) < vocabulary_size:
            raise ValueError(f"The text has ids from {ids.min()} to {ids.max()}; the vocabulary has {vocabulary_size}.")
        pairs = ids[:-1] * vocabulary_size + ids[1:]
        counts = torch.bincount(pairs, minlength=vocabulary_size**2).reshape(vocabulary_size, vocabulary_size)
        self.counts: Int[Tensor, "first second"] = counts

    def loss(self, ids: Int[Tensor, " token"], added: float = 1e-3) -> float:
        """The mean of −ln p(token | the one before) over a text.

        Args:
            ids: of the text.
            added: to each count, so that no pair is impossible.
        """
        smoothed = self.counts + added
        probabilities = smoothed / smoothed.sum(1, keepdim=True)
        return -probabilities[ids[:-1], ids[1:]].log().mean().item()

    def write(self, choose: Callable[[Tensor], int], longest: int, *, end_id: int = 0) -> list[int]:
        """Choose token after token by how often each followed the last one, from one end of a text to the next.

        Args:
            choose: logits of the next token, which are the logarithms of the counts → its id.
            longest: tokens after which a text is cut off.
            end_id: what ends a text, and is before its first token; it is not part of what is returned.
        """
        written: list[int] = []
        last = end_id
        while len(written) < longest and int(self.counts[last].sum()):
            last = int(choose(self.counts[last].float().log()))
            if last == end_id:
                break
            written.append(last)
        return written
