"""Which operator was meant by a name that is not one: the name of another framework, without its prefix, or misspelled.

Only imported once there is an unknown name to report.
"""

from __future__ import annotations

from relax_lang.base.names import LONGEST, misspelled
from relax_lang.base.wording import enumerated
from relax_lang.ops.foreign_forms import FRAMEWORKS, METHOD, form_of, is_absent, is_advice, simplified
from relax_lang.ops.registry import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Reason = Literal["ours", "foreign", "spelling"]

OURS, FOREIGN, SPELLING = "ours", "foreign", "spelling"

_FRAMEWORKS = {
    "np": ("np",),
    "numpy": ("np",),
    "torch": ("torch",),
    "F": ("torch",),
    "jnp": ("jax", "np"),
    "jax": ("jax", "np"),
    "lax": ("jax",),
    "onnx": ("onnx",),
    "R": ("tvm",),
    "relax": ("tvm",),
    "relay": ("tvm",),
    "tvm": ("tvm",),
    "T": ("tvm",),
    "topi": ("tvm",),
}
"""Prefixes in programs: the frameworks in whose names they are looked up."""
_OUR_PREFIXES = ("R", "relax")
"""Prefixes of our own operators in Python: leaving them out changes nothing."""


class Suggestion:
    """Operators that may have been meant, and the reason for it.

    OURS: it is the operator, written as in Python (`R.add`). FOREIGN: another framework uses the name for it, or it is
    the last part of the operator's name (`relu`). SPELLING: only the letters are similar, so it may be wrong. With a
    form, the name alone is not what has to change.
    """

    __slots__ = ("form", "operators", "reason")

    def __init__(self, operators: list[str], reason: Reason, form: str = "") -> None:
        self.operators = operators
        self.reason: Reason = reason
        self.form = form
        """What to write, code or a sentence: operands are in another order, or it is not a single operator."""

    @property
    def advice(self) -> str:
        """The form as a help; empty if there is none."""
        return self.form if not self.form or is_advice(self.form) else f"write `{self.form}`"

    @property
    def only(self) -> str | None:
        """The operator, if there is one and more than its spelling leads to it."""
        return self.operators[0] if len(self.operators) == 1 and self.reason != SPELLING else None

    @property
    def question(self) -> str:
        """What to ask the author: `did you mean `take` or `where`?`."""
        return f"did you mean {enumerated([f'`{name}`' for name in self.operators], 'or')}?"


_OTHER_MODULES = frozenset(
    (
        "self",
        "cls",
        "mod",
        "module",
        "Module",
        "tf",
        "keras",
        "layers",
        "math",
        "scipy",
        "tir",
        "tirx",
        "te",
        "tl",
        "ops",
    )
)


def is_module(name: str) -> bool:
    """Return whether a word before a dot is known as a module, and not rather as a value with methods."""
    if name in _FRAMEWORKS or name in _OTHER_MODULES:
        return True
    return any(each.startswith(f"{name}.") for each in names())


def suggest(name: str, *, method: bool = False) -> Suggestion | None:
    """Return what was probably meant by a name that is not an operator; None if nothing is like it. [Y.7]

    The name of a `method` is looked up as one, too.
    """
    if len(name) > LONGEST:
        return None
    parts = name.split(".")
    known = names()
    if parts[0] in _OUR_PREFIXES and ".".join(parts[1:]) in known:
        return Suggestion([".".join(parts[1:])], OURS)
    frameworks = frameworks_of(name)
    if (
        frameworks is None and len(parts) == 1 and name[:1].isupper()
    ):  # as ONNX and layers of PyTorch are called
        frameworks = ("onnx", "torch", "tvm")
    meant = _foreign(parts, frameworks, known)
    form = form_of(parts[-1], frameworks or ((METHOD,) if method else () if meant else FRAMEWORKS))
    if meant or form:
        return Suggestion(meant, FOREIGN, form)
    if is_absent(parts[-1]):
        return None
    near = misspelled(name, known) or misspelled(parts[-1], known)
    if not near:
        tails = misspelled(parts[-1], [each.rpartition(".")[2] for each in known])
        near = [each for each in known if each.rpartition(".")[2] in tails]
    return Suggestion(near, SPELLING) if near else None


def frameworks_of(name: str) -> tuple[str, ...] | None:
    """Return the frameworks in whose names one with a prefix is looked up: `np.add`; None for any other."""
    first, _, rest = name.partition(".")
    return _FRAMEWORKS.get(first) if rest else None


def _foreign(parts: list[str], frameworks: tuple[str, ...] | None, known: list[str]) -> list[str]:
    """Return the operators that a framework calls so, or whose last part is that of the name."""
    from relax_lang.ops.foreign_names import NAMES

    last = simplified(parts[-1])
    rows = [row.partition(":") for row in NAMES.get(last, "").split()]
    meant = [operator for framework, _, operator in rows if frameworks is None or framework in frameworks]
    if meant:
        return list(dict.fromkeys(meant))
    for start in range(1, len(parts)):
        if ".".join(parts[start:]) in known:
            return [".".join(parts[start:])]
    return [each for each in known if simplified(each.rpartition(".")[2]) == last]
