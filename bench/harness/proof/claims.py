"""What the rows are to show, and whether they do."""

from collections.abc import Iterator

from harness.proof.jobs import MULTIPLES
from harness.proof.rows import Proven


def verdict(passed: bool, text: str) -> str:
    """PASS, or LIMIT: as far as it goes."""
    return f"{'PASS ' if passed else 'LIMIT'}  {text}"


def claims(orlib: list[Proven], restarts: list[Proven], highs: list[Proven]) -> Iterator[str]:
    """What the rows of OR-Library are to show."""
    if not orlib:
        return
    worst, proven = max(row.gap for row in orlib), sum(row.stop == "optimal" for row in orlib)
    yield verdict(worst <= 0.0005, f"OR-Library: gap ≤ 0.05 % in all: {worst:.3%}")
    yield verdict(
        proven >= 0.9 * len(orlib), f"OR-Library: {proven} of {len(orlib)} proven optimal"
    )
    if restarts:
        ours, theirs = sum(row.processor for row in orlib), sum(row.processor for row in restarts)
        met = sum(row.judged == row.least for row in restarts)
        half = f"found and proven with dismissed sites in {ours:.1f} s"
        yield verdict(
            ours <= 0.5 * theirs,
            f"OR-Library: {half}; 200 restarts take {theirs:.1f} s and meet {met}",
        )
    by_name = {row.data: row for row in orlib}
    for row in highs:
        ours = by_name[row.data].processor
        by_highs = f"by HiGHS in {row.processor:.2f} s ({row.stop})"
        yield f"       {row.data}: proven in {ours:.2f} s, {by_highs}"


def claims_of_meeting(restarts: list[Proven], prices: list[Proven]) -> Iterator[str]:
    """How long the optima of OR-Library take to be met, by restarts and by way of prices."""
    if not (restarts and prices):
        return
    met = [sum(row.stop in ("met", "optimal") for row in rows) for rows in (restarts, prices)]
    took = [sum(row.processor for row in rows) for rows in (restarts, prices)]
    yield verdict(
        took[1] <= 0.5 * took[0] and met[1] == len(prices),
        f"OR-Library: {met[1]} of {len(prices)} optima met by way of prices in {took[1]:.1f} s, "
        f"{met[0]} of {len(restarts)} by restarts in {took[0]:.1f} s",
    )


def claims_of_large(tsplib: list[Proven], timed: list[Proven]) -> Iterator[str]:
    """What the rows of TSPLIB and of large data are to show."""
    if tsplib:
        excess = [row.excess or 0.0 for row in tsplib]
        small = sum(row.gap <= 0.0025 for row in tsplib)
        mean = sum(excess) / len(excess)
        yield verdict(
            mean <= 0.00055, f"TSPLIB, {len(tsplib)} of 70 rows: mean excess ≤ 0.055 %: {mean:.4%}"
        )
        yield verdict(max(excess) <= 0.005, f"TSPLIB: none above 0.5 %: {max(excess):.3%}")
        yield verdict(
            small >= 0.9 * len(tsplib), f"TSPLIB: gap ≤ 0.25 % in {small} of {len(tsplib)}"
        )
        large = [f"{row.data} p={row.k} {row.gap:.2%}" for row in tsplib if row.gap > 0.01]
        yield verdict(not large, f"TSPLIB: gap ≤ 1 % in all; above: {', '.join(large) or 'none'}")
    targets = {"birch1": 0.005, "amsterdam": 0.005, "mnist-test": 0.01}
    for row in timed:
        target = targets.get(row.data)
        gap = row.after.get(str(MULTIPLES[-1]), 1.0)
        if target:
            yield verdict(
                gap <= target,
                f"{row.data} k={row.k}: gap ≤ {target:.1%} after 10 × the fit: {gap:.3%}",
            )
