"""The search for the slip: what it finds in the learner's own lines, what it says, and what it leaves alone."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch

from anatomy_course.judge import exercise, find_exercise, hint, ids
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.attempt.run import execute
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.slips.child import can_fork, in_a_child
from anatomy_course.judge.slips.edit import expression
from anatomy_course.judge.slips.edit_runner import EditRunner
from anatomy_course.judge.slips.expressions import _undoes
from anatomy_course.judge.slips.search import all_edits, best_of, find_repair
from anatomy_course.judge.slips.sentences import WHAT, Repair, Slip, sentence
from anatomy_course.judge.slips.vocabulary import EditVocabulary

CELLS = iter(range(10**6))


def written(text: str, name: str) -> Callable[..., Any]:
    """The function of a cell, as if a learner had run it."""
    file = f"<a learner's cell {next(CELLS)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    functions = {find_exercise(id).function_name: find_exercise(id).resolve() for id in ids()}
    names = {"torch": torch, "F": torch.nn.functional, "Tensor": torch.Tensor, "__name__": "__main__", **functions}
    exec(compile(text, file, "exec"), names)
    function: Callable[..., Any] = names[name]
    return function


def found(id: str, text: str) -> Repair | None:
    exercise = find_exercise(id)
    function, key = written(text, exercise.function_name), AnswerKey(exercise)
    run = execute(function, key.cases, seconds=exercise.seconds)
    return find_repair(Attempt(exercise, key, function, run, exercise.seconds), seconds=10.0)


def judged(id: str, text: str) -> Verdict:
    exercise = find_exercise(id)
    return judge(exercise, written(text, exercise.function_name), search=True)


@pytest.fixture(autouse=True)
def enough_time(monkeypatch: pytest.MonkeyPatch, unchecked: None) -> None:
    """A busy machine must not decide what is found."""
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", partial(find_repair, seconds=5.0))


ONE = (
    ("attention.weighted_average", "axis", 3, "1", """def weighted_average(weights, vectors):
    pieces = [w @ vectors for w in weights.unbind(-2)]
    return torch.stack(pieces, 1)
"""),
    ("attention.weighted_average", "order", 5, "j, i", """def weighted_average(weights, vectors):
    made = torch.zeros(weights.shape[-2], vectors.shape[-1])
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            made[i] += weights[j, i] * vectors[j]
    return made
"""),
    ("attention.projection", "transposed", 2, "weight", """def project(hidden_states, weight, bias):
    return F.linear(hidden_states, weight, bias)
"""),
    ("attention.scores", "grouped", 4, "scores / width ** 1 / 2", """def attention_scores(query, key):
    width = query.shape[-1]
    scores = query @ key.transpose(-2, -1)
    return scores / width ** 1 / 2
"""),
    ("attention.attention", "axis_kept", 4, "powers.sum(dim=-1)", """def attend_all_words(query, key, value):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = powers / powers.sum(dim=-1)
    return weights @ value, weights
"""),
    ("multi_head.merge_heads", "method", 3, "turned.view", """def merge_heads(vectors):
    turned = vectors.transpose(1, 2)
    return turned.view(vectors.shape[0], vectors.shape[2], -1)
"""),
    ("multi_head.switch_off", "copied", 3, "context", """def switch_off(context, head, num_heads):
    width = context.shape[-1] // num_heads
    made = context
    made[..., head * width : (head + 1) * width] = 0
    return made
"""),
    ("decoder.top_k", "argument_missing", 2, "logits.sort(dim=-1)", """def top_k(logits, k):
    ordered = logits.sort(dim=-1).values
    least = ordered[..., k - 1 : k]
    return logits.masked_fill(logits < least, float("-inf"))
"""),
    ("decoder.vocabulary_logits", "argument_missing", 2, "torch.nn.Linear(*token_table.T.shape)",
     """def vocabulary_logits(hidden_states, token_table):
    layer = torch.nn.Linear(*token_table.T.shape)
    layer.weight.data = token_table
    return layer(hidden_states)
"""),
    ("taxonomy.window_mask", "bounded", 4, "q - window + 1", """def window_mask(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for q in range(length):
        mask[q, q - window + 1 : q + 1] = True
    return mask
"""),
    ("attention.weighted_average", "block", 5, "return torch.stack(pieces, -2)",
     """def weighted_average(weights, vectors):
    pieces = []
    for row in weights.unbind(-2):
        pieces.append((row.unsqueeze(-2) @ vectors).squeeze(-2))
        return torch.stack(pieces, -2)
"""),
    ("attention.scores", "order_of_lines", 2, "scores = query @ turned", """def attention_scores(query, key):
    scores = query @ turned
    turned = key.transpose(-2, -1)
    scores = scores / query.shape[-1] ** 0.5
    return scores
"""),
    ("attention.weighted_average", "argument_missing", 2, "torch.sum(weights[..., None] * vectors[..., None, :, :])",
     """def weighted_average(weights, vectors):
    return torch.sum(weights[..., None] * vectors[..., None, :, :])
"""),
    ("taxonomy.cache_bytes", "block", 3, "total = 0",
     """def cache_bytes(lengths, num_layers, num_kv_heads, d_head, window, bytes_per_number):
    made = []
    total = 0
    for length in lengths.tolist():
        for layer in range(num_layers):
            total += 2 * min(length, window) * num_kv_heads * d_head * bytes_per_number
        made.append(total)
    return torch.tensor(made)
"""),
)  # fmt: skip


@pytest.mark.parametrize(("id", "kind", "line", "text", "code"), ONE, ids=[f"{case[0]}-{case[1]}" for case in ONE])
def test_one_slip_is_found_in_its_line(id: str, kind: str, line: int, text: str, code: str) -> None:
    repair = found(id, code)
    assert repair is not None and not repair.mistake
    slip = repair.slips[0]
    assert len(repair.slips) == 1 and (slip.kind, slip.line, slip.text) == (kind, line, text)
    assert slip.line_text == code.splitlines()[line - 1].strip()
    assert (slip.edited and slip.edited.replace("'", '"') not in code) or kind in ("block", "order_of_lines")


def test_two_slips_of_which_one_is_catalogued_are_both_said() -> None:
    verdict = judged(
        "attention.attention",
        """def attend_all_words(query, key, value):
    scores = query @ key.transpose(-2, -1) / value.shape[-1] ** 0.5
    return scores.softmax(dim=-1) @ value, scores
""",
    )
    assert verdict.found_by == "slip:name:scores_returned" and verdict.sentence.startswith("Two things seem to be off")
    assert "`value`" in verdict.sentence and "scaled scores" in verdict.sentence
    assert [slip.part for slip in verdict.slips] == ["value"]


def test_two_slips_that_no_catalogue_knows_are_both_marked() -> None:
    verdict = judged(
        "multi_head.stack_heads",
        """def stack_heads(weights):
    num_heads, d_model, d_head = weights.shape
    wide = torch.zeros(d_model, num_heads * d_head)
    for h in range(num_heads - 1):
        start = h * num_heads
        wide[:, start : start + d_head] = weights[h]
    return wide
""",
    )
    assert {(slip.number, slip.part) for slip in verdict.slips} >= {(5, "num_heads")} and len(verdict.slips) == 2
    assert verdict.sentence.count("Line ") == 2 and "fixing both makes everything right" in verdict.sentence


def test_the_slip_may_be_in_a_helper_and_the_crash_too() -> None:
    verdict = judged(
        "attention.attention",
        """def normed(powers):
    total = powers.sum(-1)
    return powers / total

def attend_all_words(query, key, value):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = normed((scores - scores.amax(-1, keepdim=True)).exp())
    return weights @ value, weights
""",
    )
    assert verdict.state == "crashed" and verdict.line is not None and verdict.line.number == 3
    assert [(slip.number, slip.part) for slip in verdict.slips] == [(2, "powers.sum(-1)")]
    assert "Line 2, `powers.sum(-1)`: everything is right when this call keeps the axis" in verdict.sentence


def test_the_card_does_not_give_the_edit_away_and_the_hint_does() -> None:
    verdict = judged("attention.weighted_average", ONE[0][4])
    assert "1" not in verdict.sentence.replace("`1`", "") and "dim" not in verdict.sentence
    assert "torch.stack(pieces, -2)" in verdict.hint or "torch.stack(pieces, " in verdict.hint


def test_every_kind_of_edit_has_its_words() -> None:
    kinds = set()
    for id, _, _, _, text in ONE:
        exercise = find_exercise(id)
        program = Program(written(text, exercise.function_name))
        kinds |= {edit.kind for edit in all_edits(program, EditVocabulary(program, exercise))}
    assert len(kinds) > 30 and kinds <= WHAT.keys()


def test_a_mistake_of_another_shape_is_neither_nearer_nor_farther() -> None:
    exercise = find_exercise("start.mean")
    function = written("def mean_vector(vectors):\n    return vectors.mean(1)\n", "mean_vector")
    key = AnswerKey(exercise)
    run = execute(function, key.cases, seconds=exercise.seconds)
    bench = EditRunner.of(Attempt(exercise, key, function, run, exercise.seconds))
    assert not any(bench.is_farther(mistake) for mistake, results in key.mistaken if results[0].dim() == 1)


def test_an_edit_is_taken_back() -> None:
    program = Program(written(ONE[4][4], "attend_all_words"))
    words = EditVocabulary(program, find_exercise("attention.attention"))
    before = program.dump()
    for edit in list(all_edits(program, words)):
        with edit.applied():
            pass
    assert program.dump() == before


@pytest.mark.skipif(not can_fork(), reason="here a search runs in the same process")
def test_an_edit_that_kills_its_process_kills_no_other() -> None:
    assert in_a_child(lambda tell: (tell("before"), os.abort()), 5.0) == "before"  # type: ignore[func-returns-value]


@pytest.mark.skipif(not can_fork(), reason="here a search runs in the same process")
def test_a_search_that_hangs_is_ended_and_somebody_who_waits_is_told_once() -> None:
    words: list[str] = []

    def work(tell: Callable[[Any], None]) -> None:
        tell("so far")
        while True:
            pass

    assert in_a_child(work, 1.0, lambda: words.append("wait")) == "so far"
    assert words == ["wait"]


def test_what_the_edited_answers_print_and_change_stays_with_them(capfd: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    assert found(
        "attention.weighted_average",
        "def weighted_average(weights, vectors):\n    print('loud')\n    torch.rand(3)\n"
        "    return weights @ vectors + 1\n",
    )
    assert capfd.readouterr() == ("", "") and torch.equal(torch.get_rng_state(), before)


def test_a_right_answer_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", lambda *a, **k: pytest.fail("searched"))
    exercise = find_exercise("attention.scores")
    assert judge(exercise, exercise.resolve(), search=True).passed
    assert judge(exercise, exercise.mistakes[0].function, search=True).found_by.startswith("mistake:")


def test_hint_gives_the_edit_first_until_the_next_check(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = Progress(tmp_path / "progress.json")
    exercise("attention.weighted_average", record=record)(written(ONE[0][4], "weighted_average"))
    edit, usual, *_ = hint("attention.weighted_average", record=record).text.splitlines()[1:]
    assert edit.startswith("  1. Line 3 could read `") and usual.startswith("  2. ")
    exercise("attention.weighted_average", record=record)(lambda weights, vectors: weights @ vectors)
    assert "could read" not in hint("attention.weighted_average", record=record).text


def test_who_waits_is_told_and_the_words_go_again(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def show_for_now(words: str) -> Callable[[], None]:
        told.append(words)
        return lambda: told.append("gone")

    def slow(*arguments: Any, on_wait: Callable[[], None], **options: Any) -> None:
        on_wait()

    monkeypatch.setattr("anatomy_course.judge.decorator.show_for_now", show_for_now)
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", slow)
    record = Progress(tmp_path / "progress.json")
    text = "def weighted_average(weights, vectors):\n    return weights @ vectors + 1\n"
    exercise("attention.weighted_average", record=record)(written(text, "weighted_average"))
    assert told == ["Looking for the line", "gone"]


def test_a_mistake_that_spoils_what_is_right_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", partial(find_repair, seconds=5.0))
    verdict = judged(
        "attention.masked_softmax",
        """def masked_softmax(scores, mask):
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)
""",
    )
    assert not verdict.passed and "seem to be off" not in verdict.sentence


def test_what_accounts_for_every_number_comes_before_a_repair_by_arithmetic() -> None:
    verdict = judged(
        "attention.lookup",
        """import math
def lookup(table, input_ids):
    return F.embedding(input_ids, table) * math.sqrt(table.size(1))
""",
    )
    assert "times 1.73" in verdict.sentence and "one more axis" not in verdict.sentence


@pytest.mark.parametrize(
    ("reduced", "mended"),
    [
        ("table[input_ids].sum(dim=1)", "without the call at its end"),
        ("torch.mean(table[input_ids], 1)", "with the first argument of this call in its place"),
    ],
)
def test_a_reduction_too_many_is_no_missing_axis(reduced: str, mended: str) -> None:
    """Over an added axis of length one a reduction does nothing."""
    verdict = judged("attention.lookup", f"def lookup(table, input_ids):\n    return {reduced}\n")
    assert verdict.sentence == f"Line 2, `{reduced}`: everything is right {mended}."


def test_one_objection_does_not_explain_another() -> None:
    text = (
        "def save_training(path, model, optimizer, generator, step):\n"
        "    out = {'step': step, 'generator': generator.get_state()}\n"
        "    out['optimizer'] = optimizer.state_dict()['state']\n"
        "    out['model'] = model.state_dict()\n"
        "    torch.save(out, path)"
    )
    exercise = find_exercise("workshop.save_training")
    function, key = written(text, "save_training"), AnswerKey(exercise)
    run = execute(exercise.as_function(function), key.cases, seconds=exercise.seconds)
    bench = EditRunner.of(Attempt(exercise, key, function, run, exercise.seconds))
    assert bench.objections == {"part"}
    assert "no_step" not in {key.mistaken[number][0].name for number in bench.possible}, "its file has no step at all"


def test_an_edit_that_spoils_what_is_right_and_so_equals_a_mistake_is_not_told() -> None:
    verdict = judged("workshop.llama_block", """class LlamaBlock(torch.nn.Module):
    def __init__(self, d_model, num_heads, num_key_value_heads, d_inner, base, epsilon):
        super().__init__()
        self.attention_norm = torch.nn.RMSNorm(d_model, eps=epsilon)
        self.feed_forward_norm = torch.nn.RMSNorm(d_model, eps=epsilon)
        self.attention = GroupedAttention(d_model, num_heads, num_key_value_heads, base)
        self.feed_forward = GatedFeedForward(d_model, d_inner)

    def forward(self, x):
        x = x + self.attention_norm(self.attention(x))
        return x + self.feed_forward_norm(self.feed_forward(x))
""")  # fmt: skip
    assert "num_heads" not in verdict.sentence and not verdict.found_by.endswith("own_keys")


def test_two_places_on_one_line_that_do_equally_well_are_both_named_and_a_part_of_one_is_not() -> None:
    def repair(text: str, cost: float) -> Repair:
        return Repair((Slip("name", 3, text, "mean = total / count", ""),), cost=cost)

    best = best_of([repair("count", 1.1), repair("total", 1.0), repair("total / count", 1.1), repair("mean", 2.0)])
    assert sentence(best).startswith("Line 3, `total`, or line 3, `count`: everything is right")


def test_the_operator_is_told_and_not_a_function_that_makes_up_for_it() -> None:
    verdict = judged("attention.one_word", """def attend_one_word(query, key, value):
    scores = (key * query).sum(dim=-1) * query.shape[-1] ** 0.5
    return scores.softmax(-1) @ value
""")  # fmt: skip
    assert verdict.found_by == "slip:operator"


def test_a_function_that_no_right_answer_calls_is_not_told_of_an_answer_that_is_partly_right() -> None:
    verdict = judged("attention.masked_softmax", """def masked_softmax(scores, mask):
    largest = scores.max(dim=-1, keepdim=True).values
    powers = torch.where(mask, (scores - largest).exp(), 0.0)
    total = powers.sum(dim=-1, keepdim=True)
    return powers / torch.where(total == 0, 1.0, total)
""")  # fmt: skip
    assert not verdict.passed and "another function" not in verdict.sentence


@pytest.mark.parametrize(
    ("id", "kind", "text", "code"),
    [
        ("taxonomy.repair", "copied", "labels[:]", """def repaired_batch(input_ids, attention_mask, labels):
    silent = labels[:]
    silent.fill_(-100)
    return input_ids.repeat(1, 2), attention_mask.repeat(1, 2), torch.cat([silent, labels], dim=1)
"""),
        ("encoder.repair_positions", "length", "len(input_ids)",
         """def repaired_embedding(input_ids, token_table, position_table):
    return token_table[input_ids] + position_table[:len(input_ids)]
"""),
        ("encoder_decoder.translate", "index_less", "next_logits(ids, memory)[:, -1, :]",
         """def translate(next_logits, memory, start_id, stop_id, pad_id, max_new_tokens):
    ids = torch.full((len(memory), 1), start_id)
    done = torch.zeros(len(memory), dtype=torch.bool)
    for _ in range(max_new_tokens):
        best = next_logits(ids, memory)[:, -1, :].argmax(-1).masked_fill(done, pad_id)
        ids = torch.cat([ids, best[:, None]], 1)
        done = done | (best == stop_id)
        if bool(done.all()):
            break
    return ids
"""),
        ("workshop.random_windows", "number", "1", """def random_windows(ids, batch_size, length, generator):
    starts = torch.randint(0, len(ids) - length - 1, (batch_size,), generator=generator)
    places = starts[:, None] + torch.arange(length)
    return ids[places], ids[places + 1]
"""),
        ("encoder.embed", "cut", "position_table",
         """def embed(input_ids, segment_ids, token_table, position_table, segment_table):
    return token_table[input_ids] + segment_table[segment_ids] + position_table
"""),
    ],
    ids=["copy", "length", "index", "not times 1", "part"],
)  # fmt: skip
def test_the_kind_of_edit_that_is_told_is_the_natural_one(id: str, kind: str, text: str, code: str) -> None:
    repair = found(id, code)
    assert repair is not None and (repair.slips[0].kind, repair.slips[0].text) == (kind, text)


@pytest.mark.parametrize(
    ("node", "operator", "side"),
    [("x", ast.Div, "x"), ("x", ast.Sub, "x"), ("x - 1", ast.Add, "1"), ("x / n", ast.Mult, "n")],
)
def test_no_step_undoes_another(node: str, operator: type[ast.operator], side: str) -> None:
    assert _undoes(expression(node), operator, expression(side))
    assert not _undoes(expression("x + 2"), operator, expression(side))


def test_the_first_call_that_differs_comes_before_an_edit_that_leaves_a_mistake() -> None:
    verdict = judged("decoder.write", """def write(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids = unread = prompt_ids
    for _ in range(max_new_tokens):
        logits, longer = step(unread, cache)
        unread = logits.argmax(dim=-1).reshape(1, 1)
        if unread.item() == stop_id:
            break
        ids = torch.cat((ids, unread), dim=1)
    return ids
""")  # fmt: skip
    assert "second call of `step` receives as its second argument `cache`" in verdict.sentence
    assert "`unread`" not in verdict.sentence


def test_a_mask_that_lacks_an_axis_in_the_middle_is_said_to() -> None:
    verdict = judged("encoder_decoder.attend_to_memory", """def attend_to_memory(query, key, value, attention_mask):
    scores = query @ key.transpose(-2, -1)
    padding = attention_mask[:, None, :] == 0
    return scores.masked_fill(padding, float("-inf")).softmax(-1) @ value
""")  # fmt: skip
    assert "`padding` has no axis to go with axis 1 of `scores`" in verdict.sentence


def test_a_type_that_cuts_off_decimals_is_the_whole_fault() -> None:
    verdict = judged("encoder_decoder.learning_rates", """def learning_rates(steps, d_model, warmup):
    rates = torch.zeros_like(steps)
    for i, step in enumerate(steps.tolist()):
        rates[i] = d_model ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)
    return rates
""")  # fmt: skip
    assert verdict.found_by.startswith("dtype") and "else is off" not in verdict.sentence
    assert "root" not in verdict.sentence


@pytest.mark.parametrize(
    ("id", "says", "code"),
    [
        ("workshop.own_name", "Your own `raise` stops here (ValueError: no).", """def own_name(published):
    raise ValueError("no")
"""),
        ("multi_head.repair", "so its axis 1 has 11, and `length` is 5",
         """def repaired_heads(query, key, value, num_heads, mask):
    batch, length, d_model = query.shape
    heads = [x.reshape(batch, length, num_heads, d_model // num_heads) for x in (query, key, value)]
    return heads[0]
"""),
        ("attention.weighted_average", "`j` counts through `range(len(weights))` (line ",
         """def weighted_average(weights, vectors):
    made = torch.zeros(len(weights), vectors.shape[1])
    for i in range(len(weights)):
        for j in range(len(weights)):
            made[i] += weights[i, j] * vectors[j]
    return made
"""),
    ],
    ids=["raise", "reshape", "loop"],
)  # fmt: skip
def test_a_crash_is_told_with_what_led_to_it(id: str, says: str, code: str) -> None:
    exercise = find_exercise(id)
    verdict = judge(exercise, written(code, exercise.function_name))
    assert says in verdict.sentence
