"""01-computational-graph asks these: what follows what, a number used twice, kinds of node, order, a graph of one's own, and the record."""

from __future__ import annotations

from typing import Any

from gradlab.lessons.course.examples import (
    MODEL,
    after_rebinding,
    rebound,
    square,
    squared_error,
    steps,
    turned,
    turned_steps,
    with_copy,
    with_cut,
    with_product,
    with_sum,
)
from gradlab.lessons.kinds import Choice, Drawn, Names, Number, Order
from gradlab.lessons.oracle import arrows, later, moved, needs, of_kind, record
from gradlab.lessons.plan import Plan, Scene, Task, Wrong

COMPUTED = ("x·w", "prediction", "error", "loss")


def _root(f: Any) -> Any:
    return record(f, MODEL)[0]


def _seen() -> str:
    root, leaves = record(square, {"x": 3.0})
    if any(node is not leaves["x"] for node in root.inputs):
        return "b"
    return "a" if len(root.inputs) == 2 else "c"


recall = Task(
    name="recall",
    asks="b moves. Which of x·w, prediction, error and loss move with it?",
    kind=Names(
        COMPUTED, later(moved, steps, MODEL, "b"), wants='names in a list, such as `["error", "loss"]`'
    ),
    hints=(
        "b is added in one of the four formulas. In which?",
        "A number follows when a path of arrows leads to it from b.",
        "b goes into prediction. What is computed from prediction, and what from that?",
    ),
    solution='lesson.q("recall").check(["prediction", "error", "loss"])',
    because=(
        "b goes into prediction, prediction into error, error into loss. x·w is computed from x and w alone, "
        "so it keeps its number."
    ),
    wrong=(
        Wrong(
            "everything changes with everything",
            lambda: COMPUTED,
            "All four would be right for w. No arrow leads from b to x·w: b joins one step later.",
            look="x·w",
        ),
        Wrong(
            "only the last number changes",
            lambda: ("loss",),
            "The loss does move. It gets its new number from boxes that moved before it.",
            look="prediction",
        ),
        Wrong(
            "a change goes one step far",
            lambda: ("prediction",),
            "The prediction is the first to move. What is computed from it has to move too.",
            look="error",
        ),
    ),
    scene=Scene(squared_error, MODEL),
)

twice = Task(
    name="twice",
    asks="How many arrows lead into the operation × in the picture of x · x?",
    kind=Number(later(arrows, square, {"x": 3.0}), unit="arrows", wants="a number of arrows"),
    hints=(
        "How many numbers does a multiplication need?",
        "An operation has one arrow for each number that goes in, no matter where that number comes from.",
        "x · x has two places to fill. Count one arrow for each.",
    ),
    solution='lesson.q("twice").predict(2)',
    because=(
        "A multiplication takes two numbers, and each of them has its arrow, even where both come from the "
        "same node."
    ),
    wrong=(
        Wrong(
            "a use counted once",
            lambda: 1,
            "One arrow would be right if × took one number. It takes two, and x fills both places.",
            look="x",
        ),
        Wrong(
            "nodes are counted as arrows",
            lambda: 3,
            "Three would be right for three numbers going in. A multiplication of two takes two.",
            look="x",
        ),
    ),
    scene=Scene(
        square,
        {"x": 3.0},
        caption="One box x, and two arrows from it into ×. With x = 3 the result is {before}.",
    ),
)

seen = Task(
    name="seen",
    asks="What was in the picture of x · x?",
    kind=Choice(
        {
            "a": "one box for x, and two arrows from it into ×",
            "b": "two boxes for x, and an arrow from each into ×",
            "c": "one box for x, and one arrow that counts twice",
        },
        _seen,
    ),
    hints=(
        "Run the reveal once more, and count the boxes, then the arrows.",
        "A node is one box, however often it is used. An arrow is one use.",
        "There is one number called x. It fills both places of the multiplication.",
    ),
    solution='lesson.q("seen").check("a")',
    because=(
        "One node, used twice. An operation does not know where its numbers come from; it has two places, and"
        " x fills both."
    ),
    wrong=(
        Wrong(
            "a copy for each use",
            lambda: "b",
            (
                "Two boxes would mean two numbers that could be moved one by one. There is one x, and moving "
                "it moves both factors."
            ),
            look="x",
        ),
        Wrong(
            "a use counted once",
            lambda: "c",
            "One arrow would mean that × takes one number. It takes two, and each has an arrow of its own.",
            look="x",
        ),
    ),
    scene=Scene(square, {"x": 3.0}, caption="One box x, and two arrows from it into ×."),
    after="twice",
)

kinds = Task(
    name="kinds",
    asks="Which nodes of the model may training change?",
    kind=Names(
        ("x", "w", "b", "target", *COMPUTED),
        later(of_kind, squared_error, MODEL, "parameter"),
        wants='names in a list, such as `["x", "target"]`',
    ),
    hints=(
        "Look at the column “who decides its number” in the table.",
        "Training turns parameters. Inputs come from the world, and operations are computed.",
        "There are two parameters, and one of them is w.",
    ),
    solution='lesson.q("kinds").check(["w", "b"])',
    because=(
        "w and b are parameters: nobody measures them and nothing computes them, so training is free to turn "
        "them."
    ),
    wrong=(
        Wrong(
            "every leaf is a parameter",
            lambda: ("x", "w", "b", "target"),
            (
                "These are the four nodes that nothing goes into, and two of them come from the world. If "
                "training turned target, the loss would always reach 0 and nothing would be learned."
            ),
            look="target",
        ),
        Wrong(
            "what is computed can be set",
            lambda: ("w", "b", "prediction"),
            "w and b are right. The prediction is computed from them: nobody sets it.",
            look="prediction",
        ),
        Wrong(
            "inputs and parameters are exchanged",
            lambda: ("x", "target"),
            (
                "x and target are what the world gives: a measurement, and the answer that was right for it. "
                "Training has to take them as they are."
            ),
            look="x",
        ),
        Wrong(
            "only the factor is learned",
            lambda: ("w",),
            (
                "w is right, and there is one more: without turning b every line would have to go through the"
                " same point."
            ),
            look="b",
        ),
    ),
    scene=Scene(squared_error, MODEL),
)

order = Task(
    name="order",
    asks="In which order are the four numbers of (target − (b + x·w))² computed?",
    kind=Order(
        ("error", "prediction", "x·w", "loss"),
        later(needs, turned_steps, MODEL),
        wants='the four names in a list, such as `["loss", …]`',
    ),
    hints=(
        "Which operation has everything it needs before anything was computed?",
        "An operation can be computed once all boxes its arrows come from have their number.",
        "x and w are there from the start, so x·w is first. Which operation was waiting for it?",
    ),
    solution='order = ["x·w", "prediction", "error", "loss"]\n\nlesson.q("order").check(order)',
    because=(
        "Each name stands after everything its arrows come from. Such an order is called topological; the "
        "graph decides it, not the way the formula is written."
    ),
    wrong=(
        Wrong(
            "source order for the order of the calculation",
            lambda: ("error", "prediction", "x·w", "loss"),
            (
                "This is the order in which the formula is read: first −, then +, then the product. But − has"
                " to wait for the number that + will give."
            ),
            look="error",
        ),
        Wrong(
            "the calculation backwards",
            lambda: ("loss", "error", "prediction", "x·w"),
            (
                "This order starts with the result. It will be useful for gradients, which do travel from the"
                " loss backwards; numbers travel forwards."
            ),
            look="loss",
        ),
    ),
    scene=Scene(turned, MODEL),
)

build = Task(
    name="build",
    asks="Build error = x·w + b − target and loss = error × error, with both arrows into × coming from one node.",
    kind=Drawn(later(_root, with_product)),
    hints=(
        "Give the error a name of its own before you multiply.",
        "A name for a node lets you use it twice. The picture then has one box with two arrows.",
        "`error = x * w + b - target` is the first line. The second multiplies.",
    ),
    solution=(
        'x = gl.Value(2.0, label="x")\nw = gl.Value(-3.0, label="w")\nb = gl.Value(1.0, label="b")\n'
        'target = gl.Value(4.0, label="target")\nerror = x * w + b - target\nloss = error * error\n\n'
        'lesson.q("build").check(loss)'
    ),
    because=(
        "One node for the error, and two arrows from it into ×. You can now turn a formula into a graph and "
        "check in the picture that it is the one you meant."
    ),
    wrong=(
        Wrong(
            "`.data` cuts the graph",
            later(_root, with_cut),
            (
                "`.data` takes the bare number out of the node, so one of the two arrows comes from a "
                "constant, −9, that no longer follows w. The loss is right today and wrong as soon as "
                "something moves."
            ),
            look="−9",
        ),
        Wrong(
            "computed again instead of used again",
            later(_root, with_copy),
            (
                "The number is right, and the error is computed twice, by two sets of boxes. Store it under a"
                " name and use that name twice."
            ),
            look="x·w + b − target",
        ),
        Wrong(
            "doubling instead of squaring",
            later(_root, with_sum),
            (
                "error + error is the double, −18. It would be right for 2·error; the loss multiplies the "
                "error by itself."
            ),
            look="x·w + b − target + (x·w + b − target)",
        ),
    ),
    scene=Scene(with_product, MODEL),
    after="order",
)

remembers = Task(
    name="record",
    asks="What number is in area after the last line?",
    kind=Number(after_rebinding),
    hints=(
        "Which line computes area, and which node was called length at that moment?",
        "An arrow leads from a node, not from a name. A name can be given to another node later.",
        "area was recorded from the nodes 2 and 3. The last line makes a new node and leaves those two alone.",
    ),
    solution='lesson.q("record").predict(6)',
    because=(
        "area was recorded from the nodes 2 and 3, and its arrows still come from them. The name length now belongs"
        " to a new node that nothing was computed from."
    ),
    wrong=(
        Wrong(
            "arrows lead from names",
            lambda: 30,
            (
                "30 would be right in a spreadsheet, where a formula looks up its cells again. A graph is a record"
                " of what was done, and area was computed from the node that held 2."
            ),
            look="length",
        ),
        Wrong(
            "the new number replaces the result",
            lambda: 10,
            "The 10 is in the node that is now called length. Nothing was written into area.",
            look="area",
        ),
    ),
    scene=Scene(
        rebound,
        {"length": 2.0, "width": 3.0},
        select="length",
        caption="The picture of area still shows the nodes 2 and 3, and {before} at its end.",
    ),
)

PLAN = Plan("What is a computational graph?", 25, (recall, twice, seen, kinds, order, build, remembers))
