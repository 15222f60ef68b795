"""The closing questions of notebook 03: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="encoder.closing_1",
        text="Two encoders were trained on texts of up to 16 words: one with a learned table of positions, one with "
        "rotary positions. Both get a text of 20. What do they do?",
        choices=(
            Choice(
                "Both answer; the first one somewhat worse",
                "The table has 16 rows; for the next position there is none to add.",
            ),
            Choice(
                "Both stop with an error: neither has seen that length", "Rotary positions are computed; no table ends."
            ),
            Choice(
                "The first stops with an error; the second answers",
                "A table ends, a rotation is defined everywhere. How well it works there has to be measured.",
                right=True,
            ),
            Choice(
                "The first stops; the second answers as well as ever, at any length",
                "In section 9 it did so up to 32 tokens; at 64 it was slightly worse, at 128 far worse.",
            ),
        ),
    ),
    Question(
        id="encoder.closing_2",
        text="You make a feed-forward network 8 times as wide inside as d_model, not 4 times. How many weights does it "
        "then have, compared with the four matrices of attention? Leave out the biases.",
        choices=(
            Choice(
                "As many: it has two matrices, attention has four",
                "Two matrices, but each of them is eight times as large as one of attention's.",
            ),
            Choice("Twice as many", "That is so with 4 times the width: 8 against 4 times the square of d_model."),
            Choice("Four times as many", "2 · 8 = 16 against 4 times the square of d_model.", right=True),
            Choice("Eight times as many: it is eight times as wide", "Each matrix is, but there are two, not four."),
        ),
    ),
    Question(
        id="encoder.closing_3",
        text="You replace the word at position 5 of one text of a batch. Where does the output of a layer norm, by "
        "itself, change?",
        choices=(
            Choice(
                "At every position of that text",
                "Then mean and variance would be taken over the words of a text.",
            ),
            Choice(
                "At position 5 of every text in the batch",
                "Then they would be taken over the texts of the batch, as batch norm takes them.",
            ),
            Choice("Nowhere: the norm takes out the difference", "It takes out length and mean, not the pattern."),
            Choice(
                "At position 5 of that text",
                "Mean and variance are taken over the features of one word's vector. Each word by itself.",
                right=True,
            ),
        ),
    ),
    Question(
        id="encoder.closing_4",
        text="A post-norm stack of 10 layers stays at guessing with AdamW. You divide the loss by 100, to make the "
        "first steps shorter. Does that help?",
        choices=(
            Choice(
                "No: the steps are as long as before",
                "Adam divides the gradient by its own size. To shorten its steps, lower the learning rate, as warm-up "
                "does.",
                right=True,
            ),
            Choice(
                "Yes: it does the same as warm-up, which makes the first steps short",
                "Warm-up lowers the learning rate. Dividing the loss leaves Adam's steps as they were.",
            ),
            Choice(
                "Yes, but only in the layers near the output",
                "Adam sets the step of each weight by itself, in every layer.",
            ),
            Choice("No: the loss would have to be multiplied by 100", "That changes Adam's steps just as little."),
        ),
    ),
    Question(
        id="encoder.closing_5",
        text="A trained model gives a different answer each time it gets the same text. What was forgotten?",
        choices=(
            Choice("Warm-up", "That belongs to training, and changes nothing in a finished model."),
            Choice(
                "`model.eval()`",
                "Dropout is still on. In evaluation mode nothing is left out, and equal texts get equal answers.",
                right=True,
            ),
            Choice(
                "The attention mask of the padding", "Without it padding would do harm, but the same harm each time."
            ),
            Choice(
                "To divide by 1 − probability in dropout",
                "The numbers would have another mean, but that alone makes none of them random.",
            ),
        ),
    ),
    Question(
        id="encoder.closing_6",
        text="You leave `optimizer.zero_grad()` out of your training step. What does step 100 do?",
        choices=(
            Choice("It stops with an error: there are gradients already", "`backward()` adds to them, without a word."),
            Choice("The same as before: `backward()` overwrites old gradients", "It adds; it does not overwrite."),
            Choice("It uses the gradient of the first batch only", "Each batch adds its own gradient to it."),
            Choice(
                "It uses old gradients together with its own",
                "`backward()` adds to what is there; clipping only shortens the sum. Nothing crashes, and it "
                "learns badly.",
                right=True,
            ),
        ),
    ),
)
