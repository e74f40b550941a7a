"""HiGHS through PySAL's spopt: the p-median problem as a mixed-integer program, to an optimum.

Prints the processor seconds of building and solving the model, the cost of the best centers, and
what no centers can beat. Run as `peers.highs EDGES K SECONDS`, with edges as
`crates/kmedian/examples/proof.rs` reads them; after so many seconds of solving, HiGHS gives up.
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
    file, k, limit = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    nodes, *edges = file.read_text().splitlines()
    n = int(nodes)
    ends = np.array([[int(word) for word in line.split()[:2]] for line in edges])
    lengths = np.array([float(line.split()[2]) for line in edges])
    graph = coo_matrix((lengths, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
    costs = dijkstra(graph, directed=False)
    began = time.process_time()
    model = PMedian.from_cost_matrix(costs, np.ones(n, dtype=int), k)
    model.solve(pulp.HiGHS(msg=False, threads=1, timeLimit=limit))
    took = time.process_time() - began
    ended = model.problem.solverModel
    info = ended.getInfo()
    said = {
        "processor": took,
        "cost": info.objective_function_value,
        "bound": info.mip_dual_bound,
        "status": ended.modelStatusToString(ended.getModelStatus()),
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main()
