"""The commands on programs in Relay: forms of output, standard input, folders, and options that are Relay's. [R.40]"""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.docs.tools import relax

WRONG = "def @main() { %x }\n"
RIGHT = 'import "std/prelude.relay"\n\ndef @main() {\n  @sum(@range(4))\n}\n'
SHOWN = {
    "text": "error[RLX1054 relay-undefined-variable]: `%x` is not defined",
    "concise": "a.relay:1:15: error[RLX1054 relay-undefined-variable] `%x` is not defined",
    "github": "title=RLX1054 relay-undefined-variable,file=",
    "gitlab": '"check_name": "RLX1054 relay-undefined-variable"',
    "json": '"name": "relay-undefined-variable"',
    "sarif": '"ruleId": "RLX1054"',
    "junit": 'failures="1"',
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.relay").write_text(WRONG)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.rly").write_text(RIGHT)
    (tmp_path / "c.rlx").write_text("def @main(x: Tensor[(n,), float32]) {\n  x\n}\n")
    return tmp_path


@pytest.mark.parametrize("form", SHOWN)
def test_R_40_a_folder_is_checked_in_every_form_of_output(form, folder, capsys):
    status, out, err = relax(f"relax check --output-format {form} {folder}", capsys)
    assert status == 1
    assert SHOWN[form] in out + err
    if form in ("json", "gitlab", "sarif"):
        json.loads(out)


@pytest.mark.parametrize(("text", "expected"), [(WRONG, 1), (RIGHT, 0)])
def test_R_40_a_program_comes_from_standard_input(text, expected, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, out, err = relax("relax check --output-format concise --stdin-filename model.relay -", capsys)
    assert status == expected
    assert ("model.relay:1:15: error[RLX1054" in out + err) is (expected == 1)


@pytest.mark.parametrize(
    "command",
    ["run --engine relay", "fmt --anf", "fmt --graph", "fmt --strip-types", "import --report"],
)  # fmt: skip
def test_R_40_options_of_relay_are_refused_for_programs_in_relax(command, folder, capsys):
    status, out, err = relax(f"relax {command} {folder / 'c.rlx'}", capsys)
    assert status == 2
    assert "Relay" in out + err


def test_R_40_values_of_types_are_shown_as_relay_writes_them(folder, capsys):
    (folder / "d.relay").write_text(
        'import "std/prelude.relay"\ndef @main() { (Some((1, 2f)), ref(@range(2)), Nil) }'
    )
    for engine in ("relay", "compiled"):
        status, out, _ = relax(f"relax run --engine {engine} {folder / 'd.relay'}", capsys)
        assert status == 0
        assert [line.strip() for line in out.splitlines()] == [
            "tuple of 3",
            "[0] Some((1, 2.0))",
            "[1] ref(Cons(0, Cons(1, Nil)))",
            "[2] Nil",
        ]
