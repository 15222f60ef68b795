"""Notebook 08: a picture as a row of tokens."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional.embeddings import image_patches


def patches(images: Tensor, size: int) -> Tensor:
    """images (batch, channel, height, width), size × size pixels a patch; size divides height and
    width → (batch, patch, channel · size · size): patches from left to right, then the next row of
    them; the numbers of each by channel, row, column."""
    batch, channels, height, width = images.shape
    cut = images.reshape(batch, channels, height // size, size, width // size, size)
    ordered = cut.permute(0, 2, 4, 1, 3, 5)  # batch down across channel row column
    return ordered.reshape(batch, -1, channels * size * size)


def cases(generator: Generator) -> Cases:
    for kind, batch, channel, down, across, size in (
        ("one picture of one channel", 1, 1, 3, 2, 2),
        ("a batch of pictures", 3, 2, 5, 7, 2),
        ("pictures that are higher than wide", 2, 3, 7, 5, 3),
        ("patches of one pixel", 3, 2, 7, 5, 1),
        ("pictures one patch wide", 2, 3, 5, 1, 1),
        ("gray patches of one pixel", 2, 1, 5, 3, 1),
    ):
        draw = Draw(generator, kind=kind, batch=batch, channel=channel, height=down * size, width=across * size)
        images = draw("batch channel height width")
        yield draw.case(images=images, size=size)


EXERCISE = written(
    patches,
    same_as=image_patches,
    title="A picture as tokens",
    task="Cut each picture into squares, and lay each square's numbers in one row.",
    level="medium, 6 minutes",
    returns="patches: batch patch numbers",
    cases=cases,
    mistakes="""
    a_view_alone: ordered = cut.permute(0, 2, 4, 1, 3, 5) ⇒ ordered = cut
        “Your shape is right, but a reshape alone keeps the numbers in their old order: each of your rows is a piece of
        the picture's lines, not a square.”
    columns_first: 0, 2, 4, 1, 3, 5 ⇒ 0, 4, 2, 1, 3, 5
        “Your squares are right, but they are in the order of columns: from the top down first. They should be read as
        a text is: from left to right, then the next row.”
    pixels_turned: 0, 2, 4, 1, 3, 5 ⇒ 0, 2, 4, 1, 5, 3
        “Your squares are in the right order, but each is turned: its columns come before its rows.”
    channels_last: 0, 2, 4, 1, 3, 5 ⇒ 0, 2, 4, 3, 5, 1
        “Your squares are right, but in each the channels of a pixel are neighbors; the whole square of the first
        channel should come first, then that of the second.”
    pixels_for_patches: 0, 2, 4, 1, 3, 5 ⇒ 0, 3, 5, 1, 2, 4
        “You have exchanged the place of a patch and the place within it: each of your rows takes one pixel out of every
        patch.”
    channels_apart:
        0, 2, 4, 1, 3, 5 ⇒ 0, 1, 2, 4, 3, 5
        (batch, -1, channels * size * size) ⇒ (batch, -1, size * size)
        “Each channel has patches of its own in yours; a patch should have the numbers of all channels.”
    sizes_exchanged:
        height // size, size, width // size, size ⇒ size, height // size, size, width // size
        “You cut the height into `size` pieces, not into pieces of `size` pixels; the width too.”
    averaged: result.mean(dim=-1, keepdim=True).expand_as(result)
        “Each patch has its mean color everywhere: what is drawn in it is gone.”
    one_patch: result.flatten(1)[:, None]
        “You have all numbers in the right order, but in a single row; there should be one row for each patch.”
    """,
    also_right="""
    unflatten:
        squares = images.unflatten(-1, (-1, size)).unflatten(-3, (-1, size))
        return squares.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
    torch's unfold: F.unfold(images, size, stride=size).mT
    one after the other:
        rows = images.split(size, dim=2)
        squares = [square for row in rows for square in row.split(size, dim=3)]
        return torch.stack([square.flatten(1) for square in squares], dim=1)
    """,
    again="""
    cut.permute(0, 2, 4, 1, 3, 5)  # batch down across channel row column ⇒
        cut.permute(0, 2, 4, 3, 5, 1)  # batch down across row column channel
        “This time the numbers of each patch come by row, column, channel.”
    """,
    hints="""
    - Height is rows of patches times rows of pixels; width likewise. So four axes become six, change places, and become
      three.
    - `images.reshape(batch, channels, height // size, size, width // size, size)` has the axes batch, channel, down,
      row, across, column. In which order do you need them?
    - `permute(0, 2, 4, 1, 3, 5)`: batch, down, across, then channel, row, column. Then join down with across, and the
      last three.
    """,
    explanation="""
    Dosovitskiy et al. 2020 (arXiv:2010.11929) cut a photo into 196 such squares, and one linear layer makes a vector of
    each. From there on everything is an encoder. It is `split_heads` of notebook 02 in two directions: cut by a
    reshape, then move axes.
    """,
)
