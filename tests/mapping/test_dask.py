"""Rows on a cluster of Dask: two workers, one of which is killed; arrays of Dask."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import relax_lang
from tests.mapping.test_map import MODEL, deadly, expected, run, work

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.harness import Relax

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the library, about itself
__all__ = ["deadly", "work"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def test_a_worker_that_is_killed_loses_nothing(relax: Relax, deadly: Path, cluster: Any) -> None:
    done = run(
        relax,
        *(
            "--chunk",
            50,
            "--packed",
            "packed.py",
            "--assume-independent",
            "--dask",
            cluster.scheduler_address,
        ),
        arg=("x=x.npy",),
    )
    assert done.status == 0, done.err
    assert (deadly / "killed").exists()
    np.testing.assert_array_equal(np.load(deadly / "y.npy"), np.load(deadly / "x.npy") * 2)


def test_arrays_of_dask(work: Path, cluster: Any) -> None:
    import dask.array as da

    import relax_lang.dask

    x = da.from_array(np.load(work / "x.npy"), chunks=(300, 5))
    module = relax_lang.load("model.rlx")
    lazy = relax_lang.dask.map(module, x, over="n", w=np.load(work / "w.npy"))
    assert lazy.shape == (1000, 3)
    assert lazy.chunks == ((300, 300, 300, 100), (3,))
    assert lazy.dtype == np.float32
    with distributed.Client(cluster, set_as_default=False) as client:
        np.testing.assert_allclose(client.compute(lazy).result(), expected(work), atol=1e-5)
    np.testing.assert_allclose(lazy.compute(scheduler="synchronous"), expected(work), atol=1e-5)
    mixed = relax_lang.loads("def @main(x: Tensor[(n, 8), float32]) { sum(x, axis=0) }")
    with pytest.raises(relax_lang.RelaxError, match="rows-mixed"):
        relax_lang.dask.map(mixed, x)
    with pytest.raises(relax_lang.RelaxError, match="argument-missing"):
        relax_lang.dask.map(module, x)


def test_modules_and_errors_can_be_pickled(tmp_path: Path) -> None:
    path = tmp_path / "model.rlx"
    path.write_text(MODEL)
    for module in (relax_lang.load(str(path)), relax_lang.loads(MODEL)):
        again = pickle.loads(pickle.dumps(module))
        assert again.source.path == module.source.path
        assert again.script() == module.script()
        x, w = np.ones((2, 8), np.float32), np.ones((8, 3), np.float32)
        np.testing.assert_array_equal(again["main"](x, w), module["main"](x, w))
        main = pickle.loads(pickle.dumps(module["main"]))
        np.testing.assert_array_equal(main(x, w), module["main"](x, w))
    with pytest.raises(TypeError, match="packed functions of its own"):
        pickle.dumps(relax_lang.loads(MODEL, packed={"f": abs}))
    with pytest.raises(relax_lang.RelaxError) as caught:
        relax_lang.loads("def @main() { y }")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
