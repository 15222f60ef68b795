"""The closing questions of notebook 08: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="workshop.closing_1",
        text="Your tokenizer has only seen Python. Now it reads a sentence with an emoji and Greek letters. What "
        "happens?",
        choices=(
            Choice("They become one token for “unknown”", "There is none, and none is needed."),
            Choice("It stops with an error", "It would if its smallest tokens were letters. They are bytes."),
            Choice("They are left out", "Decoding gives the same text back, all of it."),
            Choice(
                "They become single bytes, and come back as they were",
                "Every text is bytes, and all 256 of them are tokens. Where no merge fits, they stay single: the text "
                "is long, but whole.",
                right=True,
            ),
        ),
    ),
    Question(
        id="workshop.closing_2",
        text="In a new class, a colleague keeps her blocks in a plain Python list: `self.blocks = [Block(…), …]`. What "
        "does she see when she trains it?",
        choices=(
            Choice("An error in the first step", "Everything runs: calling a block works, wherever it is kept."),
            Choice(
                "The loss falls, but less than it should",
                "`parameters()` looks into modules and into a `ModuleList`, but not into a list. The optimizer never "
                "hears of the blocks, and only the tables and the last norm learn. That is enough to learn which "
                "tokens are frequent, so the loss does fall.",
                right=True,
            ),
            Choice(
                "The training takes more memory, as every block is kept twice",
                "They are kept once. torch just does not know them.",
            ),
            Choice(
                "All is well until she saves the model",
                "Saving loses the blocks too. But they did not learn in the first place.",
            ),
        ),
    ),
    Question(
        id="workshop.closing_3",
        text="A batch of 64 windows does not fit into memory. What gives the same step with four parts of 16?",
        choices=(
            Choice(
                "Four steps, each with a quarter of the learning rate",
                "After the first step the weights are different. And Adam's steps hardly depend on the gradient's "
                "size.",
            ),
            Choice(
                "`backward` for each part, each loss divided by 4, and one step at the end",
                "`backward` adds to the gradients that are there. Four quarters make the mean over all 64.",
                right=True,
            ),
            Choice(
                "One step with one of the parts, as its gradient is about the same",
                "About the same, but not equal: the variance of its noise is four times as large.",
            ),
            Choice(
                "Clearing the gradients before each `backward`, and one step after the last",
                "Then only the last part counts.",
            ),
        ),
    ),
    Question(
        id="workshop.closing_4",
        text="A training run was interrupted. Someone had saved only the model's weights, and goes on with them. What "
        "differs from the run that was never interrupted?",
        choices=(
            Choice(
                "The batches, the rate and Adam's averages start again",
                "The optimizer's memory, the source of random numbers and the number of the step belong to the state "
                "of a training run just as the weights do.",
                right=True,
            ),
            Choice("Nothing: all that was learned is in the weights", "They are the same. The next step is not."),
            Choice(
                "Only the speed of the first steps after the start",
                "The losses differ too, from the very first step: that step sees another batch.",
            ),
            Choice("The loss starts at ln(vocabulary) again", "The weights know what they knew."),
        ),
    ),
    Question(
        id="workshop.closing_5",
        text="Your GPT calls functions that exist nowhere. Why did it not learn which functions exist?",
        choices=(
            Choice(
                "The parser accepted them in training",
                "The parser judged only what was written. It has no part in the training.",
            ),
            Choice(
                "The temperature was too high",
                "At a lower one it writes more frequent names, and still does not know which of them exist.",
            ),
            Choice(
                "Its loss asks which token is likely next, and nothing else",
                "A name that looks like a name is likely. Whether it is defined somewhere, no label has ever said.",
                right=True,
            ),
            Choice(
                "The names were cut into pieces by the tokenizer, so that it has never seen a whole one",
                "It writes whole names that it has seen, piece by piece. It just writes others too.",
            ),
        ),
    ),
    Question(
        id="workshop.closing_6",
        text="Two processes train one model with half of the batch each. What must they tell each other in a step?",
        choices=(
            Choice("Their half of the batch", "Each reads only its own half. That is what makes it faster."),
            Choice("Their losses", "The losses are only displayed. A loss changes no weight."),
            Choice(
                "Their gradients, one number for each parameter",
                "The mean of both gradients is that of the whole batch. With it, both make the same step, and their "
                "weights stay equal.",
                right=True,
            ),
            Choice(
                "Their weights, which are averaged at the end of the training",
                "By then the two models have gone different ways.",
            ),
        ),
    ),
)
