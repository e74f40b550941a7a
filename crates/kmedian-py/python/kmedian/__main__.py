"""``python -m kmedian``: the command, where the script that ``pip`` installs is not on the path."""

import sys

from ._core import run_command

sys.exit(run_command(["kmedian", *sys.argv[1:]]))
