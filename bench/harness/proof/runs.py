"""Runs what is to be proven: by the example of the crate, or by HiGHS.

Processor seconds are those of all threads, so that they hardly depend on what else the machine
does; only a time limit looks at the clock.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from harness.machine import cpu, now, output
from harness.proof.jobs import HIGHS_LIMIT, MULTIPLES, Job, jobs
from harness.proof.rows import Proven, read
from harness.store import Store


def run(binary: Path, store: Store, to: Path, quick: bool, parts: list[str]) -> None:
    """Runs what has no row yet, and appends a row for each."""
    to.parent.mkdir(parents=True, exist_ok=True)
    done = {(row.part, row.data, row.k, limited(row)) for row in read(to)}
    version = output(["git", "describe", "--always", "--dirty"], Path(__file__).parent)
    for job in jobs(store, quick):
        options = " ".join(job.options)
        keys = {(job.part, job.data, job.k, words) for words in (options, unlimited(options))}
        if (parts and job.part not in parts) or keys & done:
            continue
        row = highs(job) if job.part == "highs" else prove(binary, job, version)
        with to.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
        shown = "" if row.excess is None else f", {row.excess:.3%} above the published value"
        print(
            f"{job.part} {job.data} k={job.k}: gap {row.gap:.3%}{shown}, "
            f"{row.processor:.1f} s, {row.stop}",
            flush=True,
        )


def limited(row: Proven) -> str:
    """The options of a row. A limit of time on TSPLIB that did not end the run is left out: the run
    would have been the same with any other.
    """
    free = row.part == "tsplib" and row.stop != "time-limit"
    return unlimited(row.options) if free else row.options


def unlimited(options: str) -> str:
    """Options without a limit of time."""
    return " ".join(word for word in options.split() if not word.startswith("time="))


def prove(binary: Path, job: Job, version: str) -> Proven:
    """One run."""
    command = [str(binary), *job.place, str(job.k), *job.options]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in said.splitlines()]
    fit = next((float(line[1]) for line in lines if line[0] == "fit"), 0.0)
    steps = [tuple(map(float, line[1:4])) for line in lines if line[0] == "step"]
    _, processor, bound, cost, stop = next(line for line in lines if line[0] == "end")
    met = next((line[1] for line in lines if line[0] == "met"), None)
    if met is not None:
        processor, stop = met, "met"
    centers = next([int(word) for word in line[1:]] for line in lines if line[0] == "centers")
    after = {}
    for times in MULTIPLES if job.part == "times" else ():
        seen = [(bound, cost) for at, bound, cost in steps if at - fit <= times * fit]
        if seen:
            after[str(times)] = 1 - seen[-1][0] / seen[-1][1]
    return Proven(
        part=job.part,
        data=job.data,
        k=job.k,
        options=" ".join(job.options),
        cost=float(cost),
        bound=float(bound),
        stop=stop,
        processor=float(processor),
        fit=fit,
        judged=job.judge(centers) if job.judge else float(cost),
        least=job.least,
        relaxation=job.relaxation,
        after=after,
        build="release" if "release" in binary.parts else "debug",
        version=version,
        cpu=cpu(),
        date=now(),
    )


def highs(job: Job) -> Proven:
    """The same instance by HiGHS, in a process of its own."""
    command = [sys.executable, "-m", "peers.highs", job.place[1], str(job.k), str(HIGHS_LIMIT)]
    bench = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=bench)
    said = json.loads(done.stdout.splitlines()[-1])
    versions = {name: metadata.version(name) for name in ("spopt", "highspy")}
    return Proven(
        part="highs",
        data=job.data,
        k=job.k,
        options=" ".join(job.options),
        cost=said["cost"],
        bound=said["bound"],
        stop="optimal" if said["status"] == "Optimal" else said["status"],
        processor=said["processor"],
        fit=0.0,
        judged=said["cost"],
        least=job.least,
        relaxation=None,
        after={},
        build="",
        version=", ".join(f"{name} {version}" for name, version in versions.items()),
        cpu=cpu(),
        date=now(),
    )
