"""Which operator was meant by a name that is not one: the name of another framework, without its prefix, or misspelled.

Only imported once there is an unknown name to report.
"""

from __future__ import annotations

from relax_lang.base.names import LONGEST, misspelled
from relax_lang.base.wording import enumerated
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


_OTHER_ORDER = {
    "embedding": "take(weight, indices, axis=0)",
    "indexselect": "take(x, indices, axis=…)",
    "swapaxes": "permute_dims(x, axes=[…])",
    "gather": "gather_elements(x, index, axis=…)",
    "scatter": "scatter_elements(x, index, src, axis=…)",
    "scatteradd": 'scatter_elements(x, index, src, axis=…, reduction="add")',
}
"""Calls whose operands are in another order here: a fix that only changes the name would be wrong."""
_COMPOSED = {
    "logsumexp": "log(sum(exp(x), axis=…))",
    "norm": "sqrt(sum(x * x, axis=…))",
    "addmm": "matmul(a, b) + c",
    "baddbmm": "matmul(a, b) + c",
    "reciprocal": "1.0 / x",
    "rsub": "y - x",
    "crossentropy": "nn.nll_loss(nn.log_softmax(x, axis=1), target)",
    "mseloss": "mean((x - y) ** 2.0)",
    "l1loss": "mean(abs(x - y))",
    "cbrt": "power(x, 0.33333334)",
    "ptp": "max(x) - min(x)",
    "stdmean": "(std(x), mean(x))",
    "varmean": "(variance(x), mean(x))",
    "glu": "a * sigmoid(b)",
    "softsign": "x / (1.0 + abs(x))",
}
"""What other frameworks have as one operator, in operators of ours."""


def composed(name: str) -> str | None:
    """Return what a name of another framework is in several operators of ours, or None. [Y.7]"""
    return _COMPOSED.get(simplified(name.rpartition(".")[2]))


class Suggestion:
    """Operators that may have been meant, and the reason for it.

    OURS: it is the operator, written as in Python (`R.add`). FOREIGN: another framework uses the name for it, or it is
    the last part of the operator's name (`relu`). SPELLING: only the letters are similar, so it may be wrong.
    """

    __slots__ = ("form", "operators", "reason")

    def __init__(self, operators: list[str], reason: Reason, form: str = "") -> None:
        self.operators = operators
        self.reason: Reason = reason
        self.form = form
        """The call that is meant, where the operands are in another order."""

    @property
    def only(self) -> str | None:
        """The operator, if there is one and more than its spelling leads to it."""
        return self.operators[0] if len(self.operators) == 1 and self.reason != SPELLING else None

    @property
    def question(self) -> str:
        """What to ask the author: `did you mean `take` or `where`?`."""
        return f"did you mean {enumerated([f'`{name}`' for name in self.operators], 'or')}?"


def simplified(name: str) -> str:
    """Return a name without what frameworks write differently: `BitwiseNot` and `bitwise_not` are one."""
    return name.replace("_", "").lower()


def suggest(name: str) -> Suggestion | None:
    """Return what was probably meant by a name that is not an operator; None if nothing is like it. [Y.7]"""
    if len(name) > LONGEST:
        return None
    parts = name.split(".")
    known = names()
    if parts[0] in _OUR_PREFIXES and ".".join(parts[1:]) in known:
        return Suggestion([".".join(parts[1:])], OURS)
    meant = _foreign(parts, known)
    if meant:
        form = _OTHER_ORDER.get(simplified(parts[-1]), "")
        return Suggestion(meant, FOREIGN, form if form.startswith(f"{meant[0]}(") else "")
    near = misspelled(name, known) or misspelled(parts[-1], known)
    if not near:
        tails = misspelled(parts[-1], [each.rpartition(".")[2] for each in known])
        near = [each for each in known if each.rpartition(".")[2] in tails]
    return Suggestion(near, SPELLING) if near else None


def _foreign(parts: list[str], known: list[str]) -> list[str]:
    """Return the operators that a framework calls so, or whose last part is that of the name."""
    from relax_lang.ops.foreign_names import NAMES

    last = simplified(parts[-1])
    rows = [row.partition(":") for row in NAMES.get(last, "").split()]
    frameworks = _FRAMEWORKS.get(parts[0]) if len(parts) > 1 else None
    meant = [operator for framework, _, operator in rows if frameworks is None or framework in frameworks]
    if meant:
        return list(dict.fromkeys(meant))
    for start in range(1, len(parts)):
        if ".".join(parts[start:]) in known:
            return [".".join(parts[start:])]
    return [each for each in known if simplified(each.rpartition(".")[2]) == last]
