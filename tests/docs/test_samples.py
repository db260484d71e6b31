"""The samples are what they say: clean, formatted, and giving the output that their first lines show."""

from __future__ import annotations

import re
import runpy

import numpy as np
import pytest

from tests.docs.tools import ROOT, SAMPLES, formatted, relax, slugs, transcripts

GOOD = sorted(path for path in SAMPLES.rglob("*.rlx") if path.parent.name not in ("bad", "tests", "plugin"))


def name(path) -> str:
    return str(path.relative_to(SAMPLES))


def assert_alike(printed: str, shown: str):
    """Compare outputs; the last digits of fractions may differ from machine to machine."""
    fraction = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?")
    words = [" ".join(fraction.sub("#", text).split()) for text in (printed, shown)]
    assert words[0] == words[1]
    numbers = [[float(number) for number in fraction.findall(text)] for text in (printed, shown)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_sample_has_no_findings(path):
    assert slugs(path.read_text(encoding="utf-8"), path) == []


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_sample_is_formatted(path):
    text = path.read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_sample_runs_and_prints_what_it_shows(path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    commands = transcripts(path.read_text(encoding="utf-8"))
    assert commands, "the leading comment shows no command"
    for command, shown in commands:
        assert path.name in command
        status, out, err = relax(command, capsys)
        assert (status, err) == (0, "")
        assert shown, f"{command} shows no output"
        lines = out.rstrip("\n").split("\n")
        if shown[-1] == "…":
            lines, shown = lines[: len(shown) - 1], shown[:-1]
        assert_alike("\n".join(lines), "\n".join(shown))


def test_digits_are_read_right(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    out = tmp_path / "classes.npy"
    folder = "samples/digits"
    status, _, err = relax(f"relax run {folder}/digits.rlx --npz {folder}/test.npz --out {out}", capsys)
    assert status == 0, err
    classes, labels = np.load(out), np.load(ROOT / folder / "labels.npy")
    assert classes.shape == labels.shape == (360,)
    share = float(np.mean(classes == labels))
    assert share > 0.93
    readme = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    assert f"{share:.1%} of 360 images are classified right" in readme
    assert f"{100 * share:.1f} % of them are right" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_network_is_trained_from_scratch(capsys):
    """The loss falls as the README shows, and unseen images are read right."""
    script = runpy.run_path(str(SAMPLES / "training" / "train.py"))
    losses, share = script["train"]()
    assert share > 0.95
    assert losses[-1] < 0.1 < 1.5 < losses[0]
    readme = (SAMPLES / "training" / "README.md").read_text(encoding="utf-8")
    printed = f"{capsys.readouterr().out}{share:.1%} of 90 images that were never seen are read right\n"
    shown = readme.partition("train.py\n")[2].partition("```")[0]
    assert len(printed.splitlines()) == len(shown.splitlines())
    assert printed.splitlines()[0] == shown.splitlines()[0]


def test_data_files_of_the_samples_are_small_and_hold_no_pickles():
    files = [path for path in SAMPLES.rglob("*") if path.suffix in (".npy", ".npz")]
    assert sum(path.stat().st_size for path in files) < 200_000
    for path in files:
        loaded = np.load(path, allow_pickle=False)
        for array in loaded.values() if path.suffix == ".npz" else [loaded]:
            assert not array.dtype.hasobject


def test_readme_names_every_folder():
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    folders = {
        path.name for path in SAMPLES.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))
    }
    assert set(re.findall(r"^\| `(\w+)/`", readme, re.M)) == folders
