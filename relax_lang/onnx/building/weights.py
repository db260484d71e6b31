"""The arrays of a program that was imported, which are written beside its text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Array, Constant


class Weights:
    """Arrays that are written beside the text, by their keys; a constant is kept once."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.arrays: dict[str, Array] = {}
        self._kept: list[Array] = []  # so that no other array gets the address of one
        self._keys: dict[tuple[int, str, tuple[int, ...]], str] = {}

    def key_of(self, constant: Constant, hint: str) -> str:
        """Return the key under which a constant is kept."""
        array = constant.array
        identity = id(array), array.dtype.name, array.shape
        key = self._keys.get(identity)
        if key is None:
            wanted = (constant.key or hint or "constant").replace("/", ".").strip(".") or "constant"
            key, count = wanted, 1
            while key in self.arrays:
                key, count = f"{wanted}_{count}", count + 1
            self._keys[identity] = key
            self._kept.append(array)
            self.arrays[key] = array
        return key

    def forget(self, array: Array) -> None:
        """Drop a constant that nothing in the program reads any more."""
        key = self._keys.pop((id(array), array.dtype.name, array.shape), None)
        if key is not None:
            del self.arrays[key]
            self._kept = [one for one in self._kept if one is not array]
