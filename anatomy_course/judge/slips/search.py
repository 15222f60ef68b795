"""Search the small edits of an answer for the one that explains what is wrong with it."""

from __future__ import annotations

import ast
import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.attempt.tried import Attempt
from anatomy_course.judge.slips.child import in_a_child
from anatomy_course.judge.slips.edit import ALL, Edit, function_name, left_out, missing_step
from anatomy_course.judge.slips.edit_runner import EditOutcome, EditRunner
from anatomy_course.judge.slips.sentences import Repair, Slip
from anatomy_course.judge.slips.vocabulary import EditVocabulary

SECONDS = 1.9  # how much of the processor's time a search may take
ON_THE_CLOCK = 2.4  # how many seconds it may take on a machine that has other things to do
LOOK_AROUND = 0.25
"""How long the search goes on for something better, or just as good elsewhere, when an edit has been found."""
AS_GOOD = 0.15  # how little an edit elsewhere may cost more and still be named beside the best
MISTAKE_LEFT = 0.8  # what it costs to leave a catalogued mistake to be explained
LIKER = 0.1  # what it saves for each word that an edited answer shares with the solution and the answer did not
MOST_WORDS = 2  # from how many on no more is saved: what is taken from the solution whole shares more than that
FRESH = ("copied", "in_place")  # kinds of edits that mend an answer which changes its arguments
FRESHENS = 0.8  # what it saves to be one of them then
BASES = 8  # how many edits that come nearer are tried together with a second one
ON_ONE_PLACE = 2  # how many of them may change the same expression
LIKELY = 1.6  # what an edit may cost that is tried before all others, alone and as a second one
FOR_BASES = 0.85  # of the time, until when second ones are tried
GAIN = 0.05  # by how much an edited answer must be more like the target where it is no nearer otherwise
SHORT = 2  # signs of the learner's that need what is around them to be found on their line
TURN = 40  # how many second edits are tried with one of them before it is the next one's turn; more with the best two
DESTRUCTIVE = frozenset(
    "call_less index_less only_argument only_side line_less replaced argument_less returned condition".split()
)
"""Kinds of edits that take so much away that an answer may come out equal to a mistake by accident."""
MAKESHIFT = frozenset("axis_added axis_removed laid_out bounded more".split())
"""Kinds of edits that are found to do so by arithmetic."""
SIGNS = {ast.Sub: "-", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@"}
EXCHANGES = ("name", "method")
COMMON = frozenset("negated sign root transposed only_side only_argument".split())
"""Kinds of edits that learners need more often than their cost says."""
SOONER = 0.4  # by so much
REDUCTIONS = frozenset("sum mean prod max min amax amin all any logsumexp".split())
"""Calls that do nothing over an axis of length one."""


class OutOfTime(Exception):  # noqa: N818 (it is no error)
    """The search has had its time."""


@dataclass
class RepairSearch:
    """One search.

    Args:
        tell: told of the best explanation so far each time there is a better one.
    """

    program: Program  # the learner's code
    words: EditVocabulary  # what edits are made of
    bench: EditRunner  # where they are tried
    seconds: float = SECONDS  # how long the search may take
    tell: Callable[[Repair], None] = lambda repair: None
    tried: int = 0
    found: list[Repair] = field(default_factory=list)
    nearer: list[tuple[tuple[float, ...], Edit]] = field(default_factory=list)

    def run(self) -> Repair | None:
        """The best explanation found in time."""
        self._cpu, self._clock, self._end = time.thread_time(), time.monotonic(), self.seconds
        function = self.program.build()
        if function is None:
            return None
        self._likeness, self._words = self.words.likeness(), self.words.now()
        try:
            self._base = self.bench.outcome(function)
            edits = sorted(all_edits(self.program, self.words), key=self._cost)
            likely = [edit for edit in edits if self._cost(edit) <= LIKELY]
            self._try_all(likely)
            self._try_on_bases(LIKELY, self.seconds / 2)
            self._try_all(edits[len(likely) :])
            self._try_on_bases(float("inf"), FOR_BASES * self.seconds)
            if not self.found:
                self._try_pairs()
        except OutOfTime:
            pass
        if self.found and best_of(self.found).slips[0].kind == "axis_added":
            self._try_without()
        return best_of(self.found) if self.found else None

    def _try_without(self) -> None:
        """Where an added axis only makes a reduction or an index do nothing, that it is one too many is the truth."""
        added = best_of(self.found).cost
        for slot in list(self.program.slots()):
            reduces = isinstance(slot.node, ast.Call) and function_name(slot.node) in REDUCTIONS
            if not reduces and not isinstance(slot.node, ast.Subscript):
                continue
            for edit in left_out(slot, self.words):
                self._try(replace(edit, cost=added - 2 * AS_GOOD))

    def _try_all(self, edits: Sequence[Edit], before: tuple[Edit, ...] = ()) -> None:
        for edit in edits:
            if self._is_enough(edit, len(before)):
                return
            if self._spent() > self._end:
                raise OutOfTime
            self._try(edit, before=before)

    def _try_on_bases(self, most: float, until: float) -> None:
        """A second edit that costs no more than `most` on top of each of those that come nearest, in turns."""
        if self.found:
            return
        self.nearer.sort(key=lambda pair: ([-number for number in pair[0]], pair[1].cost))
        bases: list[tuple[Edit, list[Edit]]] = []
        for _, first in self.nearer:
            same_place = [base for base, _ in bases if base.node is first.node]
            if len(bases) < BASES and len(same_place) < ON_ONE_PLACE:
                with first.applied():
                    edits = [edit for edit in all_edits(self.program, self.words) if self._cost(edit) <= most]
                    bases.append((first, sorted(edits, key=lambda edit: edit.cost - SOONER * (edit.kind in COMMON))))
        for turn in range(max((len(edits) for _, edits in bases), default=0) // TURN + 1):
            for rank, (first, edits) in enumerate(bases):
                if self._spent() > until:
                    return
                many = TURN * (3 if rank == 0 else 2 if rank == 1 else 1)
                with first.applied():
                    self._try_all(edits[turn * many : (turn + 1) * many], (first,))

    def _try_pairs(self) -> None:
        """Two edits at once where neither alone comes nearer; the cheapest of both first."""
        edits = sorted(all_edits(self.program, self.words), key=lambda edit: edit.cost)
        for total in range(1, 2 * len(edits)):
            for j in range(max(0, total - len(edits) + 1), (total + 1) // 2):
                one, other = edits[j], edits[total - j]
                if self._spent() > self._end or self.found:
                    return
                if {node for node, *_ in one.changes} & {node for node, *_ in other.changes}:
                    continue
                self._try(one, other)

    def _try(self, *edits: Edit, before: tuple[Edit, ...] = ()) -> None:
        """Judge the program with these edits, besides those that it has already."""
        with contextlib.ExitStack() as stack:
            for edit in edits:
                stack.enter_context(edit.applied())
            function = self.program.build()
            if function is not None:
                self._judge((*before, *edits), function)

    def _is_enough(self, edit: Edit, before: int) -> bool:
        """Whether something was found that no such costly edit can better."""
        costs = [repair.cost for repair in self.found if not repair.mistake and len(repair.slips) == before + 1]
        return bool(costs) and self._cost(edit) > min(costs) + 2 * AS_GOOD

    def _cost(self, edit: Edit) -> float:
        """What an edit costs; little where arguments were changed and it takes a copy of them."""
        return edit.cost - FRESHENS if self.bench.untouched and edit.kind in FRESH else edit.cost

    def _judge(self, edits: tuple[Edit, ...], function: Callable[..., object]) -> None:
        self.tried += 1
        outcome = self.bench.outcome(function)
        alone = len(edits) == 1
        if outcome.right and alone and self._is_another_function(edits[0]):
            return
        left = outcome.mistake is not None and alone and self._comes_no_farther(edits[0], outcome)
        if (outcome.right and alone) or ((outcome.right or left) and self._leads_somewhere(edits)):
            if self.bench.confirms(function, outcome.mistake):
                self._keep(edits, outcome)
        elif alone and self._is_nearer(outcome.nearness) and self._may_be_one_of_two(edits[0]):
            self.nearer.append((outcome.nearness, edits[0]))

    def _is_nearer(self, nearness: tuple[float, ...]) -> bool:
        """Whether it comes nearer to the target than the answer as it is, and not only by a hair."""
        before = self._base.nearness
        if nearness[:-1] != before[:-1]:
            return nearness > before
        return nearness[-1] >= before[-1] + GAIN

    def _is_another_function(self, edit: Edit) -> bool:
        """Whether an edit calls what no right answer calls: a `log` that makes −∞ of a 0, or, where only some cases are
        wrong, too few to tell by, `min` for a `max` that is taken over too much. That is right by accident."""
        if edit.kind != "call_missing" and not (edit.kind == "method" and self.bench.partly_right):
            return False
        return bool(self.words.now() - self._words - self.words.of_right_answers)

    def _comes_no_farther(self, edit: Edit, outcome: EditOutcome) -> bool:
        """Whether what is left when a mistake is left lies no farther from a right answer than before the edit.

        A mistake may hold what the edit has just spoiled: then the learner's own words were right there.
        """
        assert outcome.mistake is not None
        nearer = outcome.form >= self._base.form and self.words.likeness() >= self._likeness
        if not nearer or self.bench.is_farther(outcome.mistake):
            return False
        exchanges = edit.kind in EXCHANGES or isinstance(getattr(edit.node, "ctx", None), ast.Store)
        if not self.bench.results and exchanges:  # it stops at once: there is nothing to tell by
            return False
        return edit.kind != "method" or self.bench.shows_beside(outcome.mistake)

    def _leads_somewhere(self, edits: tuple[Edit, ...]) -> bool:
        """Whether what is left may be told: the edits take nothing away and add only what right answers have too.

        Others change an answer into a mistake, or into something else that happens to be right, and mend nothing.
        """
        vague = DESTRUCTIVE | (MAKESHIFT | {"grouped"} if len(edits) == 1 else frozenset())
        added = self.words.now() - self._words
        harmless = all(edit.kind not in vague or (len(edits) > 1 and self._may_be_one_of_two(edit)) for edit in edits)
        told = harmless and not any(isinstance(edit.node, ast.Return) for edit in edits)
        return told and not added - self.words.of_right_answers

    def _may_be_one_of_two(self, edit: Edit) -> bool:
        """Whether an edit takes nothing away but one name or number, or a step that no right answer has."""
        node = edit.node
        match edit.kind:
            case kind if kind not in DESTRUCTIVE:
                return True
            case "replaced":
                return isinstance(node, ast.Name | ast.Constant)
            case "only_argument" | "call_less" if isinstance(node, ast.Call):
                return function_name(node) not in self.words.of_right_answers
            case "only_side" if isinstance(node, ast.BinOp):
                return type(node.op).__name__ not in self.words.of_right_answers
        return False

    def _keep(self, edits: tuple[Edit, ...], outcome: EditOutcome) -> None:
        cost = sum(map(self._cost, edits)) + (MISTAKE_LEFT if outcome.mistake else 0.0)
        cost -= LIKER * min(self.words.likeness() - self._likeness, MOST_WORDS)
        name = outcome.mistake.name if outcome.mistake else ""
        slips = []
        for edit in edits:
            line = getattr(edit.node, "lineno", 0)
            text, line_text = self.program.text(edit.node, edit.scope), self.program.line(line, edit.scope)
            edited = statement_at(self.program.tree, line)
            around, within, which = edit.changes[0][0], "", ""
            if len(text) <= SHORT and isinstance(around, ast.expr | ast.keyword) and around is not edit.node:
                within = self.program.text(around, edit.scope) if around.lineno == line else ""
                which = which_of(text, within, edit.node.col_offset - around.col_offset)  # type: ignore[attr-defined]
            slips.append(Slip(edit.kind, line, text, line_text, edited, within, which, missing_step(edit), about(edit)))
        self.found.append(Repair(tuple(slips), name, cost))
        self.tell(best_of(self.found))
        if outcome.right:
            self._end = min(self._end, self._spent() + LOOK_AROUND)

    def _spent(self) -> float:
        return max(time.thread_time() - self._cpu, (time.monotonic() - self._clock) * SECONDS / ON_THE_CLOCK)


def which_of(text: str, within: str, start: int) -> str:
    """Which one the short text is that begins at `start` in a longer one; empty where there is only one.

    >>> which_of("0", "mask[0] == 0", 11)
    'last'
    """
    places = [found.start() for found in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", within)]
    if len(places) < 2 or start not in places:
        return ""
    return "last" if start == places[-1] else ("first", "second", "third")[min(places.index(start), 2)]


def about(edit: Edit) -> str:
    """What an exchange is about, in words: the sides of which operator, the arguments of which call."""
    node = edit.node
    if edit.kind == "sides" and isinstance(node, ast.BinOp) and (sign := SIGNS.get(type(node.op))):
        return f"the two sides of the `{sign}`"
    if edit.kind == "order" and isinstance(node, ast.Call) and (name := function_name(node)):
        return f"the arguments of `{name}`"
    return ""


def all_edits(program: Program, words: EditVocabulary) -> Iterator[Edit]:
    slots = list(program.slots())
    return chain.from_iterable(kind(slot, words) for kind in ALL for slot in slots)


def best_of(found: Sequence[Repair]) -> Repair:
    """The repair that costs least, with those elsewhere that cost hardly more."""
    best = min(found, key=lambda repair: repair.cost)
    if len(best.slips) > 1:
        return best
    places = [best.slips[0]]
    for repair in sorted(found, key=lambda repair: repair.cost):
        one, as_good = repair.slips[0], len(repair.slips) == 1 and repair.cost <= best.cost + AS_GOOD
        on_this_line = (slip.text for slip in places if slip.line == one.line)
        overlap = any(one.text in text or text in one.text for text in on_this_line)
        if as_good and repair.mistake == best.mistake and not overlap:
            places.append(one)
    return replace(best, rivals=tuple(places[1:]))


def statement_at(tree: ast.AST, line: int) -> str:
    """The innermost statement on a line, as Python would write it; its first line."""
    holding = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return ast.unparse(holding[-1]).splitlines()[0] if holding else ""


def find_repair(
    trial: Attempt, *, seconds: float = SECONDS, on_wait: Callable[[], None] | None = None
) -> Repair | None:
    """The edits of the learner's code that explain what is wrong; None when none does, or it may not be run again.
    `seconds` are of the processor's time; `on_wait` is called once when the learner has waited for a moment."""
    program = trial.program()
    if program is None:
        return None
    bench = EditRunner.of(trial)
    search = RepairSearch(program, EditVocabulary(program, trial.exercise), bench, seconds)
    _ = bench.answer_key.targets, bench.possible  # what every edited answer is compared to, before the clock runs

    def work(tell: Callable[[Repair], None]) -> None:
        search.tell = tell
        with bench.open():
            search.run()

    with tempfile.TemporaryDirectory() if trial.writes else contextlib.nullcontext() as name:
        limit = seconds * ON_THE_CLOCK / SECONDS + 0.5
        return in_a_child(work, limit, on_wait, folder=Path(name) if name else None)  # type: ignore[no-any-return]
