"""Wrong modules and steps of training, of notebooks 03 and 10: what is said of parameters, modes and gradients."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from anatomy_course.judge import find_exercise
from answers import answer, answers

answers("""
encoder.classifier_head
    no_label_bias: num_labels) ⇒ num_labels, bias=False)
        “mistake:no_label_bias | no `labels.bias`”
    in_a_list:
        torch.nn.Linear(d_model, d_model) ⇒ [torch.nn.Linear(d_model, d_model)]
        self.dense( ⇒ self.dense[0](
        “objection:unregistered | plain list”
    another_name: self.dense ⇒ self.first
        “objection:names | lacks `dense.weight` (”
    transposed: (d_model, num_labels) ⇒ (num_labels, d_model)
        “objection:shape | It is transposed”
    one_more:
        super().__init__() ⇒
            super().__init__()
            self.more = torch.nn.Linear(2, 3)
        “objection:extra | `more.weight` (3, 2)”
    frozen: (d_model, num_labels) ⇒ (d_model, num_labels).requires_grad_(False)
        “objection:frozen | Your `labels.weight` has `requires_grad` False; it should not.”
    plain_tensor:
        self.labels = torch.nn.Linear(d_model, num_labels) ⇒ self.weight = torch.zeros(num_labels, d_model)
        self.labels( ⇒ self.weight @ (
        “objection:plain_tensor | `self.weight` is a plain tensor”
    no_super: super().__init__() ⇒ pass
        “crash | must begin with `super().__init__()`”
    no_module:
        (torch.nn.Module) ⇒
        super().__init__() ⇒ pass
        “objection:no_module | (torch.nn.Module)”
    no_forward: def forward ⇒ def forwards
        “objection:no_forward | no `forward`”
    one_input_less: , attention_mask: Tensor | None = None ⇒
        “signature | `forward(self, hidden_states, attention_mask)`”
    returns_nothing: return self ⇒ self
        “objection:nothing | `forward` returned nothing”
    returns_two: result, speaker
        “objection:type | returns a tuple”
    doubled: result * 2
        “likeness:factor | times 2”
    in_place:
        speaker = ⇒
            hidden_states[:, -1] = 7
            speaker =
        “mutated | Your class changes its input”
    always_drops: self.dropout(speaker) ⇒ torch.nn.functional.dropout(speaker, 0.5)
        “objection:eval_changes | `.eval()`”
    noise_of_its_own:
        super().__init__() ⇒
            super().__init__()
            self.noise = torch.randn(d_model)
        (speaker) ⇒ (speaker + self.noise)
        “objection:not_saved | Saved with `state_dict()`”
    misspelled: self.dense( ⇒ self.dence(
        “crash | AttributeError: 'ClassifierHead' object has no attribute 'dence'”

encoder.train_step
    loss_as_a_tensor: loss.item() ⇒ loss
        “objection:tensor | `.item()`”
    loss_as_a_text: loss.item() ⇒ str(loss)
        “objection:type | returns a str”
    returns_nothing: return loss.item() ⇒
        “nothing | returned nothing”
    never_cleared: optimizer.zero_grad() ⇒ pass
        “mistake:never_cleared | never cleared”
    no_backward: loss.backward() ⇒
        “mistake:no_change | never change”
    changes_the_rate:
        optimizer.step() ⇒
            optimizer.step()
            optimizer.param_groups[0]['lr'] /= 2
        “objection:touched | also changes the optimizer's settings”
    trains_everything: model.train() ⇒ model.train().requires_grad_(True)
        “objection:touched | which parameters”
    doubled: 2 * result
        “likeness:stage_factor | times 2”
    two_steps:
        optimizer.step() ⇒
            optimizer.step()
            optimizer.step()
        “likeness:stage | `loss`”

workshop.causal_self_attention
    no_super: super().__init__() ⇒ pass
        “crash | must begin with `super().__init__()`”
    plain_tensor:
        self.query = torch.nn.Linear(d_model, d_model) ⇒ self.query = torch.zeros(d_model, d_model)
        self.query(hidden_states) ⇒ hidden_states
        “objection:plain_tensor | `self.query` is a plain tensor”
    squeezed: result.squeeze()
        “shape:ones | an axis of length 1 is missing”

workshop.feed_forward
    no_input: self, hidden_states: Tensor ⇒ self
        “signature | `forward(self, hidden_states)`”
    squeezed: (hidden_states) ⇒ (hidden_states.squeeze(0))
        “shape:ones | but not with one text”
    dropout_in_training:
        def forward(self, hidden_states):
            return self.output(F.dropout(F.gelu(self.inner(hidden_states)), 0.3, self.training))
        “objection:training_changes | In training mode”
    usual_width:
        d_model, d_inner) ⇒ d_model, 4 * d_model)
        (d_inner, ⇒ (4 * d_model,
        “mistake:usual_width | 4 · d_model wide”
    shared_matrix:
        def forward(self, hidden_states):
            return F.gelu(self.inner(hidden_states)) @ self.inner.weight + self.output.bias
        “likeness:unused | when the numbers in `output.weight` change”

workshop.block
    usual_width: (d_model, d_inner) ⇒ (d_model, 4 * d_model)
        “mistake:usual_width | 4 · d_model wide”
    second_residual_normed:
        return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states)) ⇒
            normed = self.feed_forward_norm(hidden_states)
            return normed + self.feed_forward(normed)
        “mistake:second_residual_normed | before the norm”
    of_bert: LayerNorm(d_model) ⇒ LayerNorm(d_model, eps=1e-12)
        “likeness:cell | but not with small states”
    halved: result / 2
        “likeness:factor | In your output every number is the target's times 0.5.”

workshop.llama_block
    first_residual_normed: = hidden_states + ⇒ = self.attention_norm(hidden_states) +
        “mistake:first_residual_normed | before the norm”

workshop.gpt
    blocks_in_a_list:
        torch.nn.ModuleList([ ⇒ ([
        self.modules() ⇒ [*self.modules(), *(part for block in self.blocks for part in block.modules())]
        “objection:unregistered | and 42 others. `self.blocks` is a plain list, and torch does not see the parameters in
        it”
    labels_too: input_ids: Tensor ⇒ input_ids, labels
        “signature | `forward(self, input_ids)`”
    squeezed: self.norm(hidden_states) ⇒ self.norm(hidden_states).squeeze(0)
        “shape:ones | but not with one text”
    wide_start: std=0.02) ⇒ std=0.03)
        “objection:initial | `tokens.weight` is about 0.03; wanted is 0.02. So it is with”
    added_layers: (2 * num ⇒ (2 + num
        “objection:initial | wanted is 0.02 / √(2 · num_layers).”
    drawn_once_more: (block.attention.output, block.feed_forward.output) ⇒ ()
        “mistake:not_scaled_down | a later line draws them”
    random_biases: zeros_(part.bias) ⇒ normal_(part.bias)
        “mistake:biases_kept | biases start with random numbers”
    from_one: torch.arange(input_ids.shape[1], ⇒ torch.arange(1, input_ids.shape[1] + 1,
        “crash | An index is beyond the end of the table.”
    all_blocks_summed:
        def forward(self, input_ids):
            states = self.tokens(input_ids) + self.positions.weight[: input_ids.shape[1]]
            return self.norm(sum(block(states) for block in self.blocks)) @ self.tokens.weight.T
        “likeness:stage | Right with one token, but not with a few tokens or with one text.”
    a_tied_layer_with_a_bias:
        self.norm = ⇒
            self.vocabulary = torch.nn.Linear(d_model, vocabulary_size)
            self.vocabulary.weight = self.tokens.weight
            self.norm =
        .weight.T ⇒ .weight.T + self.vocabulary.bias
        “objection:extra | Your module has more parameters than wanted: `vocabulary.bias` (7,).”

workshop.grouped_attention
    with_a_buffer:
        super().__init__() ⇒
            super().__init__()
            self.register_buffer("frequencies", torch.ones(3))
        “objection:buffer | no published file has it, so strict loading would fail”
""")

Attention = find_exercise("workshop.causal_self_attention").resolve()


@answer(
    "workshop.causal_self_attention",
    "objection:missing",
    "it has `all_three.weight` (30, 10), `all_three.bias` (30,) instead",
)
class AttentionInOneMap(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.all_three = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, hidden_states):
        parts = self.all_three(hidden_states).chunk(3, -1)
        query, key, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(context.transpose(1, 2).flatten(2))


@answer("workshop.causal_self_attention", "objection:first_call", "such as a mask of that size")
class AttentionKeepsItsMask(Attention):  # type: ignore[misc, valid-type]
    mask = None

    def forward(self, hidden_states):
        length = hidden_states.shape[1]
        if self.mask is None:
            self.mask = torch.ones(length, length, dtype=torch.bool).tril()
        parts = (self.query(hidden_states), self.key(hidden_states), self.value(hidden_states))
        query, key, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)
        context = F.scaled_dot_product_attention(query, key, value, self.mask[:length, :length])
        return self.output(context.transpose(1, 2).flatten(2))
