"""The notebooks of docs/gallery run from top to bottom; what they claim is asserted in them."""

import json
from pathlib import Path

import pytest

pytest.importorskip("manybody", reason="the package is not installed: pip install .")

GALLERY = sorted((Path(__file__).resolve().parents[2] / "docs/gallery").glob("*.ipynb"))


def test_there_is_a_gallery():
    assert len(GALLERY) >= 8


@pytest.mark.parametrize("notebook", GALLERY, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{notebook.name}, cell {cell['id']}", "exec"), names)
    assert plt.get_fignums(), "a notebook draws a picture"
    plt.close("all")
