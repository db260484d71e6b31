"""RewriteDataflowView: PrimFuncs that copy rows and columns of a tensor become views."""

from __future__ import annotations

from relax_lang.analysis.prim_funcs.reshapes import Copy, copy_of
from relax_lang.arith.printing import simplified
from relax_lang.arith.prover import EQUAL, compare
from relax_lang.arith.substitute import substitute
from relax_lang.ops.core.terms import prims
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.passes import Run, function_pass
from relax_lang.transform.prim_funcs.views import Views


@function_pass("RewriteDataflowView", idempotent=True)
def rewrite_dataflow_view(function: tree.Function, run: Run) -> tree.Function:
    """Write a `call_tir` of a PrimFunc that only permutes axes, or takes slices, as an operator that copies nothing.

    It becomes `permute_dims` or `strided_slice`, whose results NumPy reads where they are. That the PrimFunc does no
    more is proved from the indices of its load and its store. As `RewriteDataflowReshape`, which see for reshapes, it
    works in dataflow blocks only, and only where nothing can see that two variables share memory. `broadcast_to`
    makes memory of its own and is left as a PrimFunc.

    ```relax before
    def @main(x: Tensor[(n, m), float32]) {
      dataflow {
        let y = call_tir(@transpose, (x,)) -> Tensor[(m, n), float32];
        let z = exp(y);
        output z;
      }
      z
    }

    private prim_func @transpose(X: Buffer[(n, m), float32], Y: Buffer[(m, n), float32]) {
      for i, j in grid(m, n) {
        Y[i, j] = X[j, i];
      }
    }
    ```

    ```relax after
    def @main(x: Tensor[(n, m), float32]) {
      dataflow {
        let y = permute_dims(x, axes=[1, 0]);
        let z = exp(y);
        output z;
      }
      z
    }

    private prim_func @transpose(X: Buffer[(n, m), float32], Y: Buffer[(m, n), float32]) {
      for i, j in grid(m, n) {
        Y[i, j] = X[j, i];
      }
    }
    ```
    """
    if not run.typed.mentions(function).dataflow:
        return function
    return Views(function, run.typed.prim_funcs, _view).rewritten()


def _view(func: tree.PrimFunc, source: tree.Expr, info: tree.TensorStructInfo) -> tree.Call | None:
    copy = copy_of(func)
    if copy is None or len(copy.indices) != len(copy.places):
        return None
    return _permuted(copy, source) or _sliced(copy, source)


def _axis(copy: Copy, index: tree.PrimExpr) -> int | None:
    """Return the axis of the result along which an index goes, if it goes one step at a time from 0."""
    if not isinstance(index, tree.PrimVar):
        return None
    for axis, place in enumerate(copy.places):
        if isinstance(place, tree.PrimVar) and place.name == index.name:
            return axis
    return None


def _permuted(copy: Copy, source: tree.Expr) -> tree.Call | None:
    """Return the `permute_dims` that makes the same, if each axis of the source is a whole axis of the result."""
    axes = [_axis(copy, index) for index in copy.indices]
    if sorted([-1 if axis is None else axis for axis in axes]) != list(range(len(axes))):
        return None
    for dim, axis in zip(copy.given.shape, axes, strict=True):
        assert axis is not None
        if compare(dim, copy.made.shape[axis], copy.facts) != EQUAL:
            return None
    order = [tree.IntLit(axes.index(axis)) for axis in range(len(axes))]
    attr = tree.Attr("axes", tree.ListLit(tuple(order)))
    return tree.Call(tree.Op("permute_dims"), (source,), (attr,))


def _sliced(copy: Copy, source: tree.Expr) -> tree.Call | None:
    """Return the `strided_slice` that makes the same, if sizes along the axes that are sliced are numbers."""
    bounds: dict[int, tuple[int, int, int]] = {}
    for axis, (index, place) in enumerate(zip(copy.indices, copy.places, strict=True)):
        given, made = copy.given.shape[axis], copy.made.shape[axis]
        if _axis(copy, index) == axis and compare(given, made, copy.facts) == EQUAL:
            continue
        if not isinstance(made, tree.IntImm) or not isinstance(given, tree.IntImm) or not made.value:
            return None
        found = _line(copy, index, place)
        if found is None or found[0] < 0 or found[1] <= 0:
            return None
        begin, step = found
        end = begin + step * (made.value - 1) + 1
        if end > given.value:
            return None
        bounds[axis] = begin, end, step
    columns = [prims(column) for column in zip(*bounds.values(), strict=True)]
    return tree.Call(tree.Op("strided_slice"), (source, prims(list(bounds)), *columns)) if bounds else None


def _line(copy: Copy, index: tree.PrimExpr, place: tree.PrimExpr) -> tuple[int, int] | None:
    """Return where an index begins and its step, if it goes by equal steps along one axis of the result."""
    if isinstance(index, tree.IntImm) and isinstance(place, tree.IntImm):
        return index.value, 1
    if not isinstance(place, tree.PrimVar):
        return None
    first, second = [simplified(substitute(index, {place.name: tree.IntImm(at)})) for at in (0, 1)]
    if not isinstance(first, tree.IntImm) or not isinstance(second, tree.IntImm):
        return None
    step = second.value - first.value
    line = tree.Add(tree.Mul(place, tree.IntImm(step)), first)
    return (first.value, step) if compare(index, line, copy.facts) == EQUAL else None
