"""Pick k representatives out of a known set of items, under any metric.

``KMedian`` and ``KMeansMedoids`` are scikit-learn estimators whose centers are rows of the data,
nodes of a graph or items of a distance matrix. ``PrivateKMedian`` finds centers of private demand
over public items, under differential privacy; what it releases is a ``Release``, and what it spends
is in a ``Ledger``. ``kmedian.plan`` simulates what private centers would cost for several ε, before
any is spent. ``kmedian.choose_k`` finds centers for several k and suggests one, and
``kmedian.medoid_silhouette`` says how clear they are apart. ``kmedian.count`` counts records by
their items, or by what is nearest to their coordinates. ``kmedian.plot`` draws results.
"""

import atexit as _atexit
from importlib.metadata import version as _version

from . import _core, plot
from ._choose import choose_k
from ._core import BudgetExhausted
from ._count import count
from ._curve import CostCurve
from ._demand import DryRun, ReleaseFailed
from ._estimators import KMeansMedoids, KMedian
from ._ledger import Dataset, Entry, Ledger
from ._plan import Plan, PlanCurve, plan
from ._private import NotPrivateWarning, PrivateKMedian
from ._release import Release
from ._silhouette import medoid_silhouette
from ._sites import Service, Ways
from ._snap import Snap

__version__ = _version("kmedian")

# No thread may be calling a metric when the interpreter ends.
_atexit.register(_core.leave)

__all__ = [
    "BudgetExhausted",
    "CostCurve",
    "Dataset",
    "DryRun",
    "Entry",
    "KMeansMedoids",
    "KMedian",
    "Ledger",
    "NotPrivateWarning",
    "Plan",
    "PlanCurve",
    "PrivateKMedian",
    "Release",
    "ReleaseFailed",
    "Service",
    "Snap",
    "Ways",
    "choose_k",
    "count",
    "medoid_silhouette",
    "plan",
    "plot",
]
