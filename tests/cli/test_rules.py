"""Rules about what the command says, in every form: Z.1, B.22."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.harness import Relax

ERROR = "def @main(x: Tensor[(2, 3), float32]) {\n  let y: Tensor[(2, 4), float32] = x;\n  y\n}\n"
WARNING = ERROR.replace("(2, 3)", "(n, 3)").replace("(2, 4)", "(2, 3)")
FORMS = ("text", "concise", "json", "sarif", "github", "junit")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("text", "slug"), [(ERROR, "annotation-mismatch"), (WARNING, "possibly-incompatible")]
)
def test_Z_1_every_form_shows_the_slug(relax: Relax, tmp_path: Path, form: str, text: str, slug: str) -> None:
    (tmp_path / "one.rlx").write_text(text)
    _, out, _ = relax("check", f"--output-format={form}", "one.rlx")
    assert slug in out
    if form == "json":
        assert [one["name"] for one in json.loads(out)["diagnostics"]] == [slug]


def test_Z_1_failures_of_running_programs_too(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "one.rlx").write_text(
        "def @main() {\n  let s = shape(3);\n  match_cast(s, Shape[(k, k)]);\n  s\n}\n"
    )
    (tmp_path / "two.rlx").write_text("def @main(u: Object) {\n  match_cast(u, Shape[(k, k)]);\n  u\n}\n")
    assert "match-cast-never" in relax("run", "one.rlx").err
    assert "match-cast-failed" in relax("run", "two.rlx", "--arg", "u=shape:2,3").err


def test_B_22_in_strict_mode_warnings_fail(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "one.rlx").write_text(WARNING)
    assert relax("check", "one.rlx").status == 0
    assert relax("check", "--strict", "one.rlx").status == 1
    (tmp_path / "two.rlx").write_text(WARNING.replace("= x", "= match_cast(x, Tensor[(2, 3), float32])"))
    assert relax("check", "--strict", "two.rlx").status == 0
