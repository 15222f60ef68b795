"""The neuron reader: what was recorded is what the model does; choosing by mouse and keys shows that neuron."""

import numpy as np
import pytest
import torch
from on_page import Show

from anatomy_course import views
from anatomy_utils import pretrained
from anatomy_utils.interpret import neuron_activations, neurons_off

LAYER = 22


def test_the_record_is_what_the_model_does() -> None:
    reader, (model, tokenizer) = views.neuron_reader(), pretrained.load("smollm2")
    trial = reader.trials["298"][0]
    ids = tokenizer([trial["text"]]).input_ids
    assert neuron_activations(model, ids, LAYER)[0, -1, 298] < -5
    with torch.no_grad(), neurons_off(model, LAYER, [298]):
        off = model(ids)[0, -1].softmax(-1)[tokenizer([' "']).input_ids[0, 0]]
    assert off.item() == pytest.approx(trial["off"], abs=0.01) and trial["intact"] - trial["off"] > 0.1
    assert reader.writes(1465)[0] == "␣on" and reader.contexts(1465)[0][1] == "␣depend"
    assert len(reader.pointed) == reader.count == 1536 and np.median(reader.pointed) < 6


def test_choosing_and_drawing(show: Show) -> None:
    shown = show(views.neuron_reader())
    shown.click("radio", "777")
    assert shown.widget.neuron == 777 and "␣time" in shown.texts(".nr-written .word")
    assert shown.count(".nr-trial") == 2 and shown.count(".nr-context mark") == 5
    shown.keys("ArrowRight")
    assert shown.widget.neuron == 445 and "␣out" in shown.texts(".nr-written .word")
    shown.click("radio", "1196")
    assert shown.widget.neuron == 1196 and shown.count(".nr-trial") == 0
