"""Diagnostics about programs that run over rows."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Location, Rule


@rule("RLX1501", "rows-mixed", ERROR)
def rows_mixed(
    rule: Rule, place: Location, dim: str, reason: str, inner: Location | None, known: bool
) -> Diagnostic:
    """A program that is to run over rows in parts mixes them, or is not known to keep them apart.

    Parts give the result of the whole only if each row of the result is computed from the same row of the arguments.
    Operators declare what they do with rows, and loops of PrimFuncs are analysed: an index must be the loop variable
    of the rows itself. Nothing is known of packed functions, closures and recursion. Reductions along other axes,
    products with weights and images of a batch keep rows apart.

    ```console
    $ relax map model.rlx --arg x=big.npy --over n --out y.npy
    error[RLX1501 rows-mixed]: parts of `n` would not give the result of the whole: it reduces over the rows
    ```

    If you know better, `--assume-independent` runs it all the same.
    """
    found = rule.at(place, f"parts of `{dim}` would not give the result of the whole: {reason}", "here")
    if inner is not None:
        found.label(inner, "this access" if known else "here")
    return found.helped("if its rows do not depend on each other, run it with `--assume-independent`")


@rule("RLX1502", "rows-unknown", ERROR)
def rows_unknown(rule: Rule, place: Location | None, message: str, known: Sequence[str] = ()) -> Diagnostic:
    """A program cannot be divided along a dimension: no parameter has it, or none as the extent of one axis.

    ```console
    $ relax map model.rlx --arg x=big.npy --over k --out y.npy
    error[RLX1502 rows-unknown]: no parameter of @main has the dimension `k`
    ```
    """
    found = rule.at(place, message)
    if known:
        found.helped(f"its dimensions are {', '.join([f'`{name}`' for name in known])}")
    return found


@rule("RLX1503", "map-array", ERROR)
def array_unfit(rule: Rule, path: str, why: str) -> Diagnostic:
    """An array that is read or written in parts is not one that this can be done with.

    Inputs are `.npy` files, which are mapped into memory, or arrays of Zarr (`.zarr`). All that are divided must have
    equally many rows.

    ```console
    $ relax map model.rlx --arg x=big.npz --over n --out y.npy
    error[RLX1503 map-array]: `big.npz`: rows are read from `.npy` files and arrays of Zarr
    ```
    """
    return rule.at(None, f"`{path}`: {why}")


@rule("RLX1504", "map-other-run", ERROR)
def other_run(rule: Rule, journal: str, changed: Sequence[str]) -> Diagnostic:
    """What was done before belongs to another run: the program, an argument or the dimension has changed since.

    Beside its output, `relax map` keeps a journal of the rows that are finished, and goes on there after it was
    stopped. That would mix two results if anything had changed in between.

    ```console
    $ relax map model.rlx --arg x=big.npy --over n --out y.npy
    error[RLX1504 map-other-run]: `y.npy.journal` is of another run: the program has changed
    ```
    """
    found = rule.at(None, f"`{journal}` is of another run: {', '.join(changed)} changed since")
    return found.helped("`--restart` forgets what was done and begins with the first row")


@rule("RLX1505", "map-busy", ERROR)
def busy(rule: Rule, path: str) -> Diagnostic:
    """Another process is writing the same output at this moment.

    ```console
    $ relax map model.rlx --arg x=big.npy --over n --out y.npy
    error[RLX1505 map-busy]: another process is writing `y.npy`
    ```
    """
    return rule.at(None, f"another process is writing `{path}`")


@rule("RLX1506", "map-workers-lost", ERROR)
def workers_lost(rule: Rule, rows: str, how: str) -> Diagnostic:
    """Processes that computed rows ended before they were finished, again and again.

    One that ends, or is ended, is replaced, and its rows are computed again. After several times the run stops. Most
    often memory is short: take fewer rows at a time (`--chunk`), or fewer processes (`--workers`).

    ```console
    $ relax map model.rlx --arg x=big.npy --over n --out y.npy --workers 8
    error[RLX1506 map-workers-lost]: processes ended while they computed rows 0 to 255: killed
    ```
    """
    return rule.at(None, f"processes ended while they computed {rows}: {how}").helped(
        "take fewer rows at a time with `--chunk`, or fewer processes with `--workers`"
    )


@rule("RLX1507", "map-result", ERROR)
def result_unfit(rule: Rule, place: Location | None, message: str) -> Diagnostic:
    """A result cannot be written in parts: it is not a tensor, or its parts do not fit together.

    There is one `--out` for each tensor of the result. Extents of other axes must be the same for all parts.

    ```console
    $ relax map model.rlx --arg x=big.npy --over n --out y.npy
    error[RLX1507 map-result]: @main returns 2 tensors, and 1 `--out` is given
    ```
    """
    return rule.at(place, message)


@rule("RLX1508", "map-cluster", ERROR)
def cluster_failed(rule: Rule, address: str, why: str) -> Diagnostic:
    """A cluster of Dask cannot be reached, or lost the work it was given.

    ```console
    $ relax map model.rlx --arg x=big.npy --over n --out y.npy --dask tcp://localhost:8786
    error[RLX1508 map-cluster]: `tcp://localhost:8786`: Timed out trying to connect
    ```
    """
    return rule.at(None, f"`{address}`: {why}")
