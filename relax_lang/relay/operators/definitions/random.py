"""Operators on random numbers: they have types; their values are those of a generator that only TVM has. [R.33]"""

from __future__ import annotations

from relax_lang.relay.operators.core import NotLowered, declare
from relax_lang.relay.operators.relations import of_shape_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from relax_lang.relay.operators.core import Emitter, Value


def _refused(to: Emitter, args: Sequence[Value], attrs: dict[str, Any]) -> NoReturn:
    raise NotLowered(
        "it draws random numbers from a key, by the Threefry generator of TVM's runtime, and Relax has no "
        "generator; give the numbers to the function as a parameter"
    )


declare(
    "random.uniform",
    "key low high",
    'out_shape: any, out_dtype: str = ""',
    relation=of_shape_attribute,
    lower=_refused,
)
declare(
    "random.normal",
    "key mean scale",
    'out_shape: any, out_dtype: str = ""',
    relation=of_shape_attribute,
    lower=_refused,
)
declare("random.threefry_generate", "key", "out_shape: any", relation=of_shape_attribute, lower=_refused)
