"""The ``kmedian`` command that comes with the package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np
import pytest

import kmedian

SCRIPT = str(Path(sysconfig.get_path("scripts")) / ("kmedian.exe" if os.name == "nt" else "kmedian"))


def run(*words: str, script: tuple[str, ...] = (SCRIPT,)) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*script, *words], capture_output=True, text=True, timeout=120)


def refusal(*words: str) -> str:
    """The one line on standard error that a command line is refused with."""
    refused = run(*words)
    assert refused.returncode == 2 and refused.stdout == "", refused
    assert refused.stderr.startswith("error: ") and refused.stderr.count("\n") == 1, refused.stderr
    return refused.stderr


@pytest.fixture
def table(points, tmp_path) -> str:
    file = tmp_path / "points.csv"
    np.savetxt(file, points, delimiter=",", header="x,y,z", comments="")
    return str(file)


@pytest.mark.parametrize("script", [(SCRIPT,), (sys.executable, "-m", "kmedian")], ids=["script", "module"])
def test_it_is_the_command(script, table, points):
    assert run("--version", script=script).stdout == f"kmedian {kmedian.__version__}\n"
    fitted = run("fit", table, "-k", "5", "--json", script=script)
    assert fitted.returncode == 0, fitted.stderr
    [fit] = json.loads(fitted.stdout)["fits"]
    assert fit["center_indices"] == kmedian.KMedian(5, random_state=0).fit(points).medoid_indices_.tolist()


def test_it_prints_what_the_program_prints(command, table):
    for words in (["fit", table, "-k", "3"], ["info", table], ["help"], ["help", "fit"], ["completions", "bash"]):
        ours, theirs = run(*words), run(*words, script=(command,))
        assert (ours.returncode, ours.stderr) == (0, theirs.stderr)
        assert without_times(ours.stdout) == without_times(theirs.stdout) != ""


def without_times(printed):
    """What was printed; of a fit, what follows the times that it took."""
    return printed.partition("distance to the center")[2] or printed


def test_what_is_wrong_is_said_in_one_line(table):
    assert "no such file" in refusal("fit", "nowhere.csv", "-k", "3")
    assert "--what" in refusal("fit", table, "-k", "3", "--what")


def test_parquet_is_refused_before_anything_is_spent(table, tmp_path):
    file, book = tmp_path / "visits.parquet", str(tmp_path / "book.db")
    file.write_bytes(b"PAR1 and whatever follows PAR1")
    assert "cargo install kmedian-cli" in refusal("fit", str(file), "-k", "3")
    assert "cargo install kmedian-cli" in refusal("fit", table, "-k", "3", "--labels", str(tmp_path / "labels.parquet"))
    assert run("ledger", "create", book, "--dataset", "visits", "--budget", "1").returncode == 0
    spend = ["--epsilon", "1", "--ledger", book, "--dataset", "visits", "--release", str(tmp_path / "release.json")]
    assert "cargo install kmedian-cli" in refusal("private", table, "--demand", str(file), "--key", "stop", "-k", "3", *spend)
    spent = json.loads(run("ledger", "show", book, "--dataset", "visits", "--json").stdout)
    assert spent["spent"] == "0" and spent["runs"] == 0, spent


def test_it_does_not_wait_for_numpy():
    code = (
        "import sys; sys.argv = ['kmedian', '--version']; import kmedian_command; code = kmedian_command.main();"
        "print(code, [name for name in ('kmedian', 'numpy', 'sklearn') if name in sys.modules])"
    )
    assert run("-c", code, script=(sys.executable,)).stdout.splitlines()[1:] == ["0 []"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_ctrl_c_ends_it_with_what_it_has(table):
    # A busy machine may not have begun the search when the signal comes.
    for patience in (1, 3, 9, 27):
        words = [SCRIPT, "fit", table, "-k", "5", "--restarts", "1000000"]
        started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        started.send_signal(signal.SIGINT)
        printed, said = started.communicate(timeout=60)
        if printed:
            break
    assert started.returncode == 130, said
    assert "stopping with what there is" in said and "Traceback" not in said
    assert "cancelled" in printed and "served worst" in printed, printed
