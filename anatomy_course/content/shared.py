"""What exercises of more than one notebook share: mistakes in shortening a gradient."""

CLIPPING_MISTAKES = """
    not_clipped: torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) ⇒ pass
        “Your steps are right as long as gradients are short; a gradient longer than `max_norm` is not shortened before
        it is used.”
    clipped_by_value: clip_grad_norm_ ⇒ clip_grad_value_
        “You limit each number of the gradient by itself, which also changes its direction; limit its whole length.”
    each_parameter_clipped:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) ⇒
            for parameter in model.parameters():
                torch.nn.utils.clip_grad_norm_(parameter, max_norm)
        “You shorten the gradient of each parameter by itself; `max_norm` is a limit for all of them together.”
    always_that_long:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) ⇒
            gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
            length = torch.cat([gradient.flatten() for gradient in gradients]).norm()
            for gradient in gradients:
                gradient *= max_norm / length
        “You bring every gradient to the length `max_norm`, the short ones too; only longer ones are to change.”
    """
"""Of a step that calls `clip_grad_norm_` once for all parameters."""
