"""The operators that the settings of a program add, for the commands that use nothing else of the settings."""

from __future__ import annotations

from relax_lang.files.settings_search import Configs

from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.files.settings_data import Config

    from .options import Shown


def load_plugins(path: str, stdin_name: str, options: Shown) -> Config | None:
    """Load the plugins of a program's settings and return the settings; say what is wrong with these and return None.

    `-` without a name for standard input means the settings of the current folder.
    """
    configs = Configs(plugins=True)
    config = configs.of(path, stdin_name)
    if config.plugins and config.diagnostics:
        complain(config.diagnostics, options, config.source)
        return None
    return config
