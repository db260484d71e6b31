"""Code that came with a project runs only after the user has agreed: `relax trust`, `--trust`, `RELAX_TRUST`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relax_lang.files.settings import plugins, trust
from relax_lang.files.settings import search as settings_search
from relax_lang.ops import registry
from tests.cli.harness import GOOD, Relax

OPS = """from relax_lang import register_op, register_packed_func

with open("ran", "a") as file:
    file.write("ops ")

def like(call):
    x = call.tensor(0)
    return call.like(x, x.dtype)

@register_op("my.same", "x: tensor", infer=like, example="my.same(const([1, 2]))")
def same(x):
    \"\"\"Give back what there is.\"\"\"
    return x
"""
PACKED = """from relax_lang import register_packed_func

with open("ran", "a") as file:
    file.write("packed ")

@register_packed_func("my.twice")
def twice(x):
    return x * 2
"""
USES = "def @main(x: Tensor[(n,), float32]) { my.same(x) }\n"


@pytest.fixture
def cloned(relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder as it comes with a clone, and a user who has trusted nothing; every file that runs leaves a trace."""
    folder = tmp_path / "cloned"
    folder.mkdir()
    (folder / "relax.toml").write_text('plugins = ["ops.py"]\npacked = ["functions.py"]\n')
    (folder / "ops.py").write_text(OPS)
    (folder / "functions.py").write_text(PACKED)
    (folder / "p.rlx").write_text(GOOD)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RELAX_TRUST")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "pycache_prefix", None)
    forget_what_ran(monkeypatch)
    yield folder
    forget_what_ran(monkeypatch)


def forget_what_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_loaded", {})
    monkeypatch.setattr("relax_lang.cli.run.packed._ran", set())
    operator = registry.OPERATORS.get("my.same")
    if operator is not None:
        registry.forget(operator)


def ran() -> str:
    return Path("ran").read_text() if Path("ran").exists() else ""


COMMANDS = [
    "check p.rlx",
    "check .",
    "check --fix p.rlx",
    "fmt --check p.rlx",
    "normalize p.rlx",
    "parse p.rlx",
    "compile p.rlx",
    "graph p.rlx",
    "test p.rlx",
    "ops",
    "explain RLX0201",
    "run p.rlx --random 1 --dim n=1",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_nothing_of_a_clone_runs_by_itself(cloned: Path, relax: Relax, line: str) -> None:
    status, out, err = relax(*line.split())
    assert ran() == ""
    assert status == 0
    loads_no_code = line.split(maxsplit=1)[0] in ("fmt", "parse", "explain", "test")  # of a good program
    assert ("code-not-trusted" in out + err) is not loads_no_code


def test_the_warning_names_the_file_its_place_and_the_way_on(cloned: Path, relax: Relax) -> None:
    _, out, _ = relax("check", "p.rlx")
    assert "warning[RLX0044 code-not-trusted]: `ops.py` was not run: its folder is not trusted" in out
    assert "relax.toml:1:13" in out
    assert f"`relax trust {cloned}`" in " ".join(out.split())


def test_trusting_a_folder(cloned: Path, relax: Relax) -> None:
    (cloned / "uses.rlx").write_text(USES)
    assert relax("trust").out == (
        f"trusted: {cloned}\n"
        "  ops.py may run, as it is now, with all Python files beside and below it\n"
        "  functions.py may run, as it is now, with all Python files beside and below it\n"
    )
    assert ran() == ""
    assert relax("check", "uses.rlx").status == 0
    assert ran() == "ops "
    assert relax("run", "p.rlx", "--random", "1", "--dim", "n=1").status == 0
    assert ran() == "ops packed "
    assert relax("trust", "--list").out == f"{cloned}\n"
    assert relax("trust", "--remove").out == f"no longer trusted: {cloned}\n"
    assert relax("trust", "--list").out == "No folder is trusted.\n"
    status, _, err = relax("trust", "--remove", ".")
    assert status == 2
    assert "not on the list" in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ops.py", OPS + "# changed\n"),
        ("functions.py", PACKED + "# changed\n"),
        ("helper.py", "changed = True\n"),
        ("numpy.py", "a module that would be imported in the place of another one\n"),
        ("package/inner.py", "x = 1\n"),
        ("fast.so", "not really\n"),
    ],
)
def test_changed_code_has_to_be_trusted_again(
    cloned: Path, relax: Relax, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    (cloned / "helper.py").write_text("changed = False\n")
    relax("trust", ".")
    (cloned / name).parent.mkdir(exist_ok=True)
    (cloned / name).write_text(text)
    status, out, _ = relax("check", "p.rlx")
    assert status == 0
    assert ran() == ""
    assert "the code in its folder has changed since it was trusted" in " ".join(out.split())
    (cloned / "numpy.py").unlink(missing_ok=True)
    relax("trust", ".")
    forget_what_ran(monkeypatch)
    relax("check", "p.rlx")
    assert ran() == "ops "


def test_what_no_import_can_find_may_change(cloned: Path, relax: Relax) -> None:
    relax("trust", ".")
    (cloned / "notes.txt").write_text("x\n")
    (cloned / "not-a-package").mkdir()
    (cloned / "not-a-package" / "x.py").write_text("x = 1\n")
    relax("check", "p.rlx")
    assert ran() == "ops "


def test_any_version(cloned: Path, relax: Relax) -> None:
    assert "in any version" in relax("trust", "--any-version").out
    (cloned / "ops.py").write_text(OPS + "# changed\n")
    relax("check", "p.rlx")
    assert ran() == "ops "


def test_byte_code_that_came_along_is_not_used(cloned: Path, relax: Relax, tmp_path: Path) -> None:
    """A `.pyc` that Python would take without looking at the source."""
    import importlib.util
    import py_compile

    (cloned / "helper.py").write_text("with open('ran', 'a') as file:\n    file.write('planted ')\n")
    planted = importlib.util.cache_from_source(str(cloned / "helper.py"))
    py_compile.compile(
        str(cloned / "helper.py"),
        cfile=planted,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    (cloned / "helper.py").write_text("")
    (cloned / "ops.py").write_text("import helper\n" + OPS)
    relax("trust", ".")
    try:
        relax("check", "p.rlx")
    finally:
        sys.modules.pop("helper", None)
    assert ran() == "ops "


def test_for_one_run(cloned: Path, relax: Relax, monkeypatch: pytest.MonkeyPatch) -> None:
    (cloned / "uses.rlx").write_text(USES)
    for line in (
        "check uses.rlx --trust",
        "normalize --trust uses.rlx",
        "compile --trust uses.rlx",
        "ops --trust",
    ):
        forget_what_ran(monkeypatch)
        Path("ran").unlink(missing_ok=True)
        status, out, err = relax(*line.split())
        assert (status, ran()) == (0, "ops "), line
        assert "not-trusted" not in out + err
    forget_what_ran(monkeypatch)
    Path("ran").unlink(missing_ok=True)
    assert relax("run", "--trust", "p.rlx", "--random", "1", "--dim", "n=1").status == 0
    assert ran() == "ops packed "


@pytest.mark.parametrize(
    ("value", "runs"),
    [
        ("1", True),
        ("0", False),
        ("", False),
        ("{here}", True),
        ("{above}", True),
        ("/elsewhere:{here}/", True),
        ("{here}x", False),
        ("/elsewhere", False),
    ],
)
def test_the_environment(
    cloned: Path, relax: Relax, monkeypatch: pytest.MonkeyPatch, value: str, runs: bool
) -> None:
    monkeypatch.setenv("RELAX_TRUST", value.format(here=cloned, above=cloned.parent))
    relax("check", "p.rlx")
    assert ran() == ("ops " if runs else "")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"folders": 3}', '{"folders": {"HERE": 5}}', "\x00", "[" * 9000]
)
def test_a_damaged_list_trusts_nobody(cloned: Path, relax: Relax, content: str) -> None:
    path = Path(trust.list_path())
    path.parent.mkdir(parents=True)
    path.write_text(content.replace("HERE", str(cloned)))
    assert relax("check", "p.rlx").status == 0
    assert ran() == ""


def test_a_list_of_another_user_trusts_nobody(
    cloned: Path, relax: Relax, monkeypatch: pytest.MonkeyPatch
) -> None:
    relax("trust", ".")
    monkeypatch.setattr(trust, "is_own", lambda _: False)
    relax("check", "p.rlx")
    assert ran() == ""


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ("line-length = 80\n", "no settings that hold in `.` name Python files"),
        ('plugins = ["none.py"]\n', "the settings name `none.py`, and there is no such file"),
    ],
)
def test_nothing_to_trust(cloned: Path, relax: Relax, settings: str, why: str) -> None:
    (cloned / "relax.toml").write_text(settings)
    status, _, err = relax("trust", ".")
    assert status == 2
    assert why in err
    status, _, err = relax("trust", "nowhere")
    assert status == 2
    assert "there is no folder `nowhere`" in err


def test_too_much_code_has_no_fingerprint(
    cloned: Path, relax: Relax, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "MAX_FILES", 1)
    status, _, err = relax("trust", ".")
    assert status == 2
    assert "`--any-version` trusts the folder whatever is in it" in " ".join(err.split())
    assert relax("trust", "--any-version").status == 0


# Which settings hold at all.


def settings_of(path: Path) -> int | None:
    return settings_search.Configs().of(str(path)).line_length


def test_the_search_ends_at_the_root_of_a_repository(tmp_path: Path) -> None:
    (tmp_path / "relax.toml").write_text("line-length = 50\n")
    inner = tmp_path / "repository" / "src"
    inner.mkdir(parents=True)
    assert settings_of(inner / "a.rlx") == 50
    (tmp_path / "repository" / ".git").write_text("gitdir: elsewhere\n")  # as in a submodule
    assert settings_of(inner / "a.rlx") is None
    (tmp_path / "repository" / "relax.toml").write_text("line-length = 60\n")
    assert settings_of(inner / "a.rlx") == 60


def test_the_search_ends_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "relax.toml").write_text("line-length = 50\n")
    home = tmp_path / "home"
    (home / "models").mkdir(parents=True)
    assert settings_of(home / "models" / "a.rlx") == 50
    monkeypatch.setenv("HOME", str(home))
    assert settings_of(home / "models" / "a.rlx") is None
    (home / "relax.toml").write_text("line-length = 60\n")
    assert settings_of(home / "models" / "a.rlx") == 60


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_settings_of_another_user(relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "relax.toml").write_text('select = ["nonsense"]\n')
    (tmp_path / "p.rlx").write_text(GOOD)
    monkeypatch.delenv("RELAX_TRUST")
    monkeypatch.setattr(trust, "is_own", lambda _: False)
    status, out, _ = relax("check", "p.rlx")
    assert status == 0
    assert "settings-of-another-user" in out
    assert "nonsense" not in out
    monkeypatch.setenv("RELAX_TRUST", str(tmp_path))
    assert relax("check", "p.rlx").status == 2


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_whose_a_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tmp_path.stat()

    def of(uid: int) -> os.stat_result:
        return os.stat_result((*found[:4], uid, *found[5:10]))

    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("SUDO_UID", raising=False)
    assert [trust.is_own(of(uid)) for uid in (1000, 0, 1001)] == [True, True, False]
    monkeypatch.setenv("SUDO_UID", "1001")
    assert not trust.is_own(of(1001))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert [trust.is_own(of(uid)) for uid in (1001, 0, 1000)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        (GOOD, ""),
        (USES, "ops "),
        ("# relax: ignore[unknown-operator]\n" + USES, "ops "),
        ('def @main(x: Object) { extern "my.twice"(x) -> Object }\n', "ops packed "),
    ],
)
def test_test_runs_only_the_code_that_a_program_uses(
    cloned: Path, relax: Relax, text: str, runs: str
) -> None:
    (cloned / "p.rlx").write_text(text)
    untrusted = relax("test", "p.rlx")
    assert ran() == ""
    assert ("code-not-trusted" in untrusted[2]) is bool(runs)
    relax("test", "p.rlx", "--trust")
    assert ran() == runs
