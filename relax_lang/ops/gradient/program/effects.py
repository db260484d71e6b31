"""Gradients of hints about devices, which leave values as they are."""

from __future__ import annotations

from relax_lang.ops.gradient.program.marks import through

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.gradient.core import Rule

GRADIENTS: dict[str, Rule] = {"hint_on_device": through, "to_vdevice": through}
