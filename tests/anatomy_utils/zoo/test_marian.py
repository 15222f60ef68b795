"""Marian's files: damaged, of other models, unfinished."""

import numpy as np
import pytest
from marian_file import SETTINGS, packed, variables_of_a_translator

from anatomy_utils.zoo import loader, marian

VARIABLES = variables_of_a_translator()


def write(path, variables=VARIABLES, **more):
    path = path / "model.bin"
    path.write_bytes(packed(variables, **more))
    return path


def test_without_its_last_bytes_and_with_any_of_them_changed_a_file_is_refused_or_read(tmp_path):
    """One sentence, whatever happened to the file; a changed weight alone shows nowhere."""
    path = write(tmp_path)
    whole, generator = path.read_bytes(), np.random.default_rng(0)
    for length in [0, 3, 17, *generator.integers(20, len(whole), 40)]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"model\.bin is damaged or not a Marian file .*it ends early"):
            marian.bergamot(path)
    told = []
    for place in [*range(60), *generator.integers(0, 6000, 200)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << generator.integers(8)
        path.write_bytes(changed)
        try:
            loader("bergamot")(*marian.bergamot(path))
        except ValueError as error:
            told.append(str(error))
    assert len(told) > 100 and not [sentence for sentence in told if "\n" in sentence]


def without(name):
    return {each: array for each, array in VARIABLES.items() if each != name}


OTHER = {
    "its version is 2, not 1": {"version": 2},
    "dec-cell is gru, not ssru": {"settings": SETTINGS | {"dec-cell": "gru"}},
    "dim-emb is 'wide'": {"settings": SETTINGS | {"dim-emb": "wide"}},
    "it lacks the table of tokens": {"variables": without("Wemb")},
    "missing: encoder.layers.1.self_attention.to_key.bias": {"variables": without("encoder_l2_self_bk")},
    "left over: decoder.layers.0.gate": {"variables": VARIABLES | {"decoder_l1_gate": np.zeros((1, 3), np.float32)}},
    "'decoder_l1_ffn_W1' is divided by 0.0": {
        "variables": VARIABLES | {"decoder_l1_ffn_W1": (np.zeros((12, 20), np.int8), 0.0)}
    },
    "cannot be split into 5 heads": {"settings": SETTINGS | {"transformer-heads": 5}},
}


@pytest.mark.parametrize("reason", OTHER)
def test_other_and_unfinished_files_are_refused(reason, tmp_path):
    with pytest.raises(ValueError, match=reason) as error:
        loader("bergamot")(*marian.bergamot(write(tmp_path, **OTHER[reason])))
    assert "\n" not in str(error.value)
