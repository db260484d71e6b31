"""The options of `relax run`, and the exception for command lines that cannot be carried out."""

from __future__ import annotations

from ..options import Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic


class RunOptions(Shown):
    """The options of `relax run`."""

    entry = "main"
    args: list[str] = []
    arg: list[str] = []
    npz = ""
    random: int | None = None
    dim: list[str] = []
    out = ""
    packed: list[str] = []
    engine = "compiled"
    print = "summary"
    json = False
    trace = False
    nan = False
    save_all = ""
    compare = ""
    tolerance: float | None = None
    profile = False
    profile_out = ""
    max_memory = ""
    strict_effects = False
    output_format = "text"
    stdin_filename = ""


class Refused(Exception):  # noqa: N818 - the command line is refused; nothing went wrong here
    """A command line that cannot be carried out, with the reasons."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__(diagnostics)
        self.diagnostics = list(diagnostics)
