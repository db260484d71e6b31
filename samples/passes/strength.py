"""A pass: division by a constant becomes multiplication, where that is exact."""

from __future__ import annotations

import math
import sys

from relax_lang import load, op
from relax_lang.rewrite import Mutator
from relax_lang.syntax import tree


class DivisionsToProducts(Mutator):
    """Turns `x / c` into `x * (1 / c)` for powers of two whose inverses all float types have."""

    def visit_Call(self, call: tree.Call) -> object:  # noqa: N802 - the name of the node
        """Look at calls: a divisor that is a power of two has an exact inverse."""
        if self.name_of(call) == "divide" and isinstance(call.args[1], tree.Constant):
            data = call.args[1].data
            if isinstance(data, tree.FloatLit):
                fraction, exponent = math.frexp(data.value)
                if abs(fraction) == 0.5 and abs(exponent) < 15:
                    return op.multiply(call.args[0], 1 / data.value)
        return call


if __name__ == "__main__":
    print(DivisionsToProducts()(load(sys.argv[1])).script(), end="")
