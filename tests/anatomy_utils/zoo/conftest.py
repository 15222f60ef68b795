"""A tiny random BERT for the tests of this room."""

import shutil

import pytest
import torch

from anatomy_utils.zoo import checkpoint


@pytest.fixture(scope="session")
def saved_bert(tmp_path_factory):
    """A tiny random BERT of unequal sizes, and the Hugging Face folder where it is saved; nobody may change it."""
    transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
    sizes = {"vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 5}
    config = transformers.BertConfig(
        **sizes, intermediate_size=41, max_position_embeddings=19, attn_implementation="eager"
    )
    torch.manual_seed(0)
    reference, folder = transformers.BertModel(config).eval(), tmp_path_factory.mktemp("bert")
    reference.save_pretrained(folder)
    return reference, folder


@pytest.fixture
def published(saved_bert):
    """The configuration and the tensors of that BERT."""
    return checkpoint.read_folder(saved_bert[1])


@pytest.fixture
def folder(saved_bert, tmp_path):
    """That folder, to be damaged."""
    return shutil.copytree(saved_bert[1], tmp_path / "bert")
