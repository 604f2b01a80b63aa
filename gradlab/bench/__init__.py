"""`gradlab bench`: gradlab timed beside whichever peers are installed, in one process and with their results compared.

A topic is a table of benchmarks (`topics/`), `runner` measures them, `report` prints what came out. Adding a benchmark is adding a
row to a topic; adding a topic is adding a file and its name to `topics.TOPICS`.
"""

from gradlab.bench.command import main

__all__ = ["main"]
