"""Every family and task of the zoo against the Hugging Face implementation, from a saved folder."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("transformers", reason="the reference implementation is not installed")

from zoo_cases import (
    ALBERT,
    BART,
    BERT,
    BIG_BIRD,
    CASES,
    CTRL,
    DEBERTA,
    DEBERTA_V2,
    ELECTRA,
    GPT,
    GPT2,
    GPT_NEO,
    GPTJ,
    LLAMA,
    LLAMA_LINE,
    M2M_100,
    MODERNBERT,
    T5,
    ZooCase,
    batch,
    both_answers,
    ours,
)

from anatomy_utils.functional import masks
from anatomy_utils.tap import watch
from anatomy_utils.zoo import checkpoint, loader, m2m_100

TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}
LANGUAGE_MODELS = [
    ZooCase("GPT2LMHeadModel", GPT2),
    ZooCase("LlamaForCausalLM", LLAMA),
    *(ZooCase(f"{family}ForCausalLM", sizes) for family, sizes in LLAMA_LINE.items()),
    ZooCase("GPTNeoForCausalLM", GPT_NEO),
    ZooCase("GPTJForCausalLM", GPTJ),
    ZooCase("OpenAIGPTLMHeadModel", GPT),
    ZooCase("CTRLLMHeadModel", CTRL),
]
SEQ2SEQ = [case for case in CASES if case.kind == "seq2seq"]


@pytest.mark.parametrize("padded", [False, True], ids=["full", "padded"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_equals_reference_with_gradients(case, padded, tmp_path):
    reference = case.reference()
    model = ours(reference, tmp_path).train()
    reference.train()  # every dropout is 0: training mode must not change anything
    got, wanted = both_answers(case, reference, model, padded)
    for mine, theirs in zip(got, wanted, strict=True):
        assert theirs.abs().max() > 0.05  # a comparison of zeros would show nothing
        torch.testing.assert_close(mine, theirs, **TOLERANCE)
    upstream = [torch.randn(part.shape, generator=torch.Generator().manual_seed(2)) for part in wanted]
    torch.autograd.backward(got, upstream)
    torch.autograd.backward(wanted, upstream)
    squares = [
        sum(
            parameter.grad.double().square().sum().item()
            for parameter in side.parameters()
            if parameter.grad is not None
        )
        for side in (model, reference)
    ]
    assert squares[0] == pytest.approx(squares[1], rel=1e-4)
    tables = [model.get_parameter(name) for name, _ in model.named_parameters() if name.endswith("tokens.weight")]
    wanted_grad = reference.get_input_embeddings().weight.grad
    largest = wanted_grad.abs().max()  # sums of many terms: float32 errs in proportion to the largest
    torch.testing.assert_close(tables[0].grad / largest, wanted_grad / largest, atol=1e-5, rtol=0)


@pytest.mark.parametrize("case", LANGUAGE_MODELS, ids=lambda case: case.id)
def test_cached_equals_uncached_and_left_padding_does_not_matter(case, tmp_path):
    model = ours(case.reference(), tmp_path)
    input_ids = batch(False)[0]
    with torch.no_grad():
        wanted = model(input_ids)
        logits, cache = model.step(input_ids[:, :5], model.start(2, 20))
        steps = [logits]
        for i in range(5, 17):
            logits, cache = model.step(input_ids[:, i : i + 1], cache)
            steps.append(logits)
        torch.testing.assert_close(torch.stack(steps, 1), wanted[:, 4:], **TOLERANCE)
        # The first row starts three positions later.
        later = torch.cat([torch.zeros(1, 3, dtype=torch.long), input_ids[:1, :5]], 1)
        prompts = torch.cat([later, input_ids[1:, :8]])
        attention_mask = torch.ones_like(prompts)
        attention_mask[0, :3] = 0
        logits, cache = model.step(prompts, model.start(2, 12, attention_mask=attention_mask))
        torch.testing.assert_close(logits[0], wanted[0, 4], **TOLERANCE)
        torch.testing.assert_close(logits[1], wanted[1, 7], **TOLERANCE)
        following = torch.stack([input_ids[0, 5:7], input_ids[1, 8:10]])
        for i in range(2):
            logits, cache = model.step(following[:, i : i + 1], cache)
        torch.testing.assert_close(logits[0], wanted[0, 6], **TOLERANCE)
        torch.testing.assert_close(logits[1], wanted[1, 9], **TOLERANCE)
        # Several tokens at once behind a filled cache.
        logits, _ = model.step(input_ids[:, 5:9], model.step(input_ids[:, :5], model.start(2, 20))[1])
        torch.testing.assert_close(logits, wanted[:, 8], **TOLERANCE)


@pytest.mark.parametrize("case", SEQ2SEQ, ids=lambda case: case.id)
def test_encoder_decoder_cached_equals_uncached(case, tmp_path):
    model = ours(case.reference(), tmp_path)
    input_ids, attention_mask, target_ids = batch(True)
    with torch.no_grad():
        wanted = model(input_ids, target_ids, attention_mask)
        cache = model.start(input_ids, 9, attention_mask=attention_mask)
        for i in range(9):
            logits, cache = model.step(target_ids[:, i : i + 1], cache)
            torch.testing.assert_close(logits, wanted[:, i], **TOLERANCE)
        swapped = model.start(input_ids, 9, attention_mask=attention_mask).rows(torch.tensor([1, 0]))
        logits, _ = model.step(target_ids[:, :3].flip(0), swapped)
        torch.testing.assert_close(logits.flip(0), wanted[:, 2], **TOLERANCE)


def test_target_prompts_may_be_padded_at_the_head(tmp_path):
    model = ours(ZooCase("M2M100Model", M2M_100).reference(), tmp_path)
    input_ids, attention_mask, target_ids = batch(True)
    prompts = torch.cat([torch.zeros(1, 3, dtype=torch.long), target_ids[:1, :5]], 1)
    prompts = torch.cat([prompts, target_ids[1:, :8]])
    prompt_mask = torch.ones_like(prompts)
    prompt_mask[0, :3] = 0
    with torch.no_grad():
        wanted = model(input_ids, target_ids, attention_mask)
        memory, memory_mask = model.encoder(input_ids, attention_mask), masks.padding(attention_mask)
        cache = model.decoder.start(2, 9, attention_mask=prompt_mask, memory=memory, memory_mask=memory_mask)
        states, cache = model.decoder.step(prompts, cache)
        torch.testing.assert_close(states[0, 3:], wanted[0, :5], **TOLERANCE)
        torch.testing.assert_close(states[1], wanted[1, :8], **TOLERANCE)
        states, _ = model.decoder.step(torch.stack([target_ids[0, 5:6], target_ids[1, 8:]]), cache)
        torch.testing.assert_close(states[:, 0], torch.stack([wanted[0, 5], wanted[1, 8]]), **TOLERANCE)


def test_m2m_100_writes_behind_a_language_token_as_the_reference_does(tmp_path):
    reference = ZooCase("M2M100ForConditionalGeneration", M2M_100).reference(2)
    model = ours(reference, tmp_path)
    input_ids, attention_mask, _ = batch(True)
    input_ids = input_ids.masked_fill(attention_mask == 0, 1)
    wanted = reference.generate(
        input_ids=input_ids, attention_mask=attention_mask, forced_bos_token_id=7, max_new_tokens=6, num_beams=1,
        return_dict_in_generate=True, output_logits=True,
    )  # fmt: skip
    prompts = m2m_100.prompt(torch.tensor([7, 7]))
    assert wanted.sequences[:, :2].tolist() == prompts.tolist()
    with torch.no_grad():
        logits, cache = model.step(prompts, model.start(input_ids, 7, attention_mask=attention_mask))
        for i, theirs in enumerate(wanted.logits[1:], 2):
            torch.testing.assert_close(logits, theirs, **TOLERANCE)
            logits, cache = model.step(wanted.sequences[:, i : i + 1], cache)


def test_albert_runs_the_same_layer_again(tmp_path):
    model = ours(ZooCase("AlbertModel", ALBERT).reference(), tmp_path)  # three layers in two groups
    assert model.layers[0] is model.layers[1] is not model.layers[2]
    with watch(model, "layers.?.output") as seen:
        model(batch(False)[0])
    assert [len(seen.all(name)) for name in seen] == [2, 1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_runs_in_bfloat16(case, tmp_path):
    reference = case.reference()
    got, _ = both_answers(case, reference, ours(reference, tmp_path).bfloat16(), True)
    assert all(part.dtype == torch.bfloat16 and part.isfinite().all() for part in got)


def test_save_load_gives_the_same(tmp_path):
    model = ours(ZooCase("LlamaForCausalLM", LLAMA, {"tie_word_embeddings": True}).reference(), tmp_path)
    again = ours(ZooCase("LlamaForCausalLM", LLAMA, {"tie_word_embeddings": True}).reference(1), tmp_path)
    input_ids = batch(False)[0]
    assert not torch.equal(model(input_ids), again(input_ids))
    again.load_state_dict(model.state_dict())
    assert torch.equal(model(input_ids), again(input_ids))


def test_tied_tables_stay_one_parameter(tmp_path):
    model = ours(ZooCase("BartForConditionalGeneration", BART).reference(), tmp_path)
    table = model.encoder.embeddings.tokens.weight
    assert model.decoder.embeddings.tokens.weight is table
    assert model.vocabulary.weight is table


def test_an_untied_t5_has_a_projection_of_its_own(tmp_path):
    # transformers 5 ties every T5 that it builds; published 1.1 folders say otherwise and carry lm_head.weight.
    reference = ZooCase("T5ForConditionalGeneration", T5, {"feed_forward_proj": "gated-gelu"}).reference()
    reference.config.scale_decoder_outputs = False
    reference.save_pretrained(tmp_path)
    config, tensors = checkpoint.read_folder(tmp_path)
    projection = 0.2 * torch.randn(53, 30, generator=torch.Generator().manual_seed(3))
    config |= {"tie_word_embeddings": False}
    model = loader("t5")(config, tensors | {"lm_head.weight": projection})
    assert model.vocabulary.weight is not model.decoder.embeddings.tokens.weight
    reference.lm_head.weight = torch.nn.Parameter(projection)
    input_ids, attention_mask, target_ids = batch(True)
    wanted = reference(input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=target_ids).logits
    torch.testing.assert_close(model(input_ids, target_ids, attention_mask), wanted, **TOLERANCE)


@pytest.mark.parametrize(
    ("case", "change", "complaint"),
    [
        (LANGUAGE_MODELS[0], {"activation_function": "relu"}, "activation_function is 'relu'"),
        (LANGUAGE_MODELS[1], {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "scaled"),
        (ZooCase("T5ForConditionalGeneration", T5), {"feed_forward_proj": "gated-silu"}, "feed_forward_proj"),
        (ZooCase("BartForConditionalGeneration", BART), {"activation_function": "relu"}, "activation_function"),
        (ZooCase("DebertaModel", DEBERTA), {"position_biased_input": True}, "position_biased_input is True"),
        (ZooCase("DebertaV2Model", DEBERTA_V2), {"pos_att_type": "c2p"}, "pos_att_type is 'c2p'"),
        (ZooCase("DebertaV2Model", DEBERTA_V2), {"conv_kernel_size": 3}, "conv_act is 'tanh'"),
        (ZooCase("ModernBertModel", MODERNBERT), {"norm_bias": True}, "norm_bias is True"),
        (ZooCase("ModernBertModel", MODERNBERT), {"layer_types": ["full_attention"] * 3}, "layer_types is"),
        (LANGUAGE_MODELS[3], {"use_sliding_window": True}, "use_sliding_window is set, but each layer of Qwen 2"),
        (LANGUAGE_MODELS[5], {"hidden_act": "relu"}, "hidden_act is 'relu', but Gemma"),
        (LANGUAGE_MODELS[5], {"use_bidirectional_attention": True}, "sees only the past"),
        (LANGUAGE_MODELS[6], {"attention_types": [[["local"], 3]]}, "every other one of GPT-Neo's 3 is local"),
        (LANGUAGE_MODELS[6], {"activation_function": "relu"}, "but GPT-Neo here has 'gelu_new'"),
        (LANGUAGE_MODELS[7], {"rotary_dim": None}, "rotary_dim is None"),
        (LANGUAGE_MODELS[7], {"activation_function": "relu"}, "but GPT-J here has 'gelu_new'"),
        (ZooCase("AlbertModel", ALBERT), {"hidden_act": "relu"}, "hidden_act is 'relu'"),
        (ZooCase("AlbertModel", ALBERT), {"num_hidden_groups": 4}, "num_hidden_groups is 4"),
        (ZooCase("ElectraModel", ELECTRA), {"summary_type": "mean"}, "summary_type is 'mean'"),
        (ZooCase("ElectraModel", ELECTRA), {"hidden_act": "relu"}, "hidden_act is 'relu'"),
        (ZooCase("OpenAIGPTModel", GPT), {"afn": "silu"}, "afn is 'silu'"),
        (ZooCase("CTRLModel", CTRL), {"layer_norm_epsilon": 1e-5}, "layer_norm_epsilon is 1e-05"),
        (ZooCase("M2M100Model", M2M_100), {"activation_function": "gelu"}, "activation_function is 'gelu'"),
        (ZooCase("BigBirdModel", BIG_BIRD), {"hidden_act": "relu"}, "hidden_act is 'relu', but BigBird"),
        (LANGUAGE_MODELS[0], {"architectures": ["GPT2ForEverything"]}, "'GPT2ForEverything' is not here"),
    ],
)
def test_variations_that_the_family_lacks_are_named(case, change, complaint, tmp_path):
    case.reference().save_pretrained(tmp_path)
    config, tensors = checkpoint.read_folder(tmp_path)
    config.pop("rope_parameters", None)
    with pytest.raises(ValueError, match=complaint):
        loader(config["model_type"])(config | change, tensors)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        (ZooCase("RobertaForSequenceClassification", BERT, {"hidden_dropout_prob": 0.2}), "hidden_dropout_prob"),
        (ZooCase("BartForSequenceClassification", BART, {"classifier_dropout": 0.3}), "classifier_dropout"),
        (ZooCase("DebertaV2ForSequenceClassification", DEBERTA_V2, {"pooler_dropout": 0.3}), "pooler_dropout"),
        (ZooCase("ElectraForSequenceClassification", ELECTRA, {"classifier_dropout": 0.3}), "classifier_dropout"),
    ],
    ids=lambda case: getattr(case, "id", ""),
)
def test_labels_are_read_from_dropped_features_while_training(case, name, tmp_path):
    """Published classifiers drop features before their dense layer too; with all dropped, only its bias is left."""
    reference = case.reference()
    head = ours(reference, tmp_path).train().head
    assert head.input_dropout.p == getattr(reference.config, name)
    head.input_dropout.p, head.dropout.p = 1.0, 0.0
    states = torch.randn(2, 5, head.dense.in_features)
    torch.testing.assert_close(head(states)[0], head.labels(head.activation(head.dense.bias)))
