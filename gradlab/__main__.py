"""`python -m gradlab` is the same as `gradlab`."""

import sys

from gradlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
