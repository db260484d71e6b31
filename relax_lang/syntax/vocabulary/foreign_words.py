"""Names of dtypes and struct infos in other languages: what a word that is not one of our names was meant to be.

Only imported once there is something to report.
"""

from __future__ import annotations

from relax_lang.base.names import nearest
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.vocabulary.words import NOT_FINITE, STRUCT_INFOS

_DTYPES = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "single": "float32",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "uint": "uint32",
    "usize": "uint64",
    "isize": "int64",
    "index": "int64",
    "boolean": "bool",
    "bool_": "bool",
    "i1": "bool",
    "bf16": "bfloat16",
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{
        f"{sign}{bits}": f"{name}{bits}"
        for sign, name in (("i", "int"), ("u", "uint"))
        for bits in (8, 16, 32, 64)
    },
}

_MODULES = (
    "np",
    "numpy",
    "torch",
    "jnp",
    "jax.numpy",
    "tf",
    "ml_dtypes",
    "T",
    "R",
    "tvm",
    "tl",
    "numba",
    "nb",
)

NUMBERS = {
    **NOT_FINITE,
    "pi": "3.141592653589793",
    "e": "2.718281828459045",
}
"""Names of numbers in the modules of Python: `math.pi`, `np.inf`."""

TENSORS = ("ndarray", "NDArray", "Array", "tensor", "memref", "Buffer")
"""What other languages call a tensor."""

_INFOS = {
    **dict.fromkeys(("None", "void", "Void", "unit", "Unit"), "()"),
    **dict.fromkeys(("Any", "any", "object", "auto"), "Object"),
    **dict.fromkeys(TENSORS, "Tensor"),
}

UNIONS = ("Union", "Optional")
"""What other languages call a value that may be one of several kinds."""

_FORMS = {
    **dict.fromkeys(
        ("Tuple", "tuple", "List", "list", "Sequence", "Iterable"), "a tuple is written `(A, B)`"
    ),
    **dict.fromkeys(("Callable", "Function", "function", "Fn"), "a function is written `fn(A) -> B`"),
    **dict.fromkeys(UNIONS, "what may be one of several kinds is an `Object`"),
    "str": "strings are not values; they are written in attributes",
}


def dtype_of(name: str) -> str | None:
    """Return the dtype of a name, or of one that another language has for it, or None."""
    return name if name in DTYPES else _DTYPES.get(name)


def nearest_dtype(name: str) -> str | None:
    """Return the dtype that was probably meant."""
    return _DTYPES.get(name) or nearest(name, DTYPES)


def dtype_with_prefix(name: str) -> str | None:
    """Return the dtype that `np.float32` and `torch.long` are; None for any other name."""
    module, _, last = name.rpartition(".")
    if module not in _MODULES:
        return None
    return last if last in DTYPES else _DTYPES.get(last)


def without_module(name: str) -> str:
    """Return `einsum` for `torch.einsum`, and any other name as it is."""
    module, _, last = name.rpartition(".")
    return last if module in _MODULES else name


def nearest_info(name: str) -> str | None:
    """Return the struct info that was probably meant; a dtype means the scalar."""
    dtype = name if name in DTYPES else _DTYPES.get(name)
    if dtype is not None:
        return f"Tensor[(), {dtype}]"
    return _INFOS.get(name) or (None if name in _FORMS else nearest(name, STRUCT_INFOS))


def info_form(name: str) -> str:
    """Return how the struct info that another language calls `name` is written; empty if there is none."""
    return _FORMS.get(name, "")


def number_with_prefix(name: str) -> str | None:
    """Return how the number that `np.inf` and `math.pi` are is written; None for any other name."""
    module, _, last = name.rpartition(".")
    return NUMBERS.get(last) if module in (*_MODULES, "math") else None
