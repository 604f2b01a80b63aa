"""The kinds of answer a question can have. Each reads what a learner gives, says what is wrong with its form, and compares."""

from gradlab.lessons.kinds.arrays import Array
from gradlab.lessons.kinds.choice import Choice, Names, Order
from gradlab.lessons.kinds.function import Function
from gradlab.lessons.kinds.graphs import Drawn
from gradlab.lessons.kinds.number import Number

__all__ = ["Array", "Choice", "Drawn", "Function", "Names", "Number", "Order"]
