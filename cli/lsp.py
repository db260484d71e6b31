"""Starts the language server, or says what it lacks."""

from __future__ import annotations

from .options import Shown
from .render.report import USAGE
from .show import complain


def serve(tcp: str | None) -> int:
    """Serve one client. The libraries come with the extra `lsp`."""
    from importlib.util import find_spec

    from relax_lang.check.diagnostics import toolchain as diag

    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        complain([diag.missing_package("relax lsp", "pygls", "lsp")], Shown({}))
        return USAGE
    from relax_lang.base.python.gc_pause import no_collection
    from relax_lang.base.python.recursion import host_recursion

    with (
        no_collection()
    ):  # the library of the protocol makes some ten thousand classes and functions, which all stay
        from relax_lang.lsp.start import port_of
        from relax_lang.lsp.start import serve as run

    if tcp is not None:
        try:
            port_of(tcp)
        except ValueError:
            complain(
                [
                    diag.usage(
                        f"`--tcp` takes `127.0.0.1:PORT`, not `{tcp}`", "no other machine can reach it there"
                    )
                ],
                Shown({}),
            )
            return USAGE
    with host_recursion():  # its threads ask for more while they look at programs
        return run(tcp)
