"""SARIF held against its schema, and against what its readers expect beyond that."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from relax_lang.cli.render.formats import sarif
from relax_lang.cli.render.report import CLEAN, INTERNAL, PROBLEMS, USAGE, Report

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.check.explain import all_rules
from tests.cli.harness import ROOT, Relax
from tests.cli.render.test_any import findings

SCHEMA = json.loads((Path(__file__).parent / "sarif.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
BAD = [path for path in sorted((ROOT / "samples/bad").glob("*.rlx")) if path.stem != "large-constant"]


def checked(text: str) -> dict:
    log = json.loads(text)
    assert [f"{list(error.path)}: {error.message}" for error in VALIDATOR.iter_errors(log)] == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            region = location["physicalLocation"].get("region")
            if region is not None:
                start = region["startLine"], region["startColumn"]
                assert start <= (region["endLine"], region["endColumn"])
    return run


def log_of(relax: Relax, *words: object, stdin: str = "") -> dict:
    return checked(relax("check", "--output-format=sarif", *words, stdin=stdin).out)


def test_the_schema_itself() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "result": []}]})


def test_all_bad_samples_together(relax: Relax) -> None:
    run = log_of(relax, "--extend-select", "all", *BAD)
    assert len(run["results"]) > len(BAD) // 2
    assert {result["level"] for result in run["results"]} == {"error", "warning", "note"}
    assert any("fixes" in result for result in run["results"])
    assert any("relatedLocations" in result for result in run["results"])


def test_every_rule_has_metadata() -> None:
    report = Report()
    source = SourceFile("x\n", "a.rlx")
    report.add(source, [rule.at((0, 1), "m") for rule in all_rules() if rule.severity != "off"])
    report.add(source, [])
    report.files[-1].ignored = [rule.at((0, 1), "m") for rule in all_rules() if rule.severity == "off"]
    for one in report.files[-1].ignored:
        one.severity = "hint"
    rules = checked(sarif.render(report))["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in all_rules()]
    by_name = {rule["name"]: rule for rule in rules}
    assert by_name["shadowing"]["defaultConfiguration"] == {"enabled": False, "level": "note"}
    assert by_name["arity"]["defaultConfiguration"] == {"enabled": True, "level": "error"}
    assert "relax/G.5" in by_name["arity"]["properties"]["tags"]
    for rule in rules:
        assert rule["shortDescription"]["text"] in rule["fullDescription"]["text"]
        assert "```" not in rule["fullDescription"]["text"]
        assert rule["help"]["markdown"].startswith(rule["shortDescription"]["text"])


def test_comments_that_silence_are_suppressions(relax: Relax) -> None:
    text = "def @f(x: Tensor) {\n  let y = nope;  # relax: ignore[undefined-variable]\n  absent\n}\n"
    results = log_of(relax, "-", stdin=text)["results"]
    assert [result["suppressions"] for result in results] == [
        [{"kind": "inSource", "status": "accepted"}],
        [],
    ]
    assert [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results] == [2, 3]
    assert relax("check", "-", "--output-format=concise", stdin=text).out.count("undefined-variable") == 1


def test_what_is_not_wanted_is_no_suppression(relax: Relax) -> None:
    text = "def @f(x: Tensor) {\n  nope  # relax: ignore[undefined-variable]\n}\n"
    assert log_of(relax, "-", "--ignore", "RLX02", stdin=text)["results"] == []
    text = "def @f(x: Tensor) {\n  let y = x;  # relax: ignore[unused-binding]\n  x\n}\n"
    assert log_of(relax, "-", stdin=text)["results"] == []
    assert len(log_of(relax, "-", "--extend-select=unused-binding", stdin=text)["results"]) == 1


def test_suppressions_of_a_fixed_file(relax: Relax, tmp_path: Path) -> None:
    (tmp_path / "a.rlx").write_text(
        "def @f(x: Tensor) {\n  let y = x\n  nope  # relax: ignore[undefined-variable]\n}\n"
    )
    (result,) = log_of(relax, "--fix", "a.rlx")["results"]
    assert result["suppressions"]
    assert "let y = x;\n" in (tmp_path / "a.rlx").read_text()


def test_fixes_say_how_sure_they_are(relax: Relax) -> None:
    text = "def @f(x: Tensor) {\n  let lv0 = x\n  lvO\n}\n"
    results = log_of(relax, "-", stdin=text)["results"]
    kinds = {fix["properties"]["applicability"] for result in results for fix in result.get("fixes", [])}
    assert kinds == {"safe"} or kinds == {"safe", "unsafe"}


@pytest.mark.parametrize(
    ("status", "expected"), [(CLEAN, True), (PROBLEMS, True), (USAGE, False), (INTERNAL, False)]
)
def test_runs_that_did_not_see_everything_say_so(status: int, expected: bool) -> None:
    report = Report()
    report.add(SourceFile("x", "a.rlx"), [], status)
    run = checked(sarif.render(report))
    assert run["invocations"] == [{"executionSuccessful": expected}]


@pytest.mark.parametrize("path", ["a b.rlx", "/abs/ü.rlx", "<stdin>", "100%.rlx", "a#b?.rlx", "\udcfe.rlx"])
def test_any_path_is_a_uri(path: str) -> None:
    report = Report()
    report.add(SourceFile("x", path), [all_rules()[0].at((0, 1), "m")])
    checked(sarif.render(report))


@settings(max_examples=100, deadline=None)
@given(findings())
def test_whatever_is_found_the_log_is_valid(found: tuple[SourceFile, Diagnostic]) -> None:
    source, one = found
    report = Report()
    report.add(source, [one])
    checked(sarif.render(report))
