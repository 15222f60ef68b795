"""One page and one figure: what was claimed, what was measured, and what is proven of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from anatomy_course.capstone.project.plan import Shown, read, registration, sha256
from anatomy_course.capstone.project.proofs import BYTES, Proofs, check
from anatomy_course.capstone.project.trial import Results, build, results
from anatomy_course.figures import canvas
from anatomy_course.figures.charts import frame
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import INK, QUIET, look
from anatomy_course.page.page import CellOutput, escape, stacked, table
from anatomy_utils.taxonomy.costs import parameters

RULE = (
    "Rule: the claim is supported where the whole 95 % interval of the paired differences is at or above the claimed "
    "difference, not supported where all of it is below; otherwise these runs cannot tell."
)


@dataclass(frozen=True, repr=False)
class ProjectPage(Shown):
    """The page of a project; shows itself, and goes into the certificate.

    Attributes:
        path: of the page, an HTML file; the figure is beside it.
        claim: what the certificate says: organ and verdict, claim, order, proofs, hashes.
        counts: parameters, multiply–adds and bytes of the cache, as counted by hand.
        found: what was measured.
        proofs: what is proven.
        picture: the figure.
    """

    path: Path
    claim: list[tuple[str, str]]
    counts: list[tuple[str, str]]
    found: Results
    proofs: Proofs
    picture: Picture

    def table(self) -> CellOutput:
        """Everything but the figure."""
        facts = table("One organ, one claim", ["", ""], [*self.claim, *self.counts], words=[1])
        return stacked(facts, self.found.table(), CellOutput(f"<p>{escape(RULE)}</p>", RULE), self.proofs.table())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        drawn: Any = self.picture._repr_mimebundle_()
        return {"text/html": drawn["text/html"] + self.table().html, "text/plain": f"{self.picture.alt}\n{self!r}"}


def report(path: str | Path) -> ProjectPage:
    """Prove what can be proven, and write one page and one figure: `my_organ.html` and `my_organ.svg`.

    Raises:
        ValueError: the plan is not registered, nothing was run, or a file cannot be written.
    """
    project = read(path)
    found, registered = results(project), registration(project).registered
    proofs, drawn = check(path), _figure(found)
    files = [project.beside(ending) for ending in (".plan.json", ".results.json")]
    plan, doubt = project.plan, f" But these proofs do not hold: {', '.join(proofs.failed)}." if proofs.failed else ""
    sizes = ", ".join(f"{name} {value}" for name, value in plan["size"].items())
    shipped = project.path.read_bytes() == Path(__file__).with_name("example.txt").read_bytes()
    claim = [
        (project.plan["organ"] + (", the course's own example" if shipped else ""), found.sentence + doubt),
        ("Claim", project.plan["hypothesis"]),
        ("Budget", f"equal {plan['equal']}: {plan['steps']} steps without the organ, batch {plan['batch']}, {sizes}"),
        ("Order", f"registered {registered}, run {found.started}, {len(found.runs)} seeds"),
        ("Checked", f"{proofs.count} proofs hold"),
        *((f"SHA-256 of {each.name}", sha256(each.read_bytes())) for each in files),
    ]
    length = project.size.length
    counts = [("Parameters", "parameters", ()), (f"Multiply–adds a token, {length} tokens", "work", (length,)),
              (f"Bytes kept of {length} tokens", "cache_bytes", (length,))]  # fmt: skip
    with torch.random.fork_rng():
        numbers = parameters(build(project, plan["seeds"][0], None))
    without = numbers, found.work[0], BYTES * 2 * project.size.num_layers * project.size.d_model * length
    by_hand = [
        (f"{what}, by hand", f"{project.call(name, project.size, *given):,}; without the organ {before:,}")
        for (what, name, given), before in zip(counts, without, strict=True)
    ]
    made = ProjectPage(project.beside(".html"), claim, by_hand, found, proofs, drawn)
    page = (
        f"<style>body {{ font: 16px/1.4 sans-serif; margin: 2rem }} td, th {{ padding: 0 0.6rem }}</style>{drawn.svg()}"
    )
    title = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(claim[0][0])}</title>'
    try:
        drawn.save(project.beside(".svg"))
        made.path.write_text(f"{title}{page}{made.table().html}</html>\n", encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{made.path} cannot be written ({error.strerror}); use a folder of yours.") from error
    return made


@look()
def _figure(found: Results) -> Picture:
    """The difference of each seed, their mean with its interval, and the claimed difference."""
    gains, (mean, low, high), claimed = found.differences, found.interval, found.better_by
    names = [*(f"seed {run['seed']}" for run in found.runs), "mean, 95 %"]
    figure = canvas.page(600, 76 + 22 * len(names))
    axes = canvas.panel(figure, 90, 26, 480, 22 * len(names))
    frame(axes, f"better by ({found.metric})", "")
    axes.axvline(0, color=QUIET, linewidth=1)
    axes.axvline(claimed, color=canvas.role("key"), linewidth=1.5, linestyle="--")
    axes.annotate(f"claimed: {claimed:g}", (claimed, 1), (0, 4), xycoords=("data", "axes fraction"),
                  textcoords="offset points", ha="center", va="bottom", fontsize=10.5)  # fmt: skip
    axes.plot(gains, range(len(gains)), "o", color=canvas.role("query"))
    axes.plot([low, high], [len(gains)] * 2, color=INK, linewidth=3, solid_capstyle="butt")
    axes.plot(mean, len(gains), "D", color=INK)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=0.1)
    told = ", ".join(canvas.number(gain, 3) for gain in gains)
    return canvas.finish(figure, f"By how much the organ is better, seed by seed: {told}. {found.sentence}")
