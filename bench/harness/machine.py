"""What the numbers depend on besides the code: the processor, the date, our own version."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path


def cpu() -> str:
    """The processor's own name, and how many of its cores there are."""
    names = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{names[0] if names else 'unknown'}, {os.cpu_count()} cores"


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
