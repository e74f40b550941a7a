"""What the numbers depend on besides the code: the processor, the date, our own version."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

# Vector units of x86 that a run can be held to, each with what OpenBLAS calls a processor that has
# no better one.
UNITS = {"avx512": "SkylakeX", "avx2": "Haswell"}


def use_unit(unit: str | None) -> None:
    """Holds all processes that are started from now on to a vector unit: ours, and NumPy's products
    of matrices, which are what a rival's time goes into.
    """
    if unit is not None:
        os.environ["KMEDIAN_VECTOR_UNIT"] = unit
        os.environ["OPENBLAS_CORETYPE"] = UNITS[unit]


def cpu(unit: str | None = None) -> str:
    """The processor's own name, how many of its cores there are, and the vector unit that was asked
    for.
    """
    names = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    name = f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"
    return name if unit is None else f"{name}, {unit}"


def now() -> str:
    """The time to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def kmedian_version(binary: Path, root: Path) -> str:
    """The version of the binary, and of the checkout it was built from."""
    version = output([str(binary), "--version"], root).split()[-1]
    return f"{version} {output(['git', 'describe', '--always', '--dirty'], root)}".strip()


def output(command: list[str], where: Path) -> str:
    """What a command prints; nothing if it cannot run."""
    try:
        return subprocess.run(
            command, cwd=where, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
