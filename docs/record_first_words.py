"""Record what notebook 00 shows before a model is loaded: one sentence, its continuation, and 72 heads that read it.

Run it after a change of the models: `python docs/record_first_words.py`. It writes `views/first_words/recorded.json`.
"""

from __future__ import annotations

import json

from anatomy_course.views.first_words.view import RECORDED, load_reader, load_writer, recording

SENTENCE = "The animal didn't cross the street because it was too"


def main() -> None:
    reader, writer = load_reader(), load_writer()
    kept = recording(reader, writer, SENTENCE, "it", "animal", 6)
    RECORDED.write_text(json.dumps(kept, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{RECORDED.name}: {SENTENCE}{''.join(each['word'] for each in kept['written'])}")


if __name__ == "__main__":
    main()
