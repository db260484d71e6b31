"""An executable with everything outside that it needs: what runs it.

machine = VirtualMachine(build("model.rlx"))
machine["main"](x)
"""

from __future__ import annotations

from relax_lang.runtime.session import Session
from relax_lang.vm.machine.linked import LOOP, Linked
from relax_lang.vm.serialization.kept import KeptWith

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from relax_lang.runtime.calling.packed import PackedFunc
    from relax_lang.runtime.interpreter.machine import Instrumentation
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.vm.executable import Executable


def session_of(
    executable: Executable,
    *,
    packed: Mapping[str, Callable[..., object] | PackedFunc] | None = None,
    write: Callable[[str], object] | None = None,
    max_bytes: int | None = None,
    kept_code: KeptCodes | None = None,
    mode: str = LOOP,
    watch: Instrumentation | None = None,
) -> Session:
    """Return a session of an executable: it runs as that of a text does, the functions on the machine.

    `mode` is `loop`, or `generated` for Python that is generated from the code of a function when it is first called.
    `watch` is notified of every binding that makes an instruction. Raises ValueError for another mode.
    """
    from relax_lang.runtime.values.tensors import DEFAULT_MAX_BYTES

    linked = Linked(executable, mode)
    if kept_code is not None and executable.codes:
        kept_code = KeptWith(executable.codes, kept_code)
    return Session(
        linked.module,
        executable.source,
        packed=packed,
        write=write,
        max_bytes=DEFAULT_MAX_BYTES if max_bytes is None else max_bytes,
        kept_code=kept_code,
        program=linked,
        watch=watch,
    )
