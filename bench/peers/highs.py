"""HiGHS through PySAL's spopt: the p-median problem as a mixed-integer program, to an optimum.

Prints the processor seconds of building and solving the model, and the objective. Run as
`peers.highs EDGES K`, with edges as `crates/kmedian/examples/proof.rs` reads them.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pulp
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra
from spopt.locate import PMedian


def main() -> None:
    warnings.simplefilter("ignore")
    file, k = Path(sys.argv[1]), int(sys.argv[2])
    nodes, *edges = file.read_text().splitlines()
    n = int(nodes)
    ends = np.array([[int(word) for word in line.split()[:2]] for line in edges])
    lengths = np.array([float(line.split()[2]) for line in edges])
    graph = coo_matrix((lengths, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
    costs = dijkstra(graph, directed=False)
    began = time.process_time()
    model = PMedian.from_cost_matrix(costs, np.ones(n, dtype=int), k)
    model.solve(pulp.HiGHS(msg=False, threads=1))
    status = pulp.LpStatus[model.problem.status]
    took = time.process_time() - began
    print(
        json.dumps(
            {"processor": took, "cost": float(model.problem.objective.value()), "status": status}
        )
    )


if __name__ == "__main__":
    main()
