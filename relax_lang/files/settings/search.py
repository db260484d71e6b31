"""Finds the settings that hold for a program: those in its folder, or in the nearest one above it.

The search ends at the root of a repository (`.git`) and at the user's home, and takes no file of another user: what
lies further up was not meant for this program. That costs three looks at the file system for every folder on the way
up, once a folder. The TOML reader and the checks of what it found (`settings_reader`) are only loaded where there is
such a file.
"""

from __future__ import annotations

import os

from relax_lang.files.programs import STDIN
from relax_lang.files.settings.data import Config

NAMES = ("relax.toml", "pyproject.toml")
"""The first of them that has settings counts."""


class Configs:
    """Finds the settings for programs; every folder is looked at once.

    `plugins` is whether the plugins that they name are loaded: for everything that checks or runs programs.
    `trust` is the option `--trust`: code that the settings name may run, whatever folder it is in.
    """

    __slots__ = ("_folders", "_home", "_known", "_plugins", "_trust", "found")

    def __init__(self, *, plugins: bool = False, trust: bool = False) -> None:
        self._plugins = plugins
        self._trust = trust
        self._home = os.path.realpath(os.path.expanduser("~"))
        self._known: dict[str, Config] = {}
        self._folders: dict[str, str] = {}
        """Absolute paths of folders as they are written."""
        self.found: list[Config] = []
        """The settings that were read, in the order in which they were needed."""

    def of(self, path: str, stdin_name: str = "") -> Config:
        """Return the settings that hold for a program (`-`: standard input, under the name it is shown)."""
        path = stdin_name if path == STDIN else path
        written = os.path.dirname(path)
        if written not in self._folders:
            self._folders[written] = os.path.abspath(written)
        return self.at(self._folders[written])

    def at(self, folder: str) -> Config:
        """Return the settings that hold in a folder, which is given as an absolute path."""
        passed: list[str] = []
        found = self._known.get(folder)
        while found is None:
            passed.append(folder)
            found = self._read_in(folder)
            above = os.path.dirname(folder)
            if found is None and (above == folder or self._ends_search(folder)):
                found = Config()
            folder = above
            found = found or self._known.get(folder)
        for one in passed:
            self._known[one] = found
        return found

    def _ends_search(self, folder: str) -> bool:
        return os.access(os.path.join(folder, ".git"), os.F_OK) or os.path.realpath(folder) == self._home

    def excludes(self, path: str, is_folder: bool) -> bool:
        """Return whether the settings leave out a file or folder that was found in a folder."""
        path = os.path.abspath(path)
        return self.at(os.path.dirname(path)).excludes(path, is_folder)

    def includes(self, path: str) -> bool:
        """Return whether the settings let a Python file take part that was found in a folder."""
        path = os.path.abspath(path)
        return self.at(os.path.dirname(path)).includes(path)

    def _read_in(self, folder: str) -> Config | None:
        for name in NAMES:
            path = os.path.join(folder, name)
            if not os.access(path, os.F_OK) or not os.path.isfile(path):
                continue
            if name == "pyproject.toml" and not _may_have_settings(path):
                continue
            from relax_lang.files.settings.reader import read_config

            config = read_config(path)
            if config is not None:
                config = _if_own(path, config)
                self.found.append(config)
                config.trusted = self._trust
                if config.plugins and self._plugins:
                    from relax_lang.files.settings.plugins import load_plugins

                    load_plugins(config)
                return config
        return None


def _if_own(path: str, config: Config) -> Config:
    """Return the settings, or empty ones with a warning if the file belongs to another user."""
    from relax_lang.files.settings.trust import is_own, is_trusted_by_environment

    try:
        if is_own(os.stat(path)) or is_trusted_by_environment(os.path.dirname(path)):
            return config
    except OSError:
        return config  # it was there a moment ago, and has been read
    from relax_lang.files.settings.plugin_diagnostics import settings_of_another_user

    refused = Config(config.folder, config.source)
    refused.diagnostics = [settings_of_another_user(path)]
    return refused


def _may_have_settings(path: str) -> bool:
    """Return whether a pyproject.toml can have a table `tool.relax`: most have none, and reading TOML is slow."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return True  # which is reported when it is read
    for blank in (b" ", b"\t", b'"', b"'"):
        text = text.replace(blank, b"")
    return b"tool.relax" in text or b"[tool]" in text or b"tool={" in text
