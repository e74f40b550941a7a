"""Runs one command and writes how long it took, by the clock and of the processors, and how much
memory it had at its peak.

This is a program of its own, run by a bare interpreter: Linux counts the memory of the process
that starts a child as the child's, until the child replaces it. What starts a measured
process must therefore be smaller than anything that is measured.

    launch.py REPORT SECONDS GIB COMMAND…      zero seconds or gibibytes: no limit
"""

import json
import os
import resource
import signal
import sys
import time


def main() -> None:
    report, seconds, gib, command = (
        sys.argv[1],
        float(sys.argv[2]),
        float(sys.argv[3]),
        sys.argv[4:],
    )
    begun = time.perf_counter()
    child = os.fork()
    if child == 0:
        if gib > 0:
            limit = int(gib * 2**30)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        os.execvp(command[0], command)
    overdue = False

    def stop(_signal: int, _frame: object) -> None:
        nonlocal overdue
        overdue = True
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - begun
    found = {
        "seconds": wall,
        "processor": usage.ru_utime + usage.ru_stime,
        "peak_mib": usage.ru_maxrss / 1024,
        "code": os.waitstatus_to_exitcode(status),
        "overdue": overdue,
    }
    with open(report, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
