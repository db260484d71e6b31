"""Constants in files as one session sees them: with the dtypes and shapes that they had when it began. [CF.1] [CF.4]"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.runtime.values.tensors import MAX_RANK
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.runtime.values.tensors import LoadConstant, Tensor

    Spec = tuple[str, tuple[int, ...]]
    ReadHeader = Callable[[str, str | None], Spec | None]


class FileConstants:
    """Loads the constants of a module; `infos` says what is certain of them, by path and key.

    `header` gives dtype and shape of an array, or None where it cannot be read: the program reports that when it gets
    there. Without `header` nothing is certain.
    """

    __slots__ = ("_load", "infos")

    def __init__(self, module: tree.IRModule, load: LoadConstant, header: ReadHeader | None = None) -> None:
        self._load = load
        self.infos: dict[tuple[str, str | None], tree.TensorStructInfo] = {}
        if header is None:
            return
        for literal in [node for node in walk(module) if isinstance(node, tree.FileLit)]:
            place = literal.path, literal.key
            found = None if place in self.infos else header(*place)
            if found is not None and found[0] in DTYPES and len(found[1]) <= MAX_RANK:
                self.infos[place] = _info(*found)

    def load(self, path: str, key: str | None) -> Tensor:
        """Return an array. Raises RunFailure if there is none, or it is of another dtype or shape by now."""
        array = self._load(path, key)
        info = self.infos.get((path, key))
        if info is not None and not _is(array, info):
            message = f"the array file `{path}` has another dtype or shape than when the program was started"
            raise RunFailure("constant-file-invalid", message)
        return array


def _info(dtype: str, shape: tuple[int, ...]) -> tree.TensorStructInfo:
    dims = tuple([tree.IntImm(size) for size in shape])
    return tree.TensorStructInfo(tree.ShapeExpr(dims), tree.DType(dtype), None)


def _is(array: Tensor, info: tree.TensorStructInfo) -> bool:
    assert info.dtype is not None
    assert isinstance(info.shape, tree.ShapeExpr)
    sizes = [dim.value for dim in info.shape.values if isinstance(dim, tree.IntImm)]
    return array.dtype.name == info.dtype.name and [*array.shape] == sizes
