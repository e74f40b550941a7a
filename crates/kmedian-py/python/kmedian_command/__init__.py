"""The ``kmedian`` command, as ``pip`` installs it.

A package of its own, because ``import kmedian`` imports NumPy and scikit-learn, which takes longer than most commands do: only the
compiled module is loaded here, and it needs neither.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec


def main() -> int:
    """Run the command line of this process, and return its exit code."""
    # Finding a package does not import it.
    package = find_spec("kmedian")
    found = package and PathFinder.find_spec("kmedian._core", package.submodule_search_locations)
    if not found or not found.loader:
        print("error: the compiled part of kmedian is missing; install kmedian again", file=sys.stderr)
        return 2
    core = module_from_spec(found)
    found.loader.exec_module(core)
    code: int = core.run_command(["kmedian", *sys.argv[1:]])
    return code
