"""00-start-here asks these: a warm-up, a prediction, what was seen, a faded example, a function, and the principle."""

from __future__ import annotations

from typing import Any

from gradlab.lessons.course.examples import MODEL, squared_error, steps
from gradlab.lessons.kinds import Choice, Function, Number
from gradlab.lessons.oracle import change, later, moved, value
from gradlab.lessons.plan import Plan, Scene, Task, Wrong

FADED = {"x": 3.0, "w": 2.0, "b": 1.0, "target": 4.0}


def line(x: Any, w: Any, b: Any) -> Any:
    """A straight line: what the model predicts."""
    return x * w + b


def _direction() -> str:
    by = change(squared_error, MODEL, {"w": -2.0})
    return "stays" if by == 0 else "rises" if by > 0 else "falls"


def _seen() -> str:
    follows = moved(steps, MODEL, "w")
    return "a" if follows == {"loss"} else "b" if follows == set(steps(**MODEL)) else "c"


recall = Task(
    name="recall",
    asks="What is y = 3·x + 2 when x is 4?",
    kind=Number(later(value, line, {"x": 4.0, "w": 3.0, "b": 2.0})),
    hints=(
        "Put 4 where the formula says x.",
        "Multiplication comes before addition: first 3·x, then + 2.",
        "3 · 4 is 12. One addition is left.",
    ),
    solution='y = 3 * 4 + 2\n\nlesson.q("recall").check(y)',
    because="3 · 4 = 12, and 12 + 2 = 14. You have used `check`: it compares your answer with one that was computed.",
    wrong=(
        Wrong(
            "addition before multiplication",
            lambda: 3 * (4 + 2),
            (
                "You have added 4 + 2 first. That would be right for y = 3·(x + 2); without brackets the "
                "product comes first."
            ),
        ),
        Wrong(
            "adding instead of multiplying",
            lambda: 3 + 4 + 2,
            "You have added all three numbers. That would be right for y = 3 + x + 2; the dot in 3·x multiplies.",
        ),
        Wrong(
            "writing digits side by side",
            lambda: 34 + 2,
            "You have put 4 behind the 3 and read 34. In 3·x the two numbers are multiplied.",
        ),
    ),
)

direction = Task(
    name="direction",
    asks="w moves from −3 to −2 and nothing else does. What happens to the loss?",
    kind=Choice(
        {"rises": "", "falls": "", "stays": ""},
        _direction,
        synonyms={
            **dict.fromkeys(
                ("rise", "up", "grows", "increases", "increase", "larger", "higher", "goes up"), "rises"
            ),
            **dict.fromkeys(
                ("fall", "down", "shrinks", "decreases", "decrease", "smaller", "lower", "goes down"), "falls"
            ),
            **dict.fromkeys(
                ("stay", "same", "the same", "unchanged", "constant", "nothing", "stays the same"), "stays"
            ),
        },
    ),
    hints=(
        "Compute the prediction for w = −2. Is it nearer to the target than −5 was?",
        "The loss depends on the distance between prediction and target, not on the size of w.",
        "With w = −2 the prediction is 2 · (−2) + 1 = −3. The target is 4.",
    ),
    solution='lesson.q("direction").predict("falls")',
    because="The prediction moved from −5 to −3. That is nearer to 4, so the square of the error is smaller.",
    wrong=(
        Wrong(
            "a larger number in gives a larger number out",
            lambda: "rises",
            (
                "A larger w does not have to mean a larger loss. It would rise if the prediction moved away "
                "from the target; here it comes nearer."
            ),
            look="prediction",
        ),
        Wrong(
            "a change stays where it is made",
            lambda: "stays",
            "The loss would stay if no arrow led from w to it. There is a path: w, x·w, prediction, error, loss.",
            look="x·w",
        ),
    ),
    scene=Scene(
        squared_error,
        MODEL,
        move={"w": -2.0},
        select="loss",
        caption="When w moved from −3 to −2, the loss went from {before} to {after}.",
    ),
)

seen = Task(
    name="seen",
    asks="When w moved, which of the computed numbers changed?",
    kind=Choice(
        {
            "a": "the loss, and none of the others",
            "b": "x·w, prediction, error and loss: everything on the path from w to the loss",
            "c": "some of them, and the rest stayed",
        },
        _seen,
        synonyms={"only the loss": "a", "all": "b", "everything": "b", "all of them": "b"},
    ),
    hints=(
        "Move the slider at w once more, and watch one box at a time.",
        "A box has to be computed again when one of the boxes its arrows come from has changed.",
        "An arrow leads from w to x·w. Follow the arrows from there, and see where they end.",
    ),
    solution='lesson.q("seen").check("b")',
    because=(
        "Arrows lead from w to x·w, on to prediction, to error and to the loss. Each of them was computed "
        "again; x, b and target were not."
    ),
    wrong=(
        Wrong(
            "only the last number changes",
            lambda: "a",
            "The loss did change, and it is computed from error, which has to change first.",
            look="error",
        ),
        Wrong(
            "a change stops on the way",
            lambda: "c",
            "That would be right if some box got nothing from w. Each of the four gets it from the box before.",
            look="prediction",
        ),
    ),
    scene=Scene(
        squared_error,
        MODEL,
        move={"w": -2.0},
        select="x·w",
        caption="w moves once more: the loss goes from {before} to {after}.",
    ),
    after="direction",
)

fade = Task(
    name="fade",
    asks="With x = 3, w = 2, b = 1 and target = 4, what is the loss?",
    kind=Number(later(value, squared_error, FADED)),
    hints=(
        "The two lines above yours have done most of the work. What does `error` hold?",
        "The loss is the error multiplied by itself.",
        "`error` is 3. Write a line that squares it: `error ** …`.",
    ),
    solution=(
        "prediction = 3.0 * 2.0 + 1.0\nerror = prediction - 4.0\nloss = error ** "
        '2\n\nlesson.q("fade").check(loss)'
    ),
    because=(
        "The prediction is 7, the error is 3, and 3² = 9. You can now take a model apart into lines that each"
        " do one thing."
    ),
    wrong=(
        Wrong(
            "the error is taken for the loss",
            lambda: 3.0,
            "That is the error, and it is right. The loss is its square, so that too low and too high both count.",
            look="error",
        ),
        Wrong(
            "doubling instead of squaring",
            lambda: 6.0,
            "You have doubled the error. Squaring multiplies it by itself: `error ** 2`, not `error * 2`.",
            look="loss",
        ),
        Wrong(
            "squaring before subtracting",
            lambda: 7.0**2 - 4.0**2,
            (
                "You have squared prediction and target and then subtracted. The subtraction comes first: the"
                " error is squared as a whole."
            ),
            look="error",
        ),
        Wrong(
            "the prediction is taken for the loss",
            lambda: 7.0,
            "That is the prediction, and it is right. The loss says how far it is from the target of 4.",
            look="prediction",
        ),
    ),
    scene=Scene(squared_error, FADED, select="loss", hide=("loss",)),
)

own = Task(
    name="own",
    asks="Write a function that computes the prediction x·w + b.",
    kind=Function(
        ("x", "w", "b"), line, ((2.0, -3.0, 1.0), (3.0, 2.0, 1.0), (0.0, 5.0, -2.0), (-1.5, 0.5, 4.0))
    ),
    hints=(
        "It is one line, and you have seen it twice above.",
        "A function gives its result back with `return`. Use the three names in the brackets, not numbers.",
        "`return x * w …`, and b is missing.",
    ),
    solution='def predict(x, w, b):\n    return x * w + b\n\nlesson.q("own").check(predict)',
    because=(
        "It was right for four sets of numbers. You can now write a model as a function, and hand that "
        "function to `gl.explore`."
    ),
    wrong=(
        Wrong(
            "addition before multiplication",
            lambda: lambda x, w, b: x * (w + b),
            "Your function computes x·(w + b): b is multiplied too. In x·w + b it is added at the end.",
            look="prediction",
        ),
        Wrong(
            "the wrong number is multiplied",
            lambda: lambda x, w, b: x + w * b,
            "Your function computes x + w·b. The product is of x and w, and b is added to it.",
            look="x·w",
        ),
        Wrong(
            "b is left out",
            lambda: lambda x, w, b: x * w,
            (
                "Your function computes x·w, which is right as far as it goes. Without b every line would "
                "pass through zero."
            ),
            look="b",
        ),
        Wrong(
            "adding instead of multiplying",
            lambda: lambda x, w, b: x + w + b,
            "Your function adds all three numbers. x and w are multiplied.",
            look="x·w",
        ),
    ),
    scene=Scene(squared_error, MODEL),
)

principle = Task(
    name="principle",
    asks="Now target moves instead of w. How many of the four computed numbers change?",
    kind=Number(lambda: float(len(moved(steps, MODEL, "target")))),
    hints=(
        "Find target in the picture. Where does its arrow lead?",
        "A number changes when a path of arrows leads to it from what was moved.",
        "The arrow from target leads to error. Count error and what comes after it.",
    ),
    solution='lesson.q("principle").predict(2)',
    because=(
        "The arrow from target leads to error, and from there to the loss: two numbers. What lies beside that"
        " path, x·w and prediction, keeps its number."
    ),
    wrong=(
        Wrong(
            "everything changes with everything",
            lambda: 4,
            "Four would be right for w or x. No arrow leads from target to x·w or to prediction.",
            look="prediction",
        ),
        Wrong(
            "only the last number changes",
            lambda: 1,
            "The loss does change. On the path to it lies one more number that is computed from target.",
            look="error",
        ),
        Wrong(
            "the moved number is counted",
            lambda: 3,
            (
                "Three would be right with target itself. Nobody computes target: you set it. The question "
                "counts the computed ones."
            ),
            look="target",
        ),
        Wrong(
            "a change stays where it is made",
            lambda: 0,
            "None would be right if no arrow left target. One does, and it leads to error.",
            look="error",
        ),
    ),
    scene=Scene(
        squared_error,
        MODEL,
        move={"target": 2.0},
        select="error",
        caption="When target moved from 4 to 2, the loss went from {before} to {after}.",
    ),
    after="seen",
)

PLAN = Plan("How do these lessons work?", 20, (recall, direction, seen, fade, own, principle))
