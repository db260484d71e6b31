"""Projects with a plugin."""

from __future__ import annotations

from pathlib import Path

from relax_lang.files.settings.data import Config
from relax_lang.files.settings.search import Configs

HEAD = """from relax_lang import register_op

def like(call):
    x = call.tensor(0)
    return call.like(x, x.dtype)

def kernel(x, **more):
    \"\"\"Give back what there is.\"\"\"
    return x

"""


GOOD = HEAD + 'register_op("my.same", "x: tensor", infer=like, example="my.same(const([1, 2]))")(kernel)\n'


def project(
    folder: Path, text: str, settings: str = 'plugins = ["my_ops.py"]\n', *, plugins: bool = True
) -> Config:
    (folder / "relax.toml").write_text(settings, encoding="utf-8")
    (folder / "my_ops.py").write_text(text, encoding="utf-8")
    return Configs(plugins=plugins).of(str(folder / "a.rlx"))


def found(config: Config) -> list[str]:
    """Return what is reported, each at the name of the file in the settings."""
    assert config.source is not None
    for one in config.diagnostics:
        assert config.source.text[one.pos : one.end] == "my_ops.py"
    return [f"{one.slug}: {one.message}" for one in config.diagnostics]
