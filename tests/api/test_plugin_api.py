"""The module that plugins import from: every name exists, is documented, and is fetched when it is first used."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import relax_lang
from relax_lang import plugin_api
from tests.docs.tools import ROOT


@pytest.mark.parametrize("name", plugin_api.__all__)
def test_every_name_is_there_and_documented(name: str) -> None:
    found = getattr(plugin_api, name)
    assert found.__doc__
    assert re.search(rf"`(call\.)?{name}\b", (ROOT / "docs/plugins.md").read_text(encoding="utf-8"))


def test_the_table_names_what_is_public_and_nothing_else() -> None:
    table = [each.partition("=")[0] for names in plugin_api._MODULES.values() for each in names.split()]
    assert sorted(table) == sorted(plugin_api.__all__)
    with pytest.raises(AttributeError, match="no attribute 'gone'"):
        _ = plugin_api.gone  # type: ignore[attr-defined]


def test_the_documentation_imports_only_public_modules() -> None:
    page = (ROOT / "docs/plugins.md").read_text(encoding="utf-8")
    assert set(re.findall(r"from (relax_lang[\w.]*) import", page)) == {"relax_lang.plugin_api"}
    sample = (ROOT / "samples/plugin/my_ops.py").read_text(encoding="utf-8")
    assert set(re.findall(r"from (relax_lang[\w.]*) import", sample)) == {"relax_lang.plugin_api"}


def test_register_op_is_one_function() -> None:
    assert plugin_api.register_op is relax_lang.register_op


def test_rules_and_errors_need_no_numpy() -> None:
    program = (
        "import sys; from relax_lang import plugin_api; before = set(sys.modules); "
        "assert not any(name.startswith('relax_lang.ops') for name in before); "
        "[getattr(plugin_api, name) for name in plugin_api.__all__]; sys.exit('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
