"""Record what published encoder–decoders answer in notebook 06, for learners without their weights.

Run it after a change of the clip, of how times are found, or of what is translated: `python docs/record_published.py`,
half a minute. It writes `lab/experiments/heard.json` and `translated.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from anatomy_course.lab.experiments import listening, scale


def write(place: Path, kept: dict[str, Any]) -> None:
    """Write what was answered."""
    place.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    heard = [listening.listen(sound)._asdict() for sound in (listening.clip(), listening.clip_with_pause())]
    for answer in heard:
        del answer["is_recorded"]
        answer["looked"] = [" ".join(map(str, row)) for row in answer["looked"]]
    write(listening.RECORDED, {"heard": heard, "distances": listening.measure_clocks()})
    words = scale.ask_words()._asdict()
    write(scale.RECORDED, {"words": words})
    scale._recorded.cache_clear()
    answers = scale.answers()
    rounded = [[round(weight, 3) for weight in row] for row in answers.alignment.weights]
    answers = answers._replace(alignment=answers.alignment._replace(weights=rounded))._asdict()
    del answers["is_recorded"]
    write(scale.RECORDED, {"words": words, "answers": answers})
