"""Pick k representatives out of a known set of items, under any metric.

``KMedian`` and ``KMeansMedoids`` are scikit-learn estimators whose centers are rows of the data, nodes of a graph or
items of a distance matrix. ``PrivateKMedian`` finds centers of private demand over public items, under differential
privacy; what it releases is a ``Release``, what it spends is in a ``Ledger``. ``kmedian.plot`` draws them.
"""

from importlib.metadata import version as _version

from . import plot
from ._core import BudgetExhausted
from ._curve import CostCurve
from ._estimators import KMeansMedoids, KMedian
from ._ledger import Dataset, Entry, Ledger
from ._private import NotPrivateWarning, PrivateKMedian
from ._release import Release

__version__ = _version("kmedian")

__all__ = [
    "BudgetExhausted",
    "CostCurve",
    "Dataset",
    "Entry",
    "KMeansMedoids",
    "KMedian",
    "Ledger",
    "NotPrivateWarning",
    "PrivateKMedian",
    "Release",
    "plot",
]
