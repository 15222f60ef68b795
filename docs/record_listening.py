"""Record what Whisper answers to the two sounds of notebook 06, for learners without its weights.

Run it after a change of the clip or of how times are found: `python docs/record_listening.py`, five seconds. It writes
`lab/experiments/heard.json`.
"""

from __future__ import annotations

import json

import torch

from anatomy_course.lab.experiments.listening import RECORDED, clip, fingerprint, listen
from anatomy_utils.zoo.sound import RATE

if __name__ == "__main__":
    answers = {}
    for sound in (clip(), torch.cat([torch.zeros(RATE), clip()])):
        heard = listen(sound)._asdict()
        del heard["is_recorded"]
        answers[fingerprint(sound)] = heard
    RECORDED.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")
