"""A cell that runs again replaces what it made before."""

from __future__ import annotations

import gc

from gradlab.widgets import cell
from gradlab.widgets.cell import Run, own


class Thing:
    closed = False

    def close(self):
        self.closed = True


def test_running_a_cell_three_times_leaves_one():
    things = [Thing(), Thing(), Thing()]
    for i, thing in enumerate(things):
        own(thing, Run("cell a", f"request {i}"))
    assert [thing.closed for thing in things] == [True, True, False]


def test_one_run_may_make_several_and_other_cells_are_left_alone():
    here, too, elsewhere = Thing(), Thing(), Thing()
    own(here, Run("cell b", "1"))
    own(too, Run("cell b", "1"))
    own(elsewhere, Run("cell c", "2"))
    assert not any(thing.closed for thing in (here, too, elsewhere))


def test_owning_keeps_nothing_alive():
    own(Thing(), Run("cell d", "1"))
    gc.collect()
    assert cell._owned["cell d"][1][0]() is None


def test_outside_a_notebook_nobody_owns():
    assert cell.running() is None
    own(Thing())
