"""The cache on disk: what is kept comes back, and nothing that this user did not write."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
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


def test_the_files_of_a_checkout_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(fingerprints, "_FOUND", [])
    monkeypatch.setattr(fingerprints, "_sources", lambda root: looked.append(root) or [])
    assert fingerprint() == fingerprint()
    assert len(looked) == len(set(looked)) == 2
