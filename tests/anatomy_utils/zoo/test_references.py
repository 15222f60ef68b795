"""Every family and task against the Hugging Face implementation, from a saved folder: answers, gradients, writing."""

import pytest
import torch
from zoo_cases import (
    BART,
    BERT,
    CASES,
    DEBERTA,
    DEBERTA_V2,
    ELECTRA,
    MODERNBERT,
    ZooCase,
    batch,
    both_answers,
    first_gradients,
    ours,
    reference_case,
)  # fmt: skip

from anatomy_utils.decoding.generation import generate
from anatomy_utils.tap import watch
from anatomy_utils.zoo import loader

TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}
STEPWISE = {"atol": 2e-5, "rtol": 1e-5}
"""One row at a time is summed in another order than all at once: with T5's large logits, 1.3e-5 on some processors."""
EVERY = [case for cases in CASES.values() for case in cases]
WRITERS = [case for case in EVERY if case.writes]


def of(*cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.id)


@of(*EVERY)
def test_equals_reference_with_gradients_and_runs_in_bfloat16(case, tmp_path):
    reference = case.reference()
    model = ours(reference, tmp_path).train()
    reference.train()  # every dropout is 0: training mode must not change anything
    got, wanted = both_answers(case, reference, model)
    for mine, theirs in zip(got, wanted, strict=True):
        assert theirs.abs().max() > 0.05  # a comparison of zeros would show nothing
        torch.testing.assert_close(mine, theirs, **TOLERANCE)
    upstream = [torch.randn(part.shape, generator=torch.Generator().manual_seed(2)) for part in wanted]
    torch.autograd.backward(got, upstream)
    torch.autograd.backward(wanted, upstream)
    assert squares_of_gradients(model) == pytest.approx(squares_of_gradients(reference), rel=1e-4)
    got_grad, wanted_grad = first_gradients(reference, model)
    largest = wanted_grad.abs().max()  # sums of many terms: float32 errs in proportion to the largest
    torch.testing.assert_close(got_grad / largest, wanted_grad / largest, atol=1e-5, rtol=0)
    got, _ = both_answers(case, reference, model.bfloat16())
    assert all(part.dtype == torch.bfloat16 and part.isfinite().all() for part in got)


def squares_of_gradients(model):
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    return sum(gradient.double().square().sum().item() for gradient in gradients)


@torch.no_grad()
@of(*(case for case in WRITERS if case.kind != "seq2seq"))
def test_cached_equals_uncached_and_left_padding_does_not_matter(case, tmp_path):
    model = ours(case.reference(), tmp_path)
    input_ids = batch(False)[0]
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
    torch.testing.assert_close(logits, torch.stack([wanted[0, 4], wanted[1, 7]]), **TOLERANCE)
    following = torch.stack([input_ids[0, 5:7], input_ids[1, 8:10]])
    for i in range(2):
        logits, cache = model.step(following[:, i : i + 1], cache)
    torch.testing.assert_close(logits, torch.stack([wanted[0, 6], wanted[1, 9]]), **TOLERANCE)
    # Several tokens at once behind a filled cache.
    logits, _ = model.step(input_ids[:, 5:9], model.step(input_ids[:, :5], model.start(2, 20))[1])
    torch.testing.assert_close(logits, wanted[:, 8], **TOLERANCE)


@torch.no_grad()
@of(*(case for case in WRITERS if case.kind == "seq2seq"))
def test_encoder_decoder_cached_equals_uncached(case, tmp_path):
    model = ours(case.reference(), tmp_path)
    (input_ids, attention_mask), target_ids = case.source(), batch()[2]
    wanted = model(input_ids, target_ids, attention_mask)
    cache = model.start(input_ids, 9, attention_mask=attention_mask)
    for i in range(9):
        logits, cache = model.step(target_ids[:, i : i + 1], cache)
        torch.testing.assert_close(logits, wanted[:, i], **STEPWISE)
    swapped = model.start(input_ids, 9, attention_mask=attention_mask).rows(torch.tensor([1, 0]))
    logits, _ = model.step(target_ids[:, :3].flip(0), swapped)
    torch.testing.assert_close(logits.flip(0), wanted[:, 2], **TOLERANCE)


@torch.no_grad()
def test_whisper_writes_what_its_reference_finds_likeliest(tmp_path):
    case = reference_case("whisper", "WhisperForConditionalGeneration")
    reference, (sound, _) = case.reference(seed=11), case.source()
    reference.model.decoder.layer_norm.bias.zero_()  # it would favor one word everywhere
    model = ours(reference, tmp_path)
    written = generate(model.step, model.start(sound, 12), torch.tensor([[1, 5], [1, 7]]), max_new_tokens=10).ids
    wanted = torch.tensor([[1, 5], [1, 7]])
    for _ in range(10):
        logits = reference(input_features=sound, decoder_input_ids=wanted).logits[:, -1]
        wanted = torch.cat([wanted, logits.argmax(-1, keepdim=True)], dim=1)
    assert written.tolist() == wanted.tolist()
    assert written[0, 2:].tolist() != written[1, 2:].tolist()


CONVOLVED = {"conv_kernel_size": 3, "conv_act": "gelu"}


@torch.no_grad()
@of(
    ZooCase("DebertaModel", DEBERTA),
    ZooCase("DebertaV2Model", DEBERTA_V2, CONVOLVED),
    ZooCase("ModernBertModel", MODERNBERT),
)
def test_every_layer_shows_its_weights(case, tmp_path):
    """What was seen makes no difference, and nobody reads padding."""
    model = ours(case.reference(), tmp_path)
    input_ids, attention_mask, _ = batch()
    real = attention_mask.bool()
    unwatched = model(input_ids, attention_mask)
    with watch(model, "layers.*.self_attention.weights") as seen:
        watched = model(input_ids, attention_mask)
    torch.testing.assert_close(watched[real], unwatched[real], **TOLERANCE)
    assert len(seen) == len(model.layers)
    for weights in seen.values():
        assert weights.shape == (2, 5, 17, 17)
        torch.testing.assert_close(weights.sum(-1)[real[:, None].expand(-1, 5, -1)], torch.ones(140))
        assert (weights[1, :, :, 11:] == 0).all()


@of(
    ZooCase("BartForSequenceClassification", BART, {"classifier_dropout": 0.3}),
    ZooCase("DebertaV2ForSequenceClassification", DEBERTA_V2, {"pooler_dropout": 0.3}),
    ZooCase("ElectraForSequenceClassification", ELECTRA, {"classifier_dropout": 0.3}),
    ZooCase("RobertaForSequenceClassification", BERT, {"hidden_dropout_prob": 0.3}),
)
def test_labels_are_read_from_dropped_features_while_training(case, tmp_path):
    """Published classifiers drop features before their dense layer too; with all dropped, only its bias is left."""
    head = ours(case.reference(), tmp_path).train().head
    assert head.input_dropout.p == 0.3
    head.input_dropout.p, head.dropout.p = 1.0, 0.0
    states = torch.randn(2, 5, head.dense.in_features)
    torch.testing.assert_close(head(states)[0], head.labels(head.activation(head.dense.bias)))


LACKING = [
    ("albert", {"hidden_act": "relu"}, "hidden_act is 'relu'"),
    ("albert", {"num_hidden_groups": 4}, "num_hidden_groups is 4"),
    ("bart", {"activation_function": "relu"}, "activation_function"),
    ("bert", {"hidden_act": "relu"}, "hidden_act is 'relu', but BERT here has 'gelu'"),
    ("big_bird", {"hidden_act": "relu"}, "hidden_act is 'relu', but BigBird"),
    ("clip", {"projection_dim": "wide"}, "projection_dim is 'wide'"),
    ("clip", {"text_config": {"hidden_act": "relu"}}, "hidden_act is 'relu', but CLIP here has 'quick_gelu' or 'gelu'"),
    ("ctrl", {"layer_norm_epsilon": 1e-5}, "layer_norm_epsilon is 1e-05"),
    ("deberta", {"position_biased_input": True}, "position_biased_input is True"),
    ("deberta_v2", {"pos_att_type": "c2p"}, "pos_att_type is 'c2p'"),
    ("deberta_v2", {"conv_kernel_size": 3}, "conv_act is 'tanh'"),
    ("deepseek_v3", {"attention_bias": True}, "attention_bias is True, but DeepSeek-V3 here has False"),
    ("deepseek_v3", {"scoring_func": "softmax"}, "scoring_func is 'softmax'"),
    ("deepseek_v3", {"n_group": 6, "topk_group": 1}, "3 of 12 experts are to come from 1 of 6 groups"),
    ("deepseek_v3", {"quantization_config": {"quant_method": "fp8"}}, "stored in 8 bits"),
    ("distilbert", {"activation": "relu"}, "activation is 'relu', but DistilBERT here"),
    ("distilbert", {"sinusoidal_pos_embds": True}, "sinusoidal_pos_embds is set"),
    ("electra", {"summary_type": "mean"}, "summary_type is 'mean'"),
    ("electra", {"hidden_act": "relu"}, "hidden_act is 'relu'"),
    ("gemma", {"hidden_act": "relu"}, "hidden_act is 'relu', but Gemma"),
    ("gemma", {"use_bidirectional_attention": True}, "sees only the past"),
    ("gemma2", {"layer_types": ["full_attention", "other"]}, "3 layers need a 'sliding_attention' or 'full_attention'"),
    ("gemma2", {"use_bidirectional_attention": True}, "sees only the past"),
    ("gemma3_text", {"attn_logit_softcapping": 50.0}, "attn_logit_softcapping is 50.0"),
    ("gemma3_text", {"use_bidirectional_attention": True}, "what sees both sides cannot write"),
    ("gemma3_text", {"rope_scaling": {"rope_type": "linear", "factor": 8.0}}, "scaled"),
    ("gpt2", {"activation_function": "relu"}, "activation_function is 'relu'"),
    ("gpt2", {"architectures": ["GPT2ForEverything"]}, "'GPT2ForEverything' is not here"),
    ("gpt_neo", {"attention_types": [[["local"], 3]]}, "every other one of GPT-Neo's 3 is local"),
    ("gpt_neo", {"activation_function": "relu"}, "but GPT-Neo here has 'gelu_new'"),
    ("gpt_oss", {"layer_types": ["full_attention"] * 3}, "layer_types is"),
    ("gpt_oss", {"quantization_config": {"quant_method": "mxfp4"}}, "stored in 4 bits"),
    ("gpt_oss", {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "knows only 'yarn'"),
    ("gptj", {"rotary_dim": None}, "rotary_dim is None"),
    ("gptj", {"activation_function": "relu"}, "but GPT-J here has 'gelu_new'"),
    ("llama", {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "scaled"),
    ("m2m_100", {"activation_function": "gelu"}, "activation_function is 'gelu'"),
    ("mistral", {"hidden_act": "relu"}, "hidden_act is 'relu'"),
    ("mixtral", {"router_jitter_noise": 0.1}, "router_jitter_noise is 0.1, but Mixtral here has 0.0"),
    ("mixtral", {"num_experts_per_tok": 6}, "6 of 5 experts; choose from 1 to 5"),
    ("modernbert", {"norm_bias": True}, "norm_bias is True"),
    ("modernbert", {"layer_types": ["full_attention"] * 3}, "layer_types is"),
    ("olmo2", {"hidden_act": "gelu"}, "hidden_act is 'gelu'"),
    ("openai_gpt", {"afn": "silu"}, "afn is 'silu'"),
    ("qwen2", {"use_sliding_window": True}, "use_sliding_window is set, but each layer of Qwen 2"),
    ("qwen3", {"use_sliding_window": True}, "use_sliding_window is set, but each layer of Qwen 3"),
    ("qwen3_moe", {"use_sliding_window": True}, "use_sliding_window is set, but each layer of Qwen 3"),
    ("qwen3_next", {"layer_types": ["full_attention", "linear_attention", "linear_attention"]}, "layer_types is"),
    ("qwen3_next", {"linear_num_key_heads": 4}, "6 heads cannot share 4 keys evenly"),
    ("roberta", {"hidden_act": "relu"}, "hidden_act is 'relu', but BERT here"),
    ("smollm3", {"use_sliding_window": True}, "use_sliding_window is set, but each layer of SmolLM3"),
    ("smollm3", {"no_rope_layers": [1, 0]}, "no_rope_layers has 2 entries, but there are 3 layers"),
    ("t5", {"feed_forward_proj": "gated-silu"}, "feed_forward_proj"),
    ("t5gemma", {"dropout_rate": 0.1}, "dropout_rate is 0.1, but T5Gemma here has 0.0"),
    ("t5gemma", {"encoder": {"hidden_activation": "relu"}}, "hidden_activation is 'relu', but Gemma 2"),
    ("vit", {"hidden_act": "relu"}, "hidden_act is 'relu', but ViT"),
    ("vit", {"qkv_bias": False}, "qkv_bias is False"),
    ("vit", {"patch_size": 3}, "Patches of 3 pixels do not cover an image of 8"),
    ("vit", {"image_size": [8, 8]}, r"image_size is \[8, 8\] in this configuration, but a whole number"),
    ("whisper", {"activation_function": "relu"}, "activation_function is 'relu', but Whisper"),
    ("xlm_roberta", {"position_embedding_type": "relative_key"}, "position_embedding_type is 'relative_key'"),
]


@pytest.mark.parametrize(("family", "change", "complaint"), LACKING)
def test_variations_that_a_family_lacks_are_named(family, change, complaint):
    config = reference_case(family).published()
    config.pop("rope_parameters", None)
    with pytest.raises(ValueError, match=complaint):
        loader(config["model_type"])(config | change, {})
