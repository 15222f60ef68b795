"""Python's and torch's commonest error messages in plain words: what happened and where to look."""

from __future__ import annotations

import math
import re
from collections.abc import Callable


def _table(text: str) -> tuple[tuple[str, str], ...]:
    """Patterns at the margin, one a line, and below them, further in, what to say where one of them is found.

    There `{1}` is the pattern's first group and `{0}` all that it matched; `{3:places}` is written by `FORMS`.
    """
    rows: list[tuple[str, str]] = re.findall(r"((?:^\S.*\n)+)((?:^ .*\n)+)", text, re.MULTILINE)
    return tuple(("|".join(patterns.splitlines()), " ".join(words.split())) for patterns, words in rows)


PLAIN = _table(r"""
cannot assign .+ before Module.__init__\(\) call
    `__init__` must begin with `super().__init__()`: before that, no layer can be stored in `self`.
Module \[(\w+)\] is missing the required "forward"
    The module `{1}` has no `forward`, so it cannot be called.
cannot assign '.+' as parameter '(\w+)'
    `{1}` is a parameter, which a plain tensor cannot replace; `torch.nn.Parameter(…)` makes one of a tensor.
random_ expects 'from' to be less than 'to', but got from=(-?\d+) >= to=(-?\d+)
    `torch.randint` draws from {1} up to, but not including, {2}: there is nothing to draw. Is the text shorter than
    a window, or does the range end one too early?
Error\(s\) in loading state_dict for (\w+)
    The saved weights come from another model: their names or shapes are not those of this model (`{1}`).
loaded state dict (contains a parameter group|has a different number of parameter groups)
    What was saved of the optimizer comes from another one: its groups of parameters are not those of this one.
write\(\) argument must be str, not (bytes|memoryview|bytearray)
    The file was opened for text, and bytes are written: `open(…, 'wb')`, or give the path itself.
probability tensor contains either
    `torch.multinomial` wants probabilities, and here are NaN, ∞ or numbers below 0: was something divided by 0, was
    e to the power of a large number beyond float32, or is the softmax missing?
selected index k out of range
    `topk` was asked for more numbers than the axis holds; `min(k, length)` asks for no more than there are.
Weights only load failed
    The file holds more than numbers and names: reading it would run code from it, which `weights_only=True`
    refuses.
mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)
    The two do not fit for a matrix product: the left one is {1} × {2}, the right one {3} × {4}. The last axis of
    the left must be as long as the second to last of the right.
size mismatch, got input \((\d+)\), mat \((\d+)x(\d+)\), vec \((\d+)\)
    The two do not fit for a product: the matrix is {2} × {3}, the vector has {4} numbers. The matrix's last axis
    must be as long as the vector.
[Ee]xpected size for first two dimensions of batch2 tensor to be: \[(\d+), (\d+)\] but got: \[(\d+), (\d+)\]
    The two do not fit for a matrix product: the last axis of the left has {2}, the second to last of the right has
    {4}; they must be equal.
inconsistent tensor size, expected tensor \[(\d+)\] and src \[(\d+)\]
    A dot product needs two vectors of the same length; these have {1} and {2} numbers.
1D tensors expected, but got (\d)D and (\d)D tensors
    torch.dot takes two vectors; you gave tensors with {1} and {2} axes. For matrices there is `@`.
The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)
    Two shapes do not fit each other: one has {1} and the other {2} where they should be equal,
    or one of them 1. Write both shapes down, one below the other, with their last axes in line, and see what meets.
einsum\(\): subscript (\w) has size (\d+) for operand (\d+) which does not broadcast with previously seen size (\d+)
    The letters of the einsum do not fit the shapes: `{1}` is {2} long in tensor {3:next} of those given, and {4} in an
    earlier one.
einsum\(\): the number of subscripts in the equation \((\d+)\) does not match .+ dimensions \((\d+)\) for operand (\d+)
    The letters of the einsum do not fit the shapes: {1} letters for tensor {3:next} of those given, which has {2} axes.
einsum\(\): .*
    The letters of the einsum do not fit the shapes; torch says: {0}
Dimension out of range \(expected to be in range of \[(-?\d+), (-?\d+)\], but got (-?\d+)\)
    There is no axis {3}: this tensor's axes are 0 to {2} or, counted from the end, {1} to -1.
index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)
    Index {1} is not among the places of its axis, {3:places}.
'weight' must be 2-D
    F.embedding takes the rows' numbers first and then the table, which has two axes.
index out of range in self
    An index is beyond the end of the table.
too many indices for tensor of dimension (\d+)
    You index more axes than there are: the tensor has {1}.
(expected scalar type|same dtype|expected m1 and m2)
    The two hold different types of numbers; turn one into the other's type with .to(other.dtype).
tensors used as indices must be
    Only whole numbers or True/False can be used as an index; this tensor holds something else.
shape '\[(.+)\]' is invalid for input of size (\d+)
    {2} numbers cannot be laid out as ({1}): the sizes must multiply to {2}.
view size is not compatible with input tensor's size and stride
    `view` reads the numbers in the order in which they lie, and after a transpose that order is no longer the
    tensor's own. `reshape` and `flatten` copy them where they must.
unflatten: Provided sizes \[(.+)\] don't multiply up to the size of dim (-?\d+) \((\d+)\)
    An axis of length {3} cannot be cut into ({1}): the sizes must multiply to {3}.
only one dimension can be inferred
    Only one of the sizes may be −1; the others must be given.
Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)
    Joined along axis {1}, tensors must be equally long along all others; here {2} meets {3}.
Tensors must have same number of dimensions: got (\d+) and (\d+)
    Tensors that are joined must have equally many axes; here one has {1} and the other {2}.
zero-dimensional tensor \(at position (\d+)\) cannot be concatenated
    Number {1} of what is to be joined (counted from 0) is a single number without an axis. A slice keeps the axis:
    `ids[3:4]` in place of `ids[3]`.
Index tensor must have the same number of dimensions as (input|self) tensor
    gather wants an index with as many axes as the tensor that it picks from; `index.expand(...)` gives it the
    leading ones.
Expected target size \[(.*?)\], got \[(.*?)\]
    torch's cross_entropy takes axis 1 for the classes, so it wanted labels of shape ({1}); these have ({2}).
    `logits.flatten(0, 1)` and `labels.flatten()` make one long row of questions.
stack expects each tensor to be equal size, but got \[(.*?)\] at entry 0 and \[(.*?)\] at entry (\d+)
    torch.stack wants tensors of one shape; here number 0 has ({1}) and number {3} has ({2}).
[Tt]he expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) at non-singleton dimension (\d+)
    expand repeats an axis of length 1 only; axis {3} has {2}, and {1} was asked for.
tuple of ints,\s?but got float
slice indices must be integers
valid indices \(got float\)
argument '\w+' \(position \d\) must be int, not float
arguments - got \((\w+, )*float
    A size or an index must be a whole number, and `/` makes one with a decimal point; `//` divides without.
[Bb]oolean value of Tensor with more than one value is ambiguous
    An `if` (or `and`, `or`, `not`) wants one True or False, but the tensor holds many; torch.where decides cell by
    cell.
(only one element tensors can be converted|a Tensor with \d+ elements cannot be converted)
    A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt and float() want a single
    number, torch.exp and torch.sqrt take tensors.
(\w+)\(\): argument '\w+' \(position \d\) must be Tensor, not (int|float)
    torch.{1} wants a tensor, and this is a plain number{1:math}.
Negation, the `-` operator, on a bool tensor
    `-` does not flip True and False; `~mask` does.
Subtraction, the `-` operator, with (a|two) bool tensor
    True and False cannot be subtracted; `~mask` flips a mask.
masked_fill_? only supports boolean masks
    masked_fill wants a mask of True and False; mask.bool() makes one.
expected condition to be a boolean tensor
    torch.where wants a mask of True and False first; mask.bool() makes one.
could not infer output dtype|Input dtype must be either a floating
    An average of whole numbers or of True and False is not defined; turn them into numbers with .float() first.
result type (\w+) can't be cast to the desired output type (\w+)
    A {2} tensor cannot take {1} numbers in place; make a new tensor instead.
name '(\w+)' is not defined
    `{1}` is not known here. Is it spelled as it was where it was made, and was it imported or computed before?
cannot access local variable '(\w+)'
    `{1}` is used before anything has been put into it. A name to which a function assigns is its own: one of the
    same name outside is another.
'(Tensor|NoneType|list|tuple|int|float)' object has no attribute '(\w+)'(.+)
    A {1} has nothing called `{2}`{3}
'(Tensor|NoneType|list|tuple|int|float)' object has no attribute '(\w+)'
    A {1} has nothing called `{2}`.
'(\w+)' object is not callable
    A {1} cannot be called like a function; is there a `(` too many?
'(\w*Batch)' object is not subscriptable
    A batch is no dict: its parts have names, which are taken with a point, as in `batch.labels`.
'(\w+)' object is not subscriptable
    A {1} has no parts to take with `[ ]`.
unsupported operand type\(s\) for (\S+): '(\w+)' and '(\w+)'
    `{1}` does not work between {2} and {3}.
maximum recursion depth exceeded
    The function calls itself without end.
unhashable type: '(\w+)'
    A {1} cannot be a key of a dict or an entry of a set; a tuple can, and `tuple(…)` makes one from a list.
'[<>]=?' not supported between instances of '(\w+)' and '(\w+)'
    {1} and {2} cannot be compared by size, which `min`, `max` and `sorted` do, too. Where a None comes from: `get`
    gives it for a key that a dict does not have.
bytes must be in range\(0, 256\)
    A byte is a number from 0 to 255, and `bytes` was given a larger one.
'utf-8' codec can't decode
    Some of these bytes do not form a whole character: UTF-8 writes one with up to four bytes. `decode` with
    `errors="replace"` puts � in their place.
can only concatenate (\w+) \(not \"(\w+)\"\)
    `+` joins a {1} with a {1} only, not with a {2}.
division by zero
    Something is divided by zero.
missing \d+ required positional arguments?: (.+)
    A call on this line lacks an argument: {1}.
missing \d+ required positional argument
    A call on this line lacks an argument.
(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'
    `{1}` knows no option `{2}`.
The shape of the mask \[(.*)\] at index \d+ does not match the shape of the indexed tensor \[(.*)\]
    A mask in `[ ]` must have the lengths of the axes that it picks from; this one has shape ({1}), and it picks
    from ({2}).
shape mismatch: indexing tensors could not be broadcast together with shapes (.+)
    The indices in one `[ ]` must fit each other, and these have shapes {1}.
Given normalized_shape=\[(.+)\], expected input with shape \[.*\], but got input of size\s?\[(.+)\]
    A layer norm over {1} numbers wants a last axis of that length; it was given ({2}).
too many values to unpack|not enough values to unpack
    There are not as many names on the left of `=` as values on its right.
leaf Variable that requires grad|a view of a leaf
    This tensor takes part in training and must not be changed in place; make a new one.
""")

FORMS: dict[str, Callable[[str], str]] = {
    "": str,
    "next": lambda number: str(int(number) + 1),
    "places": lambda length: f"which holds {length} (0 to {int(length) - 1})" if int(length) else "which is empty",
    "math": lambda name: f"; for numbers there is math.{name}" if hasattr(math, name) else "",
}
"""How a sentence may write a group of its pattern."""


class _Group(str):
    def __format__(self, form: str) -> str:
        return FORMS[form](self)


def plain_words(error: BaseException) -> str:
    """One or two sentences for an error; the error's own first line when it is not a known one."""
    if isinstance(error, SystemExit):
        return "Your function asked Python to quit. A function hands its result back with `return`."
    message = _first_line(str_of(error))
    if type(error) is KeyError and message:
        return f"A dict is asked for the key {message}, which it does not have."
    for pattern, words in PLAIN:
        if match := re.search(pattern, message):
            return words.format(*map(_Group, (match[0], *match.groups(""))))
    return f"{type(error).__name__}: {message}" if message else f"It raised {type(error).__name__}."


def str_of(error: BaseException) -> str:
    """The error's message; an error whose own text cannot be made has none."""
    try:
        return str(error)
    except Exception:
        return ""


def _first_line(message: str, most: int = 240) -> str:
    line = next((line.strip() for line in message.splitlines() if line.strip()), "")
    return line if len(line) <= most else line[:most] + " …"
