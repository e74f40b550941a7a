"""The notebooks run from the first cell to the last, and are kept without what they print."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import nbclient
import nbformat
import pytest
from conftest import lacking

FOLDER = Path(__file__).parents[3] / "docs" / "notebooks"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS == ["depots.ipynb", "flights.ipynb", "mnist.ipynb"]


@pytest.fixture(scope="session")
def vega(tmp_path_factory) -> Path:
    """A folder with the airports and flights of npm's package ``vega-datasets``, which is downloaded once."""
    folder = Path(sys.prefix).parent / "vega-datasets"
    wanted = ["airports.csv", "flights-3m.parquet"]
    if all((folder / name).exists() for name in wanted):
        return folder
    download = tmp_path_factory.mktemp("npm")
    try:
        subprocess.run(["npm", "pack", "vega-datasets", "--silent"], cwd=download, check=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as error:
        lacking(f"npm cannot download vega-datasets: {error}")
    folder.mkdir(exist_ok=True)
    with tarfile.open(next(download.glob("*.tgz"))) as package:
        for name in wanted:
            found = package.extractfile(f"package/data/{name}")
            assert found is not None
            # Whole or not at all, so that a run that is ended leaves no half of it.
            (download / name).write_bytes(found.read())
            (download / name).replace(folder / name)
    return folder


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_it_runs(name, monkeypatch, request):
    if name == "flights.ipynb":
        monkeypatch.setenv("KMEDIAN_VEGA", str(request.getfixturevalue("vega")))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(FOLDER / name, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None, "clear the outputs before you commit"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": FOLDER}}).execute()
    assert any("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
