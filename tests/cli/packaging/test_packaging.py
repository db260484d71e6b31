"""The three ways to have relax-lang: a bare checkout, an editable installation, a wheel. All must work alike."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from relax_lang._version import VERSION
from tests.cli.harness import BAD, GOOD, ROOT

PARTS = (
    "relax_lang",
    "cli",
    "grammar",
    "std",
    "tools",
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "NOTICE",
)


def test_every_package_is_listed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    found = set()
    for top, name in (
        ("relax_lang", "relax_lang"),
        ("cli", "relax_lang.cli"),
        ("grammar", "relax_lang.grammar"),
        ("std", "relax_lang.std"),
    ):
        for path in (ROOT / top).rglob("__init__.py"):
            found.add(".".join([name, *path.parent.relative_to(ROOT / top).parts]))
    assert sorted(settings["packages"]) == sorted(found)
    assert settings["package-dir"] == {
        "relax_lang.cli": "cli",
        "relax_lang.grammar": "grammar",
        "relax_lang.std": "std",
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is distributed, so that building leaves nothing in the real checkout."""
    copy = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(
                ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
            )
        else:
            shutil.copy(ROOT / part, copy / part)
    return copy


def call(command: list[object], cwd: Path, **environment: str) -> str:
    words = [str(word) for word in command]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        words, cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words} ends with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def try_out(relax: list[object], folder: Path, **environment: str) -> None:
    """Use every way in: the quick one, Typer, the renderers, the grammar's folder, the runtime, Relay's library."""
    (folder / "good.rlx").write_text(GOOD)
    (folder / "bad.rlx").write_text(BAD)
    (folder / "lists.relay").write_text('import "std/prelude.relay"\ndef @main() { @sum(@range(4)) }')
    assert call([*relax, "--version"], folder, **environment).startswith(f"relax-lang {VERSION}\n")
    assert call([*relax, "check", "good.rlx"], folder, **environment) == "No problems found in 1 file.\n"
    assert (
        call([*relax, "fmt", "--check", "good.rlx"], folder, **environment) == "1 file already formatted.\n"
    )
    assert call([*relax, "normalize", "good.rlx"], folder, **environment) == GOOD
    shown = call([*relax, "run", "good.rlx", "--random", "1", "--dim", "n=1"], folder, **environment)
    assert shown.startswith("Tensor[(1, 4), float32]")
    assert call([*relax, "run", "lists.relay"], folder, **environment) == "Tensor[(), int32] 6\n"
    assert "## undefined-variable" in call([*relax, "explain", "undefined-variable"], folder, **environment)


def test_a_bare_checkout_from_inside(checkout: Path, tmp_path: Path) -> None:
    relax = [sys.executable, "-m", "relax_lang"]
    assert call([*relax, "--version"], checkout).startswith(f"relax-lang {VERSION}\n")
    try_out(relax, tmp_path, PYTHONPATH=str(checkout))


def test_a_bare_checkout_has_no_other_modules_inside(checkout: Path, tmp_path: Path) -> None:
    code = (
        "import relax_lang, relax_lang.cli, relax_lang.grammar\n"
        "for name in ('relax_lang.relax_lang', 'relax_lang.tests'):\n"
        "    try:\n        __import__(name)\n    except ModuleNotFoundError:\n        pass\n"
        "    else:\n        raise SystemExit(name)\n"
        "print(relax_lang.cli.__file__)"
    )
    shown = call([sys.executable, "-c", code], tmp_path, PYTHONPATH=str(checkout))
    assert Path(shown.strip()).parent == checkout / "cli"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that sees the dependencies of this one, but not relax-lang."""
    folder = tmp_path_factory.mktemp("venv")
    call([sys.executable, "-m", "venv", folder], ROOT)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    here = sysconfig.get_path("purelib")
    there = call(
        [scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], ROOT
    ).strip()
    Path(there, "dependencies.pth").write_text(here + "\n")
    return scripts


def install(environment: Path, *words: object) -> None:
    # Build isolation fetches the build tools that pyproject.toml asks for.
    call(
        [environment / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", *words],
        ROOT,
    )


@pytest.mark.slow
def test_a_wheel(checkout: Path, environment: Path, tmp_path: Path) -> None:
    call(
        [environment / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, checkout],
        tmp_path,
    )
    (wheel,) = tmp_path.glob("relax_lang-*.whl")
    assert wheel.name == f"relax_lang-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "relax_lang/start.pack" in names
    assert not [name for name in names if name.endswith(".pyc")]
    install(environment, wheel)
    try_out([environment / "relax"], tmp_path)
    try_out([environment / "rlx"], tmp_path)
    try_out([environment / "python", "-m", "relax_lang"], tmp_path)
    place = call(
        [environment / "python", "-c", "import relax_lang.grammar as g; print(*g.__path__)"], tmp_path
    )
    grammar = Path(place.strip())
    assert grammar.parts[-2:] == ("relax_lang", "grammar")
    assert {"tree.asdl"} < {path.name for path in grammar.iterdir()}
    assert list(grammar.glob("*.lark"))


@pytest.mark.slow
def test_an_editable_installation(checkout: Path, environment: Path, tmp_path: Path) -> None:
    install(environment, "--editable", checkout)
    try_out([environment / "relax"], tmp_path)
    version = checkout / "relax_lang" / "_version.py"
    version.write_text(version.read_text().replace(VERSION, "9.9.9"))
    try:
        assert call([environment / "relax", "--version"], tmp_path).startswith("relax-lang 9.9.9\n")
    finally:
        version.write_text(version.read_text().replace("9.9.9", VERSION))
