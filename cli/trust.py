"""`relax trust`: which folders may have the Python code of their settings run. See docs/security.md."""

from __future__ import annotations

import os
import sys

from relax_lang.base.python.output import put
from relax_lang.check.diagnostics.toolchain import usage
from relax_lang.files.settings.search import Configs
from relax_lang.files.settings.trust import (
    MAX_BYTES,
    MAX_FILES,
    TooMuchCodeError,
    forget,
    remember,
    trusted_folders,
)

from .render.report import CLEAN, USAGE
from .render.width import visible
from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .options import Shown


def trust(folder: str, options: Shown, *, any_version: bool) -> int:
    """Add the folder whose settings hold in `folder` to the list; name the code that may run now."""
    if not os.path.isdir(folder):
        return _refuse(f"there is no folder `{folder}`", "", options)
    config = Configs().at(os.path.abspath(folder))
    if config.diagnostics:
        complain(config.diagnostics, options, config.source)
    names = config.code_names()
    if not names:
        why = f"no settings that hold in `{folder}` name Python files"
        return _refuse(why, "only `plugins` and `packed` in `relax.toml` or `[tool.relax]` do", options)
    missing = [name for name in names if not os.path.isfile(os.path.join(config.folder, name))]
    if missing:
        return _refuse(f"the settings name `{missing[0]}`, and there is no such file", "", options)
    try:
        problem = remember(config.folder, names, any_version=any_version)
    except OSError as error:
        return _refuse(f"`{error.filename}` cannot be read", "", options)
    except TooMuchCodeError:
        why = f"more than {MAX_FILES:,} files or {MAX_BYTES >> 20} MiB of Python lie beside the named files"
        return _refuse(why, "`--any-version` trusts the folder whatever is in it", options)
    if problem is not None:
        complain([problem], options)
        return USAGE
    version = "in any version" if any_version else "as it is now, with all Python files beside and below it"
    put(f"trusted: {visible(config.folder)}\n", sys.stdout)
    put("".join([f"  {visible(name)} may run, {version}\n" for name in names]), sys.stdout)
    return CLEAN


def remove_trust(folder: str, options: Shown) -> int:
    """Take a folder off the list."""
    was_there, problem = forget(folder)
    if problem is not None:
        complain([problem], options)
        return USAGE
    if not was_there:
        return _refuse(
            f"`{folder}` is not on the list of trusted folders", "`relax trust --list` shows it", options
        )
    put(f"no longer trusted: {visible(os.path.realpath(folder))}\n", sys.stdout)
    return CLEAN


def list_trusted() -> int:
    """Print the trusted folders, one a line."""
    folders = trusted_folders()
    put(
        "".join([f"{visible(folder)}\n" for folder in sorted(folders)]) or "No folder is trusted.\n",
        sys.stdout,
    )
    return CLEAN


def _refuse(why: str, help_: str, options: Shown) -> int:
    complain([usage(why, help_)], options)
    return USAGE
