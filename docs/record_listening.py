"""Record what Whisper answers to the sounds of notebook 06, for learners without its weights.

Run it after a change of the clip or of how times are found: `python docs/record_listening.py`, ten seconds. It writes
`lab/experiments/heard.json`.
"""

from __future__ import annotations

import json

from anatomy_course.lab.experiments.listening import RECORDED, clip, clip_with_pause, listen, measure_clocks

if __name__ == "__main__":
    heard = [listen(sound)._asdict() for sound in (clip(), clip_with_pause())]
    for answer in heard:
        del answer["is_recorded"]
    kept = {"heard": heard, "distances": measure_clocks()}
    RECORDED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
