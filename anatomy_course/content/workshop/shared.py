"""What the two exercises on blocks share: their stages, and mistakes in putting two parts together."""

from collections.abc import Callable, Mapping
from typing import Any

from anatomy_course.content.writing import ModuleDrive, Tensor


def halves(drive: ModuleDrive, names: str) -> Callable[..., Mapping[str, Tensor]]:
    """The stages of a block in pre-norm: normed, attended, the sum; normed again, fed forward.

    Args:
        drive: of the block, whose only input are the states.
        names: of these five, with semicolons between them.
    """

    def stages(*arguments: Any) -> Mapping[str, Tensor]:
        block: Any = drive.reference(*arguments[: len(drive.construct)])
        block.load_state_dict(drive.weights(*arguments))
        block.requires_grad_(False)
        states = arguments[len(drive.construct)]
        normed = block.attention_norm(states)
        attended = block.attention(normed)
        again = block.feed_forward_norm(states + attended)
        passed = (normed, attended, states + attended, again, block.feed_forward(again))
        return dict(zip(names.split("; "), passed, strict=True))

    return stages


WIRING_MISTAKES = """
    no_residuals: hidden_states + ⇒
        “In your output, neither of the two parts has its input added.”
    no_first_residual: hidden_states + self.attention ⇒ self.attention
        “Attention's output goes on alone, as if there were no first residual connection.”
    no_second_residual: hidden_states + self.feed_forward ⇒ self.feed_forward
        “The feed-forward network's output goes on alone, as if there were no second residual connection.”
    second_residual_from_below:
        hidden_states = ⇒ attended =
        feed_forward_norm(hidden_states) ⇒ feed_forward_norm(attended)
        “Your second sum adds to what came into the block, so attention's output is lost from it.”
    normed_residuals:
        hidden_states + self.attention ⇒ self.attention_norm(hidden_states) + self.attention
        hidden_states + self.feed_forward ⇒ self.feed_forward_norm(hidden_states) + self.feed_forward
        “You add to the normed states; what is added to should be the states before the norm.”
    first_residual_normed: hidden_states + self.attention ⇒ self.attention_norm(hidden_states) + self.attention
        “Attention's result is added to the normed states; it should be added to those before the norm.”
    second_residual_normed:
        hidden_states + self.feed_forward ⇒ self.feed_forward_norm(hidden_states) + self.feed_forward
        “The feed-forward network's result is added to the normed states; it should be added to those before the norm.”
    side_by_side:
        hidden_states = ⇒ attended =
        return hidden_states ⇒ return attended
        “Your feed-forward network reads what came into the block; what attention added does not reach it.”
    feed_forward_first:
        def forward(self, hidden_states):
            hidden_states = hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))
            return hidden_states + self.attention(self.attention_norm(hidden_states))
        “Your halves have changed places: the feed-forward network comes first.”
    norms_swapped:
        attention(self.attention_norm ⇒ attention(self.feed_forward_norm
        feed_forward(self.feed_forward_norm ⇒ feed_forward(self.attention_norm
        “Your two norms have changed places.”
    one_norm_twice: feed_forward(self.feed_forward_norm ⇒ feed_forward(self.attention_norm
        “In your output `attention_norm` is used twice; nothing of `feed_forward_norm` reaches it.”
    no_first_norm: self.attention_norm(hidden_states) ⇒ hidden_states
        “Your attention reads states that have not been normed.”
    no_second_norm: self.feed_forward_norm(hidden_states) ⇒ hidden_states
        “Your feed-forward network reads states that have not been normed.”
    usual_width: (d_model, d_inner) ⇒ (d_model, 4 * d_model)
        “Your feed-forward network is 4 · d_model wide inside, whatever `d_inner` says.”
    """
"""What can go wrong in the `forward` of both, and in the width of their second part."""

WIRED_OTHERWISE = """
    in a loop:
        def forward(self, hidden_states):
            for name in ("attention", "feed_forward"):
                norm, part = getattr(self, f"{name}_norm"), getattr(self, name)
                hidden_states = part(norm(hidden_states)) + hidden_states
            return hidden_states
    in one line:
        def forward(self, x):
            return (y := x + self.attention(self.attention_norm(x))) + self.feed_forward(self.feed_forward_norm(y))
    in one sum:
        hidden_states = hidden_states + ⇒ attended =
        feed_forward_norm(hidden_states) ⇒ feed_forward_norm(hidden_states + attended)
        return hidden_states + ⇒ return hidden_states + attended +
    """
"""Other right ways to write the `forward` of both."""
