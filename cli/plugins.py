"""The operators that the settings of a program add, for the commands that use nothing else of the settings."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR
from relax_lang.files.settings.search import Configs

from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.files.settings.data import Config

    from .options import Shown


def load_plugins(path: str, stdin_name: str, options: Shown) -> Config | None:
    """Load the plugins of a program's settings and return the settings, or report what is wrong and return None.

    Plugins that are not trusted are reported and left out. `-` without a name for standard input means the settings of
    the current folder.
    """
    configs = Configs(plugins=True, trust=options.trust)
    config = configs.of(path, stdin_name)
    if not config.diagnostics:
        return config
    has_error = any(one.severity == ERROR for one in config.diagnostics)
    if config.plugins or not has_error:
        complain(config.diagnostics, options, config.source)
    return None if config.plugins and has_error else config
