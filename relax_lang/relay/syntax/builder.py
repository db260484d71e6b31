"""The callbacks of the grammar of Relay, all of them."""

from __future__ import annotations

from relax_lang.relay.syntax.builders.expressions import ExpressionBuilder
from relax_lang.relay.syntax.builders.modules import ModuleBuilder
from relax_lang.relay.syntax.builders.types import TypeBuilder


class Builder(ModuleBuilder, ExpressionBuilder, TypeBuilder):
    """State of one parse, and the callbacks."""
