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


def test_B_22_strict_shapes_are_errors(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "one.rlx").write_text(WARNING)
    assert "warning[RLX0444" in relax("check", "one.rlx").out
    found = relax("check", "--strict-shapes", "one.rlx")
    assert found.status == 1
    assert "error[RLX0444" in found.out
    (tmp_path / "two.rlx").write_text(
        "def @main(x: Tensor[(n, k), float32], w: Tensor[(j, m), float32]) {\n  matmul(x, w)\n}\n"
    )
    assert relax("check", "two.rlx").status == 0
    assert "error[RLX0448" in relax("check", "--strict-shapes", "two.rlx").out
    (tmp_path / "three.rlx").write_text(WARNING.replace("= x", "= match_cast(x, Tensor[(2, 3), float32])"))
    assert relax("check", "--strict-shapes", "--strict", "three.rlx").status == 0


def test_B_22_strict_shapes_in_settings(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "one.rlx").write_text(WARNING)
    (tmp_path / "relax.toml").write_text("strict-shapes = true\n")
    found = relax("check", "one.rlx")
    assert found.status == 1
    assert "error[RLX0444" in found.out
    (tmp_path / "relax.toml").rename(tmp_path / "base.toml")
    (tmp_path / "relax.toml").write_text('extend = "base.toml"\n')
    assert "error[RLX0444" in relax("check", "one.rlx").out
    (tmp_path / "relax.toml").write_text('extend = "base.toml"\nstrict-shapes = false\n')
    assert "warning[RLX0444" in relax("check", "one.rlx").out
    (tmp_path / "relax.toml").write_text("strict-shapes = 1\n")
    wrong = relax("check", "one.rlx")
    assert wrong.status == 2
    assert "`strict-shapes` is true or false" in wrong.out + wrong.err


def test_B_13_the_edition_of_2022_only_calls_packed_functions(relax: Relax, tmp_path: Path) -> None:
    text = (
        'def @main(x: Tensor) -> Object {\n  let f = extern "f";\n  let y = extern "g"(f);\n'
        '  let z = match_cast(x, Tensor[extern "h"(x), float32]);\n'
        '  let w = call_dps_packed(extern "k", (x,)) -> Tensor[(2,), float32];\n  y\n}\n'
    )
    (tmp_path / "one.rlx").write_text(text)
    assert "extern-" not in relax("check", "--extend-select", "lints", "one.rlx").out
    out = relax("check", "--edition", "2022", "--output-format", "concise", "one.rlx").out
    assert [line.split(":")[1] for line in out.splitlines() if "extern-as-value" in line] == ["2"]
    assert [line.split(":")[1] for line in out.splitlines() if "extern-without-result" in line] == ["3"]
    found = relax("check", "--edition", "2021", "one.rlx")
    assert found.status == 2
    assert "2022" in found.err


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
