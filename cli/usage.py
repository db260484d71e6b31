"""Mistakes on the command line, in the form of all other diagnostics: what is wrong, and how to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relax_lang.base.names import misspelled
from relax_lang.check.diagnostics.toolchain import usage

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from relax_lang.base.diagnostic import Diagnostic

EXPECTED = {
    "FILE": "a program, or `-` for standard input",
    "PATH": "files, folders, or `-` for standard input",
    "LEFT": "two programs to compare",
    "RIGHT": "two programs to compare",
}


def wrong_usage(error: Any, words: Sequence[str], commands: Collection[str]) -> Diagnostic:
    """Return the diagnostic for what the parser of the command line raised, a `UsageError` of click.

    Its classes differ between releases of Typer, so they are told apart by their names.
    """
    context = error.ctx
    command = str(context.command_path) if context is not None else "relax"
    if " " not in command and words and words[0] in commands:  # the parser of options has no context
        command = f"{command} {words[0]}"
    kind = type(error).__name__
    if kind == "NoSuchOption":
        like: list[str] = list(error.possibilities or ())
        known = (
            [name for param in context.command.params for name in param.opts] if context is not None else []
        )
        if not like and error.option_name.startswith("--"):  # all options of one letter are alike
            like = misspelled(error.option_name, known)
        return _with_way_on(f"`{command}` has no option `{error.option_name}`", command, like)
    if kind == "MissingParameter":
        name = getattr(error.param, "metavar", None) or getattr(error.param, "human_readable_name", "")
        expected = EXPECTED.get(name.strip("[]."), f"`{name}`")
        return usage(f"`{command}` takes {expected}", f"`{command} --help` shows how it is called")
    message = " ".join(error.format_message().split()).rstrip(".")
    extra = _after(message, "Got unexpected extra argument")
    if extra:
        return _extra(extra, command)
    unknown = _after(message, "No such command")
    if unknown and context is not None and context.parent is None:
        word = unknown.split("'")[1] if "'" in unknown else unknown
        return _with_way_on(f"there is no command `relax {word}`", command, misspelled(word, commands))
    return _with_way_on(message[:1].lower() + message[1:], command, [])


def _after(message: str, start: str) -> str:
    return message.removeprefix(start).strip(" s():") if message.startswith(start) else ""


def _extra(words: str, command: str) -> Diagnostic:
    first = words.split(maxsplit=1)[0]
    if command.endswith(" run"):
        found = usage(f"`{command}` runs one program, `{first}` is a second word without an option")
        return found.helped(f"arguments follow `--args`: `{command} FILE --args {words}`")
    return _with_way_on(f"`{command}` takes no `{first}`", command, [])


def _with_way_on(message: str, command: str, like: list[str]) -> Diagnostic:
    if like:
        return usage(message, f"did you mean `{like[0]}`?")
    return usage(message, f"`{command} --help` shows how it is called")
