"""The cache on disk: what is kept comes back, and nothing that this user did not write."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from relax_lang.files import cache
from relax_lang.files.cache import fingerprint as fingerprints
from relax_lang.files.cache import store as stores
from relax_lang.files.cache.fingerprint import fingerprint
from relax_lang.files.cache.store import Store

ROOT = Path(__file__).parents[2]
VALUE = ("text", 1, 2.5, None, True, [("a", b"b")], {"k": (1, 2)})
posix_only = pytest.mark.skipif(os.name == "nt", reason="modes of files")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "cache"))


def entry_of(store: Store) -> Path:
    ((path, _),) = store.entries()
    return Path(path)


def test_what_is_kept_comes_back(store: Store) -> None:
    assert store.get("key") is None
    store.put("key", VALUE)
    assert store.get("key") == VALUE
    assert Store(store.path).get("key") == VALUE
    assert Store(store.path).get("other") is None


def test_a_new_value_replaces_the_old_one(store: Store) -> None:
    store.put("key", 1)
    store.put("key", 2)
    assert store.get("key") == 2
    assert store.size()[0] == 1


@posix_only
def test_only_the_user_can_read_it(store: Store) -> None:
    store.put("key", VALUE)
    for path in (Path(store.path, "key"), entry_of(store)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(store.path).stat().st_mode) == 0o700


@pytest.mark.parametrize("at", [0, 16, 31, 32, 33, -1])
def test_a_damaged_entry_is_a_miss(store: Store, at: int) -> None:
    store.put("key", VALUE)
    path = entry_of(store)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)
    assert store.get("key") is None
    store.put("key", VALUE)
    assert store.get("key") == VALUE


@pytest.mark.parametrize("length", [0, 5, 32, 40])
def test_a_short_entry_is_a_miss(store: Store, length: int) -> None:
    store.put("key", VALUE)
    path = entry_of(store)
    path.write_bytes(path.read_bytes()[:length])
    assert store.get("key") is None


def test_an_entry_counts_only_under_its_own_name(store: Store) -> None:
    store.put("key", "clean")
    data = entry_of(store).read_bytes()
    entry_of(store).unlink()
    store.put("other", "wrong")
    entry_of(store).write_bytes(data)
    assert store.get("other") is None


def test_an_entry_of_somebody_else_is_a_miss(store: Store, tmp_path: Path) -> None:
    other = Store(str(tmp_path / "other"))
    other.put("key", "foreign")
    store.put("key", "own")
    entry_of(store).write_bytes(entry_of(other).read_bytes())
    assert store.get("key") is None


def test_without_the_key_nothing_counts(store: Store) -> None:
    store.put("key", VALUE)
    Path(store.path, "key").unlink()
    assert Store(store.path).get("key") is None
    Path(store.path, "key").write_bytes(b"")
    assert Store(store.path).get("key") is None


@posix_only
@pytest.mark.parametrize(("name", "mode"), [("key", 0o644), ("key", 0o640), ("", 0o777), ("", 0o770)])
def test_nothing_counts_that_others_could_write_or_read(store: Store, name: str, mode: int) -> None:
    store.put("key", VALUE)
    Path(store.path, name).chmod(mode)
    again = Store(store.path)
    assert again.get("key") is None
    again.put("more", VALUE)
    assert again.size()[0] == 1


@posix_only
def test_a_link_in_place_of_the_key_is_not_followed(store: Store, tmp_path: Path) -> None:
    store.put("key", VALUE)
    key = Path(store.path, "key")
    (tmp_path / "elsewhere").write_bytes(key.read_bytes())
    key.unlink()
    key.symlink_to(tmp_path / "elsewhere")
    assert Store(store.path).get("key") is None  # links are open to all


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = Store(str(tmp_path / "file" / "cache"))
    store.put("key", VALUE)
    assert store.get("key") is None
    assert store.size() == (0, 0)


def test_what_is_no_plain_data_is_not_kept(store: Store) -> None:
    store.put("key", object())
    assert store.size()[0] == 0


def test_large_values_are_not_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "MOST_ENTRY_BYTES", 100)
    store.put("key", "x" * 101)
    assert store.get("key") is None


def test_the_oldest_entries_go_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        store.put(str(number), "x" * 1000)
    for number, (path, _) in enumerate(sorted(store.entries())):
        os.utime(path, (number, number))
    oldest = sorted(store.entries())[0][0]
    monkeypatch.setattr(stores, "MOST_BYTES", 10_000)
    Store(store.path).put("new", "x" * 1000)
    entries, size = store.size()
    assert 1 <= entries < 10
    assert size <= 10_000
    assert not Path(oldest).exists()
    assert Store(store.path).get("new") is not None


def test_an_entry_that_is_used_is_young(store: Store) -> None:
    store.put("key", VALUE)
    os.utime(entry_of(store), (1, 1))
    store.get("key")
    assert entry_of(store).stat().st_mtime > 1


def test_clear_leaves_nothing(store: Store) -> None:
    store.put("one", VALUE)
    store.put("two", VALUE)
    entries, size = store.clear()
    assert (entries, size > 0) == (2, True)
    assert not Path(store.path).exists()
    assert store.clear() == (0, 0)
    store.put("one", VALUE)
    assert store.get("one") == VALUE


def test_processes_share_one_folder(store: Store) -> None:
    script = f"""
from relax_lang.files.cache.store import Store
for round in range(20):
    store = Store({store.path!r})
    for number in range(10):
        store.put(str(number), ["x" * 10000, number])
        found = store.get(str(number))
        assert found is None or found[1] == number
"""
    started = [
        subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT)})
        for _ in range(3)
    ]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert [store.get(str(number)) for number in range(10)] == [["x" * 10000, n] for n in range(10)]
    assert store.size()[0] == 10


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    monkeypatch.setenv(variable, str(tmp_path))
    assert Path(cache.folder()).parts[: len(tmp_path.parts) + 1] == (*tmp_path.parts, "relax")
    monkeypatch.setenv(variable, "not/absolute")
    assert Path(cache.folder()).is_relative_to(Path.home())


@pytest.mark.parametrize(("value", "off"), [("", False), ("0", False), ("1", True), ("yes", True)])
def test_the_environment_turns_it_off(monkeypatch: pytest.MonkeyPatch, value: str, off: bool) -> None:
    monkeypatch.setenv(cache.VARIABLE, value)
    assert cache.is_off() is off


def test_the_fingerprint_follows_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    assert fingerprint() == before
    monkeypatch.setattr(fingerprints, "_FOUND", [])  # as another process has it
    monkeypatch.setattr(sys, "version", "4.0")
    assert fingerprint() != before


CHECK = """
import sys
from relax_lang import _main
_main._leave = lambda status: None
status = _main.main()
print("relax_lang.check.driver" in sys.modules)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout to change, whose files are not of this moment."""
    for source in ("relax_lang", "cli"):
        shutil.copytree(ROOT / source, tmp_path / source, ignore=shutil.ignore_patterns("__pycache__"))
    for path in tmp_path.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    (tmp_path / "a.rlx").write_text("def @main(x: Tensor[(n,), float32]) { add(x, x) }\n", encoding="utf-8")
    return tmp_path


def is_checked_anew(checkout: Path) -> bool:
    variable = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    environment = os.environ | {
        "PYTHONPATH": str(checkout),
        variable: str(checkout / "cache"),
        "RELAX_NO_CACHE": "",
    }
    done = subprocess.run(
        [sys.executable, "-c", CHECK, "check", "-q", "a.rlx"],
        cwd=checkout, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()[-1] == "True"


def test_results_fall_with_a_module_that_was_loaded(checkout: Path) -> None:
    assert [is_checked_anew(checkout) for _ in range(2)] == [True, False]
    for loaded in ("scope/resolve.py", "syntax/driver.py"):
        path = checkout / "relax_lang" / loaded
        path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
        os.utime(path, (1e9, 1e9))
        assert [is_checked_anew(checkout) for _ in range(2)] == [True, False]
    path = checkout / "cli" / "options.py"  # the same size, another time
    os.utime(path, (1e9 + 5, 1e9 + 5))
    assert [is_checked_anew(checkout) for _ in range(2)] == [True, False]
    other = checkout / "relax_lang" / "onnx" / "wire.py"
    other.write_text("not loaded", encoding="utf-8")
    assert not is_checked_anew(checkout)


def test_results_of_modules_that_were_just_written_are_not_kept(checkout: Path) -> None:
    path = checkout / "relax_lang" / "scope" / "resolve.py"
    later = time.time() + 1000
    os.utime(path, (later, later))  # what is on the disk may be newer than what was loaded
    assert [is_checked_anew(checkout) for _ in range(2)] == [True, True]


def test_a_list_of_modules_that_is_gone_or_damaged_is_a_miss(checkout: Path) -> None:
    assert is_checked_anew(checkout)
    entries = [path for path in (checkout / "cache").rglob("*") if path.is_file() and path.name != "key"]
    assert len(entries) == 2
    for path in entries:
        kept = path.read_bytes()
        path.write_bytes(kept[:-1])
        assert [is_checked_anew(checkout) for _ in range(2)] == [True, False]
        path.unlink()
        assert [is_checked_anew(checkout) for _ in range(2)] == [True, False]
