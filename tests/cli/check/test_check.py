"""`relax check`: what it finds, what it prints, what its exit status is."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from relax_lang.files import programs
from tests.cli.harness import BAD, BROKEN, GOOD, Relax


def test_a_clean_file(relax: Relax, files: Path) -> None:
    assert relax("check", "good.rlx") == (0, "No problems found in 1 file.\n", "")


def test_findings_go_to_stdout(relax: Relax, files: Path) -> None:
    status, out, err = relax("check", "bad.rlx")
    assert (status, err) == (1, "")
    assert out.startswith("error[RLX0201 undefined-variable]: `y` is not defined")
    assert " ──▸ bad.rlx:2:10\n" in out
    assert out.endswith("\nFound 1 error in 1 file.\n")


def test_syntax_errors(relax: Relax, files: Path) -> None:
    status, out, _ = relax("check", "broken.rlx")
    assert status == 1
    assert out.startswith("error[RLX0101 syntax]: expected `;`")
    assert "2 +   let y = add(x, x);" in out


def test_folders_and_several_files(relax: Relax, files: Path) -> None:
    status, out, _ = relax("check", ".", "--output-format", "concise")
    assert status == 1
    assert [line.split(":")[0] for line in out.splitlines()] == ["bad.rlx", "broken.rlx"]


def test_an_item_with_a_syntax_error_gives_no_consequences(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(
        "def @f(x: Tensor) {\n  let y = ;\n  nope\n}\n\ndef @g() {\n  (@f, nope)\n}\n"
    )
    _, out, _ = relax("check", "a.rlx", "--output-format=concise")
    assert [line.split(": ")[0] for line in out.splitlines()] == ["a.rlx:2:11", "a.rlx:7:8"]


def test_what_may_have_been_lost_is_not_called_missing(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text("defn @f() {\n  1\n}\n\ndef @g() {\n  @f()\n}\n")
    _, out, _ = relax("check", "a.rlx", "--output-format=concise")
    assert "syntax" in out
    assert "undefined-global" not in out


def test_stdin(relax: Relax, files: Path) -> None:
    assert relax("check", "-", stdin=GOOD) == (0, "No problems found in 1 file.\n", "")
    assert "──▸ <stdin>:2:10\n" in relax("check", "-", stdin=BAD).out
    assert "──▸ dir/x.rlx:2:10\n" in relax("check", "-", "--stdin-filename", "dir/x.rlx", stdin=BAD).out


def test_operator_calls_are_checked(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(
        "def @main(x: Tensor) {\n  matmul(x, sum(x, axes=1))\n}\n\ndef @b(x: Tensor) {\n  matmul(x)\n}\n"
    )
    _, out, _ = relax("check", "a.rlx", "--output-format=concise")
    assert [line.split("[")[1].split("]")[0].split()[1] for line in out.splitlines()] == [
        "op-attribute",
        "arity",
    ]


def test_prim_funcs_are_checked(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text("prim_func @f(X: Buffer[(2,), float32]) {\n  X[0, 1] = 1.0;\n}\n")
    assert "tir-rank-mismatch" in relax("check", "a.rlx").out


def test_CF_constants_are_looked_up_beside_the_program(relax: Relax, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    (tmp_path / "sub").mkdir()
    numpy.save(tmp_path / "sub" / "w.npy", numpy.zeros(3))
    (tmp_path / "sub" / "a.rlx").write_text('def @main() {\n  const(file("w.npy"))\n}\n')
    assert relax("check", "sub/a.rlx").status == 0
    (tmp_path / "b.rlx").write_text('def @main() {\n  (const(file("w.npy")), const(file("../w.npy")))\n}\n')
    status, out, _ = relax("check", "b.rlx", "--output-format=concise")
    assert status == 1
    assert "b.rlx:2:10: error[RLX0021 constant-file-missing]" in out
    assert "error[RLX0023 constant-file-outside]" in out


def test_select_and_ignore(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text("def @main(x: Tensor) {\n  (a, matmul(x), matmul(b))\n}\n")

    def slugs(*options: str) -> tuple[int, list[str]]:
        status, out, _ = relax("check", "a.rlx", "--output-format=json", *options)
        return status, [one["name"] for one in json.loads(out)["diagnostics"]]

    everything = ["undefined-variable", "undefined-variable"]
    assert slugs() == (1, ["undefined-variable", "arity", "arity", "undefined-variable"])
    assert slugs("--select", "undefined-variable") == (1, everything)
    assert slugs("--select", "RLX0201") == (1, everything)
    assert slugs("--select=RLX02") == (1, everything)
    assert slugs("--select", "syntax") == (0, [])
    assert slugs("--select", "syntax,RLX0201") == (1, everything)
    assert slugs("--ignore", "undefined-variable,arity") == (0, [])
    assert slugs("--ignore", "RLX03", "--ignore", "syntax") == (1, everything)


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_unknown_codes_are_usage_errors(relax: Relax, files: Path, option: str) -> None:
    status, out, err = relax("check", "good.rlx", option, "undefined-varable,RLX0201")
    assert (status, out) == (2, "")
    assert err.startswith("error[RLX0004 unknown-code]: there is no diagnostic `undefined-varable`\n")
    assert "did you mean `undefined-variable`?" in err


WARNS = "private def @main() {\n  1\n}\n"


def test_strict_makes_warnings_fail(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "w.rlx").write_text(WARNS)
    status, out, _ = relax("check", "w.rlx")
    assert "warning[" in out
    assert "Found 1 warning in 1 file." in out
    assert status == 0
    assert relax("check", "--strict", "w.rlx").status == 1
    assert relax("check", "--strict", "--ignore", "no-entry-point", "w.rlx").status == 0


UNRELATED = "def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {\n  x + y\n}\n"


def test_strict_makes_operands_that_may_differ_a_warning(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "u.rlx").write_text(UNRELATED)
    status, out, _ = relax("check", "u.rlx")
    assert "hint[RLX0448 operands-may-differ]" in out
    assert status == 0
    status, out, _ = relax("check", "--strict", "u.rlx")
    assert "warning[RLX0448 operands-may-differ]" in out
    assert status == 1
    (tmp_path / "relax.toml").write_text('strict = true\n[severity]\noperands-may-differ = "hint"\n')
    status, out, _ = relax("check", "u.rlx")
    assert "hint[RLX0448" in out
    assert status == 0


def test_hints_never_change_the_status(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "h.rlx").write_text("def @main(x: (Tensor)) -> (Tensor) {\n  x\n}\n")
    status, out, _ = relax("check", "--strict", "h.rlx")
    assert "hint[" in out
    assert status == 0


def test_quiet_leaves_out_the_closing_line(relax: Relax, files: Path) -> None:
    assert relax("check", "-q", "good.rlx").out == ""
    assert "Found" not in relax("check", "--quiet", "bad.rlx").out


def test_color_and_ascii(relax: Relax, files: Path) -> None:
    assert "\x1b[1;31merror[" in relax("check", "--color", "always", "bad.rlx").out
    assert "\x1b" not in relax("check", "bad.rlx").out
    assert relax("check", "--ascii", "bad.rlx").out.isascii()


def test_output_format_from_the_environment(
    relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAX_OUTPUT_FORMAT", "concise")
    assert relax("check", "bad.rlx").out.startswith("bad.rlx:2:10: error[")
    assert relax("check", "--output-format", "text", "bad.rlx").out.startswith("error[")
    monkeypatch.setenv("RELAX_OUTPUT_FORMAT", "yaml")
    status, out, err = relax("check", "bad.rlx")
    assert (status, out) == (2, "")
    assert "RELAX_OUTPUT_FORMAT is `yaml`" in err


@pytest.mark.parametrize("form", ["json", "sarif", "junit"])
def test_machine_forms_print_their_object_only(relax: Relax, files: Path, form: str) -> None:
    for name in ("good.rlx", "bad.rlx"):
        _, out, err = relax("check", "--output-format", form, name)
        assert out[0] in "{<"
        assert out.rstrip()[-1] in "}>"
        assert err == ""


def test_json_counts(relax: Relax, files: Path) -> None:
    data = json.loads(relax("check", "--output-format", "json", ".").out)
    assert (data["version"], data["files"], data["errors"], data["warnings"]) == (1, 4, 2, 0)
    assert data["diagnostics"][0]["file"] == "bad.rlx"


def test_at_most_fifty_are_shown(relax: Relax, tmp_path: Path) -> None:
    names = ", ".join(f"nope{i}" for i in range(87))
    (tmp_path / "many.rlx").write_text(f"def @main() {{\n  ({names})\n}}\n")
    out = relax("check", "many.rlx", "--output-format", "concise").out
    assert out.count("error[") == 50
    assert out.endswith("\n... and 37 more in many.rlx\n")
    out = relax("check", "many.rlx").out
    assert out.endswith("... and 37 more in many.rlx\n\nFound 87 errors in 1 file.\n")
    assert len(json.loads(relax("check", "many.rlx", "--output-format", "json").out)["diagnostics"]) == 87


# Broken inputs.


def test_missing_files_are_told_and_the_others_checked(relax: Relax, files: Path) -> None:
    status, out, _ = relax("check", "gone.rlx", "bad.rlx")
    assert status == 2
    assert "error[RLX0001 file-not-found]: there is no file `gone.rlx`\n" in out
    assert "undefined-variable" in out


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (b"def @main() {\n  \xff\n}\n", "not-utf8"),
        (b"def @main() {\0}\n", "nul-in-text"),
        (GOOD.encode("utf-16"), "not-utf8"),
    ],
)
def test_files_that_are_no_text(relax: Relax, tmp_path: Path, data: bytes, slug: str) -> None:
    (tmp_path / "x.rlx").write_bytes(data)
    status, out, _ = relax("check", "x.rlx")
    assert status == 2
    assert f" {slug}]: " in out
    assert "──▸ x.rlx:" in out


def test_stdin_that_is_no_text(relax: Relax) -> None:
    status, out, _ = relax("check", "-", stdin=b"\xff")
    assert status == 2
    assert "──▸ <stdin>:1:1\n" in out


def test_a_folder_without_programs(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, out, _ = relax("check", "empty")
    assert status == 2
    assert out.startswith("error[RLX0007 no-programs]: there is no `.rlx` file below `empty`\n")


def test_a_file_of_50_megabytes_is_refused_unread(relax: Relax, tmp_path: Path) -> None:
    with (tmp_path / "huge.rlx").open("wb") as file:
        file.truncate(50 << 20)
    tracemalloc.start()
    status, out, _ = relax("check", "huge.rlx")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20, "it is not even read"
    assert status == 2
    assert "`huge.rlx` is larger than 32 MiB" in out
    assert programs.MAX_BYTES == 32 << 20


@pytest.mark.parametrize("name", ["", "only comments", "garbage"])
def test_odd_texts(relax: Relax, tmp_path: Path, name: str) -> None:
    contents = {"": "", "only comments": "# nothing\n", "garbage": "\x07]]]) §§ ¿¿ }}}{{ \ufeff \u202e"}[name]
    (tmp_path / "odd.rlx").write_text(contents)
    status, out, err = relax("check", "odd.rlx")
    assert status in (0, 1)
    assert "Traceback" not in out + err
    assert "internal-error" not in out


# Our own mistakes.


def test_an_internal_error_is_a_diagnostic(
    relax: Relax, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from relax_lang import api

    original = api.check

    def fail(source: object, **options: object) -> object:
        if getattr(source, "path", "") == "good.rlx":
            raise ZeroDivisionError("a bug\nof ours")
        return original(source, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(api, "check", fail)
    status, out, err = relax("check", "good.rlx", "bad.rlx")
    assert status == 101
    assert "error[RLX9901 internal-error]: the toolchain failed: ZeroDivisionError: a bug of ours" in out
    assert "undefined-variable" in out
    assert "Traceback" not in out + err
    status, out, err = relax("check", "--verbose", "good.rlx")
    assert status == 101
    assert "Traceback (most recent call last)" in err
    assert "ZeroDivisionError" in err


def test_BROKEN_is_broken_in_one_place(relax: Relax) -> None:
    assert relax("check", "-", stdin=BROKEN).out.count("error[") == 1
