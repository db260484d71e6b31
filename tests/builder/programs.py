"""What several tests of the builder use."""

from __future__ import annotations

from relax_lang import BlockBuilder, api, dim
from relax_lang.base.node import same
from relax_lang.scope.verify import verify

N = dim("n")


def whole(bb: BlockBuilder) -> str:
    """Return the text of what was built, which reads back as an equal tree, is normal, and has no errors."""
    module = bb.module()
    assert [one for one in verify(module) if one.severity == "error"] == []
    text = api.print_tree(module)
    checked = api.check(text)
    assert not checked.has_errors, checked.diagnostics
    assert same(checked.normal, module)
    return text
