"""What centers cost, and how clearly they are apart, for several k."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class CostCurve(NamedTuple):
    """Centers for several k, to choose between them.

    ``k`` holds numbers of centers, and ``cost`` the cost for each of them. The cost is exact if it
    came from an estimator, and an estimate from noisy counts if it came from a release.
    ``without_data`` is then the estimated cost of centers that know nothing of the demand: private
    centers are worth their ε if they cost less. It is ``None`` for an estimator. ``lower_bound`` is
    what no centers cost less than, for each k; ``None`` unless ``gap`` or ``effort="optimal"`` of an
    estimator asked for it.

    From ``kmedian.choose_k`` and ``cost_curve`` of an estimator there are also, for each k: the
    medoid ``silhouette``, the mean of 1 − d1/d2 over the items, where d1 and d2 are the distances to
    the nearest and second-nearest center (NaN for a single center); ``centers``, the positions of
    the centers; and ``labels``, the position of each item's center among them. ``suggested`` is the
    k whose centers are the clearest apart, or at the sharpest bend of the cost if several are about
    as clear, and ``why`` says so; both are ``None`` if there is too little to tell.
    """

    k: np.ndarray
    cost: np.ndarray
    without_data: np.ndarray | None = None
    lower_bound: np.ndarray | None = None
    silhouette: np.ndarray | None = None
    centers: tuple[np.ndarray, ...] | None = None
    labels: tuple[np.ndarray, ...] | None = None
    suggested: int | None = None
    why: str | None = None

    def __repr__(self) -> str:
        k, cost = self.k.tolist(), self.cost.tolist()
        tried = f"k = {k[0]}" if len(k) == 1 else f"{len(k)} k from {min(k)} to {max(k)}"
        told = "" if self.why is None else f"; suggested {self.why}"
        return f"<CostCurve: {tried}, cost {max(cost):.6g} to {min(cost):.6g}{told}>"

    def plot(self, *, ax: Any = None) -> Any:
        """Draws the costs and, if they are known, the silhouettes and the suggested k. Returns the
        axes."""
        from . import plot

        return plot.cost_curve(self, ax=ax) if self.silhouette is None else plot.choose_k(self, ax=ax)
