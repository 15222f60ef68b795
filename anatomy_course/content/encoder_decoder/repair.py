"""Notebook 06's case: find out what is wrong with `colleagues_padding_mask`, and write it right."""

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, real_words, written
from anatomy_utils.functional import masks


def repaired_mask(attention_mask: Tensor) -> Tensor:
    """attention_mask (batch, key) of the source, 1 = real token, 0 = padding, first or last
    → mask (batch, 1, 1, key) for all heads and all positions that ask, boolean, True = may attend.
    """
    return (attention_mask == 1)[:, None, None, :]


def cases(generator: Generator) -> Cases:
    for kind, batch, key in (
        ("padded texts", 3, 7),
        ("padded texts", 5, 11),
        ("one text", 1, 5),
        ("padding on either side", 3, 7),
    ):
        mask = real_words(generator, kind, batch, key, range(2, key - 2), key - 1).long()
        if kind == "padding on either side":
            mask[:-1] = mask[:-1].flip(1)
        yield Case({"attention_mask": mask}, kind, {"batch": batch, "key": key})


EXERCISE = written(
    repaired_mask,
    same_as=masks.padding,
    title="The case: a colleague's translator",
    task="Write the mask that `colleagues_padding_mask` should have been: the decoder sees each text's own real "
    "tokens and nothing else. Padding may also come first.",
    level="medium, 4 minutes",
    returns="mask: batch head query key",
    cases=cases,
    mistakes="""
    unchanged:
        from anatomy_course.lab.debugging.colleague.batch_mask import colleagues_padding_mask
        return colleagues_padding_mask(attention_mask)
        “This is what the colleague's function computes: all texts get the length of the longest.”
    by_lengths: attention_mask == 1 ⇒ torch.arange(attention_mask.shape[1]) < attention_mask.sum(dim=1, keepdim=True)
        “Each of your texts has its own length now, and with padding at the end all is right. With padding in front you
        hide real tokens: do not count tokens, look at which ones are real.”
    real_everywhere: result.all(dim=0, keepdim=True).expand_as(result)
        “Your mask allows only positions that are real in all texts: long texts lose words when a short one joins.”
    no_axes: [:, None, None, :] ⇒
        “You hide the right positions, but your mask is (batch, key). Against scores of (batch, heads, query, key) its
        first axis would be taken for the queries.”
    axes_in_front: [:, None, None, :] ⇒ [None, None]
        “You hide the right positions, but your mask is (1, 1, batch, key): its texts are where the queries should be.”
    queries_masked: [:, None, None, :] ⇒ [:, None, :, None]
        “Your mask is (batch, 1, key, 1): it would hide positions that ask, not those that are asked.”
    one_more (by_lengths): keepdim=True) ⇒ keepdim=True) + 1
        “Your mask lets one position of padding through after each text.”
    """,
    also_right="""
    two axes between: attention_mask.bool()[:, None, None, :]
    compared with 1: (attention_mask == 1).unsqueeze(1).unsqueeze(1)
    text by text: torch.stack([(row == 1).view(1, 1, -1) for row in attention_mask])
    """,
    hints="""
    - Look at the line of the symptoms about positions: three texts of 5, 3 and 2 tokens have 10 real ones. How many
      positions may the colleague's decoder see?
    - `lengths.max()` is one number for the whole batch. Every text needs its own row, and a length alone does not say
      where the padding is.
    - `attention_mask` already says which positions are real. As booleans, `attention_mask == 1`, it lacks only two axes
      of length 1.
    """,
    explanation="""
    The colleague's mask gives all texts the length of the longest. A text that is alone is also the longest in its
    batch, and in batches of equal length there is nothing to hide, so training looked fine. A good test for any model:
    the same text must give the same answer alone and in company.
    """,
)
