"""A grid of ratios, darker where they are larger."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.rows import Row
from harness.stats import fastest, groups, middle

# From a quarter of the rival's time to more than all of it.
SHADES = ((0.25, " "), (0.5, "░"), (0.9, "▒"), (1.11, "▓"))
DARKEST = "█"


@dataclass(frozen=True)
class Heat:
    """Time over that of the fastest rival: a line for each kind of data, number of rows, metric and
    k, a column for each number of coordinates; the lines with the largest ratios first.
    """

    method: str
    rivals: tuple[str, ...]

    def lines(self, rows: list[Row]) -> Iterator[str]:
        found: dict[tuple[str, str, str, str], dict[int, float]] = {}
        for setting, methods in groups(rows).items():
            rival = fastest(methods, self.rivals)
            ours = methods.get(self.method, [])
            time, theirs = middle(ours, "seconds"), middle(methods.get(rival or "", []), "seconds")
            if time is not None and theirs:
                kind = setting.data.rsplit("-", 1)[0]
                line = (kind, f"{ours[0].n:,}", setting.metric, f"k={setting.k}")
                found.setdefault(line, {})[ours[0].d] = time / theirs
        if not found:
            return
        columns = sorted({d for ratios in found.values() for d in ratios})
        yield " " * 32 + "".join(f"{f'd={d}':>9}" for d in columns)
        worst = sorted(found.items(), key=lambda line: -max(line[1].values()))
        for (kind, n, metric, k), ratios in worst:
            cells = "".join(shaded(ratios.get(d)) for d in columns)
            yield f"{kind:<10}{n:>7} {metric:<8}{k:<6}{cells}"


def shaded(ratio: float | None) -> str:
    """A ratio with its shade, nine columns wide."""
    if ratio is None:
        return " " * 9
    shade = next((shade for limit, shade in SHADES if ratio <= limit), DARKEST)
    return f"{ratio:>7.2f} {shade}"
