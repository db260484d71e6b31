"""The modules of a clean check from one file, as the build of a wheel writes them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.harness import ROOT

pytest.importorskip("setuptools", reason="the build of a wheel needs setuptools")

RUN = "import sys; from relax_lang._main import main; sys.exit(main())"
LOADED = """
import sys
from relax_lang import _main
_main._leave = lambda status: None
status = _main.main()
ours = [name for name in sys.modules if name.startswith("relax_lang.")]
print(len([name for name in ours if type(sys.modules[name].__loader__).__name__ == "_Loader"]), len(ours))
sys.exit(status)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed, with its file of modules."""
    site = tmp_path_factory.mktemp("site")
    for source, target in (
        ("relax_lang", "relax_lang"),
        ("cli", "relax_lang/cli"),
        ("grammar", "relax_lang/grammar"),
        ("std", "relax_lang/std"),
    ):
        shutil.copytree(ROOT / source, site / target, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(
        [sys.executable, ROOT / "tools" / "make_pack.py", site / "relax_lang"],
        check=True,
        capture_output=True,
    )
    return site


@pytest.fixture
def copy(installed: Path, tmp_path: Path) -> Path:
    """An installation to change."""
    shutil.copytree(installed, tmp_path / "site")
    return tmp_path / "site"


def run(site: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(site), "RELAX_NO_CACHE": "1"}
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, cwd=site, env=environment, capture_output=True, text=True, check=False)


def loaded(site: Path) -> tuple[int, int]:
    """Return how many modules of a clean check came from the file, and how many there are."""
    program = site / "program.rlx"
    program.write_text("def @main(x: Tensor[(n,), float32]) { add(x, x) }\n", encoding="utf-8")
    done = run(site, LOADED, "check", "--quiet", str(program))
    assert done.returncode == 0, done.stderr
    packed, all_modules = done.stdout.split()[-2:]
    return int(packed), int(all_modules)


def test_a_clean_check_takes_its_modules_from_the_file(installed):
    packed, all_modules = loaded(installed)
    assert packed > 100
    assert all_modules - packed <= 4  # what is loaded before the file is opened, and what asks for it


def test_patterns_and_the_parse_table_are_ready_made(installed, tmp_path):
    program = tmp_path / "program.rlx"
    program.write_text("def @main(x: Tensor[(n,), float32]) { add(x, x) }\n", encoding="utf-8")
    code = f"""
import sys
before = set(sys.modules)
{LOADED.replace("sys.exit(status)", "")}
print(*sorted({{"re", "enum", "functools", "collections", "importlib", "zlib"}} & (set(sys.modules) - before)), sep=",")
"""
    done = run(installed, code, "check", "--quiet", str(program))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == ""


def test_patterns_of_another_engine_are_left_alone(installed):
    code = (
        "from relax_lang import _pack\n"
        "_pack.engine_version = lambda: 0\n"
        "_pack.install()\n"
        "from relax_lang.syntax.parser import parse\n"
        "print(len(_pack.patterns), len(_pack.numbers), parse('def @f() { 1 }').diagnostics)\n"
    )
    assert run(installed, code).stdout == "0 3 []\n"


def test_without_the_file_nothing_changes(copy):
    (copy / "relax_lang" / "start.pack").unlink()
    assert loaded(copy)[0] == 0


@pytest.mark.parametrize(
    "damage", [lambda data: b"", lambda data: b"xx" + data, lambda data: data[: len(data) // 2]]
)
def test_a_file_of_another_python_or_cut_off_is_left_alone(copy, damage):
    pack = copy / "relax_lang" / "start.pack"
    pack.write_bytes(damage(pack.read_bytes()))
    assert loaded(copy)[0] == 0


def test_an_edited_module_is_loaded_from_its_source(copy):
    before = loaded(copy)[0]
    path = copy / "relax_lang" / "syntax" / "driver.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    assert loaded(copy)[0] == before - 1
    path = copy / "relax_lang" / "syntax" / "parser.py"  # the same size, but later
    os.utime(path, (path.stat().st_atime, (copy / "relax_lang" / "start.pack").stat().st_mtime + 1000))
    assert loaded(copy)[0] == before - 2


def test_tracebacks_show_the_lines_of_the_sources(installed):
    code = (
        "from relax_lang import _pack; _pack.install()\n"
        "from relax_lang.syntax.parser import parse\n"
        "import inspect; print(inspect.getsourcefile(parse)); parse(1)\n"
    )
    done = run(installed, code)
    where = str(installed / "relax_lang" / "syntax")
    assert done.stdout.startswith(where)
    places = [line for line in done.stderr.splitlines() if line.strip().startswith(f'File "{where}')]
    assert places
    lines = done.stderr.splitlines()
    assert all(lines[lines.index(place) + 1].startswith("    ") for place in places)


def test_functions_that_were_not_called_come_when_they_are(installed):
    code = """
from relax_lang import _pack; _pack.install()
from relax_lang.base.names import nearest
from relax_lang.base.diagnostic import Diagnostic
import inspect, threading
short = nearest.__code__
assert short.co_names == ("relax_lang._pack", "whole"), short.co_names
found = []
all_at_once = threading.Barrier(4)
def ask():
    all_at_once.wait()
    found.append(nearest("matmull", ["add", candidates[0]]))
candidates = ["matmul"]
threads = [threading.Thread(target=ask) for _ in range(4)]
for one in threads: one.start()
for one in threads: one.join()
assert found == ["matmul"] * 4, found
assert nearest.__code__.co_varnames[:2] == ("word", "candidates")
assert nearest("x", iter([])) is None
assert inspect.signature(nearest).parameters.keys() == {"word", "candidates"}
try:
    nearest(1, [])
except TypeError:
    import traceback
    print(traceback.format_exc())
"""
    done = run(installed, code)
    assert done.returncode == 0, done.stderr
    assert "len(word)" in done.stdout  # the line of the source


def test_every_function_of_the_file_can_be_called(installed):
    """Each gets the code that its source has."""
    code = """
import sys
from relax_lang import _pack; _pack.install()
finder = sys.meta_path[0]
for _, _, names in finder._groups:
    for name in names:
        __import__(name)
import gc
short = [one for one in gc.get_objects() if type(one) is type(_pack.whole)
         and str(one.__module__).startswith("relax_lang.")
         and one.__code__.co_names == ("relax_lang._pack", "whole")]
for function in short:
    before = function.__code__
    number = [one for one in before.co_consts if type(one) is int][-1]
    assert _pack.whole(number) is function
    assert function.__code__ is not before
    assert function.__code__.co_qualname == before.co_qualname, before.co_qualname
    assert function.__code__.co_firstlineno == before.co_firstlineno
assert {*short} <= {*_pack._functions.values()}
print(len(short))
"""
    done = run(installed, code)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500


def test_a_function_gets_its_code_where_its_name_means_something_else(installed):
    code = """
from relax_lang import _pack; _pack.install()
from relax_lang.base import names
kept, names.nearest = names.nearest, None
assert kept.__code__.co_names == ("relax_lang._pack", "whole")
assert kept("matmull", ["add", "matmul"]) == "matmul"
"""
    done = run(installed, code)
    assert done.returncode == 0, done.stderr


def test_findings_are_the_same(installed, tmp_path):
    program = tmp_path / "bad.rlx"
    program.write_text("def @main(x: Tensor[(n,), float32]) { ad(x, x) }\n", encoding="utf-8")
    done = run(installed, RUN, "check", str(program))
    (checkout,) = [
        subprocess.run(
            [sys.executable, "-m", "relax_lang", "check", str(program)],
            cwd=ROOT, env=os.environ | {"RELAX_NO_CACHE": "1"}, capture_output=True, text=True, check=False,
        )
    ]  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (1, checkout.stdout, checkout.stderr)
