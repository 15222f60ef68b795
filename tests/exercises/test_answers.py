"""Wrong answers never pass: those that no catalogue knows, and every small change to a right one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from answers import (  # noqa: F401 (every module adds its own to ANSWERS)
    ANSWERS,
    Answer,
    attention,
    capstone,
    decoder,
    encoder,
    encoder_decoder,
    multi_head,
    taxonomy,
)
from unchecked import shapes_unchecked

from anatomy_utils.exercises import find_exercise, ids, solution_source
from anatomy_utils.exercises.attempt.answer_key import AnswerKey
from anatomy_utils.exercises.attempt.tensors import same_result
from anatomy_utils.exercises.card import card_page
from anatomy_utils.exercises.judging.judge import judge


@pytest.mark.parametrize("wrong", ANSWERS, ids=lambda wrong: wrong.function.__name__)
def test_an_answer_in_no_catalogue_gets_a_true_sentence(wrong: Answer) -> None:
    exercise = find_exercise(wrong.id)
    with shapes_unchecked():
        verdict = judge(exercise, wrong.function, seconds=1.0)
    assert not verdict.passed
    assert verdict.found_by == wrong.found_by
    assert wrong.says in verdict.sentence
    page = card_page(exercise, verdict)
    assert verdict.sentence.split("`")[0] in page.text
    assert "Traceback" not in page.text


def test_few_answers_are_left_with_nothing_but_the_first_cell() -> None:
    bare = [wrong for wrong in ANSWERS if wrong.found_by == "likeness:cell"]
    assert len(ANSWERS) >= 80 and len(bare) <= 0.1 * len(ANSWERS)


@pytest.mark.parametrize("id", ids())
def test_no_small_change_to_the_solution_passes(id: str, monkeypatch: pytest.MonkeyPatch, unchecked: None) -> None:
    quick = ("any", "Only whether it passes matters here.")
    monkeypatch.setattr("anatomy_utils.exercises.judging.value_checks.diagnose", lambda wrong: quick)
    exercise = find_exercise(id)
    tried = 0
    for text, tree in _mutants(solution_source(id)):
        function = _function(tree)
        if judge(exercise, function, seconds=1.0).passed:
            assert _equals_the_reference(id, function), f"this passed, and it is wrong:\n{text}"
        tried += 1
    assert tried >= 2


def _equals_the_reference(id: str, function: Any) -> bool:
    """Some changes change nothing (−1 for 1 as the last axis of two): then all other seeds agree as well."""
    for seed in range(1000, 1100):
        key = AnswerKey(find_exercise(id), seed)
        for case, target in zip(key.cases, key.targets, strict=True):
            wanted = tuple(target) if isinstance(target, tuple) else target
            if not same_result(function(*case.arguments.values()), wanted):
                return False
    return True


def _function(tree: ast.Module) -> Any:
    namespace = {"torch": torch, "Tensor": torch.Tensor, "exercise": lambda id: lambda function: function}
    exec(compile(tree, "<mutant>", "exec"), namespace)
    return next(value for name, value in reversed(namespace.items()) if callable(value) and name != "exercise")


def _mutants(source: str) -> Iterator[tuple[str, ast.Module]]:
    """The source with one thing changed: an operator, a number, a name, or a call or a line left out."""
    tree = ast.parse(source)
    count = sum(1 for _ in ast.walk(tree))
    changed = copy.deepcopy(tree)
    for place in range(count):
        for kind in range(4):
            node = list(ast.walk(changed))[place]
            if _change(changed, node, kind):
                text = ast.unparse(ast.fix_missing_locations(changed))
                yield text, ast.parse(text)
                changed = copy.deepcopy(tree)


SWAPS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Div: (ast.Mult, ast.Add), ast.Mult: (ast.Div,), ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,),
    ast.MatMult: (ast.Mult,), ast.Pow: (ast.Mult,),
}  # fmt: skip


def _change(tree: ast.Module, node: ast.AST, kind: int) -> bool:
    if isinstance(node, ast.BinOp):
        others = SWAPS.get(type(node.op), ())
        if kind < len(others):
            node.op = others[kind]()
            return True
        if kind == 3:
            node.left, node.right = node.right, node.left
            return True
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        values = [node.value + 1, node.value - 1, -node.value or 2]
        if kind < 3:
            node.value = values[kind]
            return True
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool) and kind == 0:
        node.value = not node.value
        return True
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert) and kind == 0:
        node.op = ast.Not()
        return True
    elif isinstance(node, ast.Attribute) and kind == 0 and node.attr in RENAMED:
        node.attr = RENAMED[node.attr]
        return True
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, UNMOVED) and kind < 2:
        operator = (ast.Add(), ast.Sub())[kind]
        node.slice = ast.BinOp(left=node.slice, op=operator, right=ast.Constant(1))
        return True
    elif isinstance(node, ast.FunctionDef) and len(node.body) > 2 and kind < len(node.body) - 2:
        del node.body[kind + 1]
        return True
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call) and kind == 1:
        inner = node.value.func
        if isinstance(inner, ast.Attribute):
            node.value = inner.value  # return what the last call was made on
            return True
    return False


UNMOVED = (ast.UnaryOp, ast.Constant, ast.Slice, ast.Tuple)  # −1 and 0 change as numbers; 1 cannot be added to a slice

RENAMED = {
    "tril": "triu", "amax": "amin", "exp": "exp2", "sum": "mean", "mean": "sum", "softmax": "log_softmax",
    "ones": "zeros",
}  # fmt: skip
