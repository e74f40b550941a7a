"""The command line, as `cargo xtask bench` calls it."""

import argparse
import shutil
import sys
from pathlib import Path

from harness import instructions, limits, proof
from harness.machine import UNITS
from harness.rows import read
from harness.suite import Suite
from harness.suites import suites
from harness.tables import report

BENCH = Path(__file__).resolve().parent.parent
RESULTS = BENCH / "results"


def arguments() -> argparse.Namespace:
    """What was asked. The last options are xtask's own."""
    parser = argparse.ArgumentParser(prog="cargo xtask bench", allow_abbrev=False)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="which suites; all if none")
    parser.add_argument("--repeat", type=int, help="how often; each suite has its own default")
    parser.add_argument("--quick", action="store_true", help="toy sizes, to try the harness")
    parser.add_argument("--only", metavar="METHOD", help="run this method alone")
    parser.add_argument(
        "--unit", choices=UNITS, help="with no more of the processor's vectors, rivals neither"
    )
    parser.add_argument("--tables", action="store_true", help="tables from kept rows; run nothing")
    parser.add_argument(
        "--accept", action="store_true", help="instructions: take the new counts as the baseline"
    )
    parser.add_argument("--kmedian", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    known = suites(given.quick)
    names = [*known, instructions.NAME, limits.NAME, proof.NAME]
    for name in given.suites:
        if name not in names:
            raise SystemExit(f"bench: there is no suite {name}; there are {', '.join(names)}")
    chosen = [known[name] for name in given.suites or known if name in known]
    methods = {method.name for suite in chosen for case in suite.cases for method in case.methods}
    if given.only is not None and given.only not in methods:
        raise SystemExit(f"bench: no method {given.only}; there are {', '.join(sorted(methods))}")
    for name in given.suites or names:
        if name == instructions.NAME:
            count(given)
        elif name == limits.NAME:
            measure_limits(given)
        elif name == proof.NAME:
            prove(given)
        else:
            bench(known[name], given)


def bench(suite: Suite, given: argparse.Namespace) -> None:
    """Runs a suite, unless only tables are wanted, and prints its table."""
    # What is not a whole run at full size is not a result, and stays out of the results.
    trial = given.quick or given.only is not None
    name = f"{suite.name}.jsonl" if given.unit is None else f"{suite.name}-{given.unit}.jsonl"
    rows = given.work / ("trial" if trial else "rows") / name
    kept = rows if trial else RESULTS / name
    if not given.tables:
        run(suite, given, rows)
        if not trial:
            RESULTS.mkdir(exist_ok=True)
            shutil.copyfile(rows, kept)
    show(suite, kept, given.quick)


def count(given: argparse.Namespace) -> None:
    """Counts instructions, or prints the kept counts."""
    baseline = RESULTS / f"{instructions.NAME}.json"
    if given.tables:
        print("\n" + instructions.report(instructions.read(baseline), {}))
    else:
        instructions.run(BENCH.parent, given.work.parent, baseline, given.accept)


def measure_limits(given: argparse.Namespace) -> None:
    """Measures what the machine can do, or prints what was kept of it."""
    kept = (given.work / "trial" if given.quick else RESULTS) / f"{limits.NAME}.json"
    if given.tables:
        print("\n" + limits.report(kept))
    else:
        kept.parent.mkdir(parents=True, exist_ok=True)
        limits.run(kept)


def prove(given: argparse.Namespace) -> None:
    """Proves what has no row yet, or prints the kept rows. Interrupted, it goes on where it was."""
    from harness.store import Store

    kept = (given.work / "trial" if given.quick else RESULTS) / f"{proof.NAME}.jsonl"
    if not given.tables:
        store = Store(BENCH.parent.parent / "shared" / "data", given.work / "data")
        proof.run(given.kmedian.parent / "examples" / "proof", store, kept, given.quick, [])
    print("\n" + proof.report(proof.read(kept)))


def run(suite: Suite, given: argparse.Namespace, to: Path) -> None:
    """Runs a suite. Rows are kept as they come; an interrupted run leaves them where they are."""
    from harness.judge import Judge
    from harness.machine import cpu, kmedian_version, use_unit
    from harness.runner import Runner
    from harness.store import Store

    root = BENCH.parent
    version = kmedian_version(given.kmedian, root)
    store = Store(root.parent / "shared" / "data", given.work / "data")
    to.unlink(missing_ok=True)
    use_unit(given.unit)
    try:
        runner = Runner(given.kmedian, version, cpu(given.unit), store, Judge())
        runner.run(suite, given.repeat or (1 if given.quick else suite.repeats), given.only, to)
    except KeyboardInterrupt:
        raise SystemExit(f"bench: interrupted; the rows so far are in {to}") from None


def show(suite: Suite, path: Path, quick: bool) -> None:
    """Prints a suite's table."""
    rows = read(path)
    if not rows:
        print(f"bench: there are no rows of {suite.name}", file=sys.stderr)
        return
    print("\n" + report(suite, rows))
    if quick:
        print("These are toy sizes: they show that the harness works, and nothing else.\n")


if __name__ == "__main__":
    main()
