"""The forms of diagnostics that programs read: JSON as the contract has it, SARIF, GitHub, JUnit, concise."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from relax_lang.cli.render import text
from relax_lang.cli.render.formats import concise, github, gitlab, junit, machine_json, sarif
from relax_lang.cli.render.report import CLEAN, PROBLEMS, USAGE, Report
from relax_lang.cli.render.style import Style

from relax_lang.base.diagnostic import Diagnostic, Rule
from relax_lang.base.source import SourceFile

# The smiley is one code point and two UTF-16 units: columns must count it once.
SOURCE = SourceFile('let s = "\U0001f600"; y;\nlet t = z;\n', "dir/a b.rlx")
UNKNOWN = Rule(
    "RLX0201", "undefined-variable", "error", "S.3", "A name is used that nothing binds.\n\n    More."
)
UNSURE = Rule("RLX0402", "possibly-incompatible", "warning", "Z.4", "Nobody knows.")
REMARK = Rule("RLX0801", "shadowing", "hint", "", "A name hides another.")


def found() -> list[Diagnostic]:
    y = SOURCE.text.index("y;")
    first = UNKNOWN.at((y, y + 1), "`y` is not defined", "not found here").label((4, 5), "`s` is near")
    first.note("a fact").replace((y, y + 1), "s", "use `s`")
    z = SOURCE.text.index("z;")
    return [first, UNSURE.at((z - 8, z + 1), "100% unsure: a, b"), REMARK.at((z, z + 2), "a hint")]


@pytest.fixture
def report() -> Report:
    report = Report()
    report.add(SOURCE, found(), PROBLEMS)
    report.add(SourceFile("fine", "clean.rlx"), [], CLEAN)
    report.problem(
        "gone.rlx", Rule("RLX0001", "file-not-found", "error", "", "Gone.").at(None, "gone"), USAGE
    )
    return report


def test_the_highest_status_counts(report: Report) -> None:
    assert report.status == USAGE
    assert report.n_files == 2
    assert report.counts == (2, 1, 1)


def test_json_is_the_contract(report: Report) -> None:
    data = json.loads(machine_json.render(report))
    assert list(data) == ["version", "files", "errors", "warnings", "diagnostics"]
    assert (data["version"], data["files"], data["errors"], data["warnings"]) == (1, 2, 2, 1)
    first = data["diagnostics"][0]
    y = SOURCE.text.index("y;")
    span = {
        "start": {"line": 1, "column": 14, "offset": y},
        "end": {"line": 1, "column": 15, "offset": y + 1},
    }
    assert first == {
        "code": "RLX0201",
        "name": "undefined-variable",
        "severity": "error",
        "message": "`y` is not defined",
        "file": "dir/a b.rlx",
        "span": span,
        "labels": [
            {
                "span": {
                    "start": {"line": 1, "column": 5, "offset": 4},
                    "end": {"line": 1, "column": 6, "offset": 5},
                },
                "message": "`s` is near",
            }
        ],
        "notes": ["a fact"],
        "help": "use `s`",
        "fixes": [{"title": "use `s`", "applicability": "unsafe", "edits": [{"span": span, "text": "s"}]}],
        "data": {},
        "rendered": text.render(SOURCE, report.files[0].diagnostics[0], Style()),
        "url": "docs/diagnostics.md#undefined-variable",
    }
    assert data["diagnostics"][3]["span"] is None


def test_json_of_nothing() -> None:
    assert json.loads(machine_json.render(Report())) == {
        "version": 1,
        "files": 0,
        "errors": 0,
        "warnings": 0,
        "diagnostics": [],
    }


def test_sarif_has_the_shape_of_2_1_0(report: Report) -> None:
    log = json.loads(sarif.render(report))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"].startswith("file:///")
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"].endswith("/")
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["RLX0001", "RLX0201", "RLX0402", "RLX0801"]
    assert rules[1]["name"] == "undefined-variable"
    assert rules[1]["shortDescription"]["text"] == "A name is used that nothing binds."
    assert rules[1]["help"]["markdown"].endswith("\n\nMore.")
    assert [rule["defaultConfiguration"]["level"] for rule in rules] == ["error", "error", "warning", "note"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note", "error"]


def test_sarif_places_fixes_and_secondary_labels(report: Report) -> None:
    result = json.loads(sarif.render(report))["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "dir/a%20b.rlx", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 1, "startColumn": 14, "endLine": 1, "endColumn": 15}
    assert result["message"]["text"].startswith("`y` is not defined: not found here")
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == "`s` is near"
    assert related["physicalLocation"]["region"]["startColumn"] == 5
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == place["artifactLocation"]
    assert change["replacements"] == [{"deletedRegion": place["region"], "insertedContent": {"text": "s"}}]


def test_sarif_of_a_missing_file_has_no_region(report: Report) -> None:
    last = json.loads(sarif.render(report))["runs"][0]["results"][-1]
    assert last["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "gone.rlx", "uriBaseId": "%SRCROOT%"}}}
    ]


def test_sarif_fingerprints_stay_when_lines_are_added_and_differ_when_repeated() -> None:
    def prints(text: str) -> list[str]:
        source = SourceFile(text, "a.rlx")
        report = Report()
        places = [i for i, char in enumerate(text) if char == "y"]
        report.add(source, [UNKNOWN.at((i, i + 1), "unknown") for i in places])
        results = json.loads(sarif.render(report))["runs"][0]["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    assert prints("f(y);\n") == prints("# more\n\n  f(y);\n")
    first, second = prints("f(y);\nf(y);\n")
    assert first != second
    assert prints("f(y);\n") != prints("g(y);\n")


def test_github_commands(report: Report) -> None:
    lines = [
        line
        for file in report.files
        for one in file.diagnostics
        for line in github.render(file.source, one, Style()).splitlines()
    ]
    first = "title=RLX0201 undefined-variable,file=dir/a b.rlx,line=1,endLine=1,col=14,endColumn=15"
    second = "title=RLX0402 possibly-incompatible,file=dir/a b.rlx,line=2,endLine=2,col=1,endColumn=10"
    assert lines == [
        f"::error {first}::`y` is not defined%0A  line 1: `s` is near%0A  note: a fact%0A  help: use `s`",
        f"::warning {second}::100%25 unsure: a, b",
        "::notice title=RLX0801 shadowing,file=dir/a b.rlx,line=2,endLine=2,col=9,endColumn=11::a hint",
        "::error title=RLX0001 file-not-found,file=gone.rlx::gone",
    ]


def test_github_escapes_what_would_end_a_property() -> None:
    shown = github.render(SourceFile("x", "a,b:c\n%.rlx"), UNKNOWN.at((0, 1), "m"), Style())
    assert "file=a%2Cb%3Ac%0A%25.rlx," in shown


def test_github_spans_of_several_lines_have_no_columns() -> None:
    shown = github.render(SOURCE, UNKNOWN.at((0, len(SOURCE.text)), "m"), Style())
    assert shown == "::error title=RLX0201 undefined-variable,file=dir/a b.rlx,line=1,endLine=3::m\n"


def test_github_paths_are_those_of_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", "/home/runner/work")
    for path, shown in [("/home/runner/work/sub/a.rlx", "sub/a.rlx"), ("/home/runner/works/a.rlx", None)]:
        line = github.render(SourceFile("x", path), UNKNOWN.at((0, 1), "m"), Style())
        assert f"file={shown or path}," in line


JUNIT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="relax" tests="5" failures="2" errors="0">
<testsuite name="dir/a b.rlx" tests="3" failures="1" errors="0">
<testcase name="RLX0201 undefined-variable at 1:14" classname="dir/a b.rlx" file="dir/a b.rlx" line="1">\
<failure type="error" message="`y` is not defined">\
dir/a b.rlx:1:14: error[RLX0201 undefined-variable] `y` is not defined
  line 1: `s` is near
  note: a fact
  help: use `s`</failure></testcase>
<testcase name="RLX0402 possibly-incompatible at 2:1" classname="dir/a b.rlx" file="dir/a b.rlx" line="2">\
<system-out>dir/a b.rlx:2:1: warning[RLX0402 possibly-incompatible] 100% unsure: a, b</system-out></testcase>
<testcase name="RLX0801 shadowing at 2:9" classname="dir/a b.rlx" file="dir/a b.rlx" line="2">\
<system-out>dir/a b.rlx:2:9: hint[RLX0801 shadowing] a hint</system-out></testcase>
</testsuite>
<testsuite name="clean.rlx" tests="1" failures="0" errors="0">
<testcase name="clean.rlx" classname="clean.rlx" file="clean.rlx"/>
</testsuite>
<testsuite name="gone.rlx" tests="1" failures="1" errors="0">
<testcase name="RLX0001 file-not-found" classname="gone.rlx" file="gone.rlx">\
<failure type="error" message="gone">gone.rlx: error[RLX0001 file-not-found] gone</failure></testcase>
</testsuite>
</testsuites>
"""


def test_junit(report: Report) -> None:
    assert junit.render(report) == JUNIT


def test_junit_fails_where_the_exit_status_does(report: Report) -> None:
    report.files[0].strict = True
    suites = ET.fromstring(junit.render(report))
    assert suites.get("failures") == "3"
    bug = Rule("RLX9901", "internal-error", "error", "", "Ours.")
    report.problem("bug.rlx", bug.at(None, "a bug"), USAGE)
    suites = ET.fromstring(junit.render(report))
    assert (suites.get("failures"), suites.get("errors")) == ("3", "1")
    assert suites.find("testsuite/testcase/error") is not None


def test_junit_holds_whatever_a_program_holds() -> None:
    text = "x <&>\"'\x00\x1b\ufffe\uffff\ud800]]>"
    source = SourceFile(text, text)
    report = Report()
    report.add(source, [UNKNOWN.at((0, 1), text, text).note(text).label((1, 2), text)] * 2)
    suite = ET.fromstring(junit.render(report).encode())[0]
    assert [case.get("name") for case in suite] == [
        "RLX0201 undefined-variable at 1:1",
        "RLX0201 undefined-variable at 1:1 #2",
    ]
    assert suite.get("name") == "x <&>\"'\u2400\u241b\ufffd\ufffd\ufffd]]>"


def test_concise(report: Report) -> None:
    shown = [concise.render(file.source, one, Style()) for file in report.files for one in file.diagnostics]
    assert shown == [
        "dir/a b.rlx:1:14: error[RLX0201 undefined-variable] `y` is not defined\n",
        "dir/a b.rlx:2:1: warning[RLX0402 possibly-incompatible] 100% unsure: a, b\n",
        "dir/a b.rlx:2:9: hint[RLX0801 shadowing] a hint\n",
        "gone.rlx: error[RLX0001 file-not-found] gone\n",
    ]


def test_sarif_of_a_file_whose_name_is_no_text() -> None:
    report = Report()
    report.add(SourceFile("", "\udcfe.rlx"), [UNKNOWN.at(None, "a message")])
    log = json.loads(sarif.render(report))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "%FE.rlx"


def test_gitlab(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_PROJECT_DIR", "/builds/p")
    issues = json.loads(gitlab.render(report))
    assert len(issues) == 4
    assert issues[0] == {
        "description": "`y` is not defined",
        "check_name": "RLX0201 undefined-variable",
        "fingerprint": issues[0]["fingerprint"],
        "severity": "major",
        "location": {"path": "dir/a b.rlx", "lines": {"begin": 1, "end": 1}},
    }
    assert {issue["severity"] for issue in issues} == {"major", "minor", "info"}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert gitlab.render(Report()) == "[]\n"


def test_json_data_is_what_json_can_hold(report: Report) -> None:
    one = report.files[0].diagnostics[0]
    one.data.update(name="x", sizes={"n": 3}, pairs=[(1, "a")], node=SOURCE, flag=True)
    found = json.loads(machine_json.render(report))["diagnostics"][0]
    assert found["data"] == {"name": "x", "sizes": {"n": 3}, "pairs": [[1, "a"]]}
