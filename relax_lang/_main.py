"""The command `relax`: gets to `check`, `fmt`, `run`, `lsp` without importing more than they need, to Typer for others.

This is also the outer rim: whatever goes wrong inside ends here in one message and an exit status.
"""

from __future__ import annotations

import sys

from relax_lang import _pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FAST = ("check", "fmt", "run", "lsp")
"""Commands with a fast path."""
READS_FILES = ("check", "fmt")
"""Those that read one file after the other, and say when they have read the first."""
ENDS_AT_ONCE = ("check", "fmt", "run")
"""Those that leave nothing behind, unless `run` ran Python of the user's, which could have work to do at the end."""
USER_CODE = ("relax_lang.files.settings.plugins", "relax_lang.cli.run.packed")
"""Modules that are loaded to run it."""

INTERRUPTED = 130
INTERNAL = 101
MISSING = 2
CANNOT_WRITE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; return the exit status: 0 fine, 1 problems, 2 wrong usage, 101 our own fault."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _pack.install()
        if words and words[0] in READS_FILES:
            _pause_collector()
    _open_closed_streams()
    try:
        status = _dispatch(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        _give_up_output()
        return 1
    except OSError as error:
        if error.filename is not None:  # a file is missing that is always expected to be there
            return _internal_error(error, words)
        return _cannot_write(error)
    except Exception as error:
        return _internal_error(error, words)
    if arguments is None and words and words[0] in ENDS_AT_ONCE and not _may_have_work(words[0]):
        _leave(status)
    return status


def _may_have_work(command: str) -> bool:
    """Return whether Python of the user's may have something to do at the end."""
    return command == "run" and any(name in sys.modules for name in USER_CODE)


def _pause_collector() -> None:
    """Collect nothing until the first file is read: what is loaded stays, and looking at it takes time."""
    from relax_lang.base.python import gc_pause

    gc_pause.start()


def _leave(status: int) -> None:
    """End the process at once: there is nothing that would need tidying up.

    Taking the interpreter apart in good order would cost a seventh of the time of a small check, or of the run of an
    executable.
    """
    import os

    sys.stderr.flush()
    os._exit(status)


def _open_closed_streams() -> None:
    """Give a process that was started with closed streams (`>&-`) some that lead nowhere. Python has None there."""
    import os

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - stays open to the end


def _dispatch(words: list[str]) -> int:
    from relax_lang.base.python.recursion import deep_recursion

    with deep_recursion():  # programs are deep, and every command walks them
        return _run(words)


def _run(words: list[str]) -> int:
    if words and words[0] in FAST:
        if TYPE_CHECKING:
            from cli import fast
        else:
            from relax_lang.cli import fast
        status = fast.run(words)
        if status is not None:
            return status
    if TYPE_CHECKING:
        from cli import app
    else:
        from relax_lang.cli import app
    return app.run(words)


def _give_up_output() -> None:
    """Point streams that cannot be written to nowhere."""
    import os

    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # What is still buffered would fail once more when the interpreter shuts down.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _cannot_write(error: OSError) -> int:
    """Report that standard output cannot be written: a full disk is not a bug of ours."""
    _give_up_output()
    if TYPE_CHECKING:
        from cli import crash
    else:
        from relax_lang.cli import crash
    crash.report_lost_output(error)
    _give_up_output()  # standard error may be on the same disk
    return CANNOT_WRITE


def _internal_error(error: Exception, words: list[str]) -> int:
    if TYPE_CHECKING:
        from cli import crash
    else:
        from relax_lang.cli import crash
    command = "" if words[:1] and words[0].startswith("-") else " ".join(words[:1])
    ours = crash.report(error, command=command, verbose="--verbose" in words or "-v" in words)
    return INTERNAL if ours else MISSING
