"""tools/make_conformance.py: what counts as a test of a rule, how the page looks, and that ids exist.

Whether the committed page is current is asked by `make docs`: it changes with every test that is added.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tools import make_conformance as tool
from tools import rule_ids, rule_tests

ROOT = Path(__file__).resolve().parents[2]

# Sections that the language does not have, so that nothing here looks like a citation of its rules.
RULES = """\
# comments and empty lines are skipped

== Q  First section
Q.1       The first rule. -- one-slug other-slug
Q.2.a     Use `a || b`.
Q.2.b     Part of a group.
Q.3       Says what another says. -- =Q.1
Q.4       Says what two others say. -- some-slug =Q.2
Q.5       Nothing to see. -- void

== K9  Second section
K9.A1     A letter before the number.
K9.A2     Another.
K9.B10    The last one.
"""


def rules(text: str = RULES) -> rule_ids.Rules:
    return rule_ids.Rules(text)


def write(root: Path, files: dict[str, str]) -> Path:
    base = {"docs/rules.txt": RULES, "docs/language.md": "# Nothing\n", "tests/empty.py": ""}
    for name, text in (base | files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def found_in(root: Path) -> dict[str, list[str]]:
    return {
        one: [label for _, label in sorted(found)]
        for one, found in rule_tests.all_tests(root, rules()).items()
    }


# The project's own ids.


def test_every_id_that_the_project_cites_exists():
    assert tool.unknown_ids(ROOT, rules((ROOT / rule_ids.RULES).read_text(encoding="utf-8"))) == []


def test_every_section_of_the_rules_is_there():
    sections = rules((ROOT / rule_ids.RULES).read_text(encoding="utf-8")).sections
    prefixes = "Z ERR G V S N W T E C U D M X P O Y OP TIR CF RUN X15 B R PY"
    assert [title.split()[0] for title in sections] == prefixes.split()
    for title, section in sections.items():
        assert section
        assert all(rule.id.startswith(title.split()[0] + ".") for rule in section)


def test_rules_stay_one_readable_line_each():
    lines = (ROOT / rule_ids.RULES).read_text(encoding="utf-8").splitlines()
    statements = [line.partition(" -- ")[0] for line in lines if line and line[0] not in "#="]
    assert [line for line in statements if len(line) > 140 or not line.rstrip().endswith(".")] == []


# Names of tests.


@pytest.mark.parametrize(
    ("name", "found", "unknown"),
    [
        ("test_Q_1", {"Q.1"}, []),
        ("test_Q_1_a_first_rule", {"Q.1"}, []),
        ("test_Q_2_a_Q_1_two_rules", {"Q.2.a", "Q.1"}, []),
        ("test_words_before_Q_2_b_and_behind", {"Q.2.b"}, []),
        ("test_K9_A1_letters", {"K9.A1"}, []),
        ("test_K9_A1_to_K9_B10_a_range", {"K9.A1", "K9.A2", "K9.B10"}, []),
        ("test_K9_A1_to_nothing_K9_B10", {"K9.A1", "K9.B10"}, []),
        ("test_Q_1_to_Q_2_b_a_range", {"Q.1", "Q.2.a", "Q.2.b"}, []),
        ("test_Q_2_the_group", set(), []),
        ("test_Q_the_section", set(), []),
        ("test_q_1_small", set(), []),
        ("test_Q_7_does_not_exist", set(), ["Q.7"]),
        ("test_Q_2_c_does_not_exist", set(), ["Q.2.c"]),
        ("test_K9_C1_does_not_exist", set(), ["K9.C1"]),
        ("test_Q_1_2_numbers_are_words_where_no_id_goes_on", {"Q.1"}, []),
    ],
)
def test_ids_in_names(name: str, found: set[str], unknown: list[str]):
    assert rule_ids.ids_in_name(name, rules()) == (found, unknown)


# What counts.

MODULE = '''\
"""Q.1 in prose and [K9.B10] in brackets do not count."""
import pytest

DEEP = ["[Q.2.b] a marked program"]
TABLE: list = [("Q.1", 1), *DEEP, pytest.param("K9.A2", marks=pytest.mark.xfail)]
UNUSED = ["K9.B10"]

@pytest.mark.parametrize("case", TABLE)
def test_table(case):
    """[K9.B10]"""
    assert case  # [K9.B10]

def test_loop():
    for case in DEEP:
        assert case == "K9.A1", "only tables count"

def helper_K9_B10():
    assert UNUSED

class TestGroup:
    def test_Q_2_a_method(self):
        assert True

class Other:
    def test_K9_B10(self):
        assert True
'''


def test_functions_tables_and_classes_count(tmp_path: Path):
    root = write(
        tmp_path, {"tests/p/test_one.py": MODULE, "tests/p/helpers.py": "def test_K9_B10(): assert 0"}
    )
    assert found_in(root) == {
        "Q.1": ["tests/p/test_one.py::test_table"],
        "Q.2.a": ["tests/p/test_one.py::TestGroup::test_Q_2_a_method"],
        "Q.2.b": ["tests/p/test_one.py::test_loop", "tests/p/test_one.py::test_table"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.mark.skip\ndef test_Q_1():\n    assert True",
        "@pytest.mark.skip(reason='later')\ndef test_Q_1():\n    assert True",
        "@pytest.mark.xfail\ndef test_Q_1():\n    assert True",
        "pytestmark = [pytest.mark.skip]\ndef test_Q_1():\n    assert True",
        "@pytest.mark.skip\nclass TestIt:\n    def test_Q_1(self):\n        assert True",
        "class TestIt:\n    pytestmark = pytest.mark.xfail\n    def test_Q_1(self):\n        assert True",
        "def test_Q_1():\n    pass",
        "def test_Q_1():\n    '''To be written.'''\n    ...",
        "def check_Q_1():\n    assert True",
        "def test_outer():\n    def test_Q_1():\n        assert True\n    assert True",
        "def test_other():\n    assert 'Q.1'",
    ],
)
def test_what_is_not_run_or_cannot_fail_does_not_count(text: str):
    assert rule_tests.tests_in_module("tests/test_one.py", ast.parse(text), rules()) == {}


def test_a_test_that_is_skipped_in_some_places_counts():
    text = "@pytest.mark.skipif(WINDOWS, reason='no')\ndef test_Q_1():\n    assert True"
    assert set(rule_tests.tests_in_module("tests/test_one.py", ast.parse(text), rules())) == {"Q.1"}


def test_case_files_count_if_a_test_reads_them(tmp_path: Path):
    files = {
        "tests/p/test_one.py": 'CASES = ["cases.txt"]\nFOLDER = ROOT / "programs"\n',
        "tests/p/cases.txt": "# Late [Q.1 Q.2.a-Q.2.b]\ndef @f\nA [K9.B10] in a program\n",
        "tests/p/programs/deep/one.rlx": "# [K9.A1]\ndef @f\n",
        "tests/p/forgotten.txt": "# [K9.B10]\ndef @f\n",
        "tests/p/cases.md": "## K9.B10 another file\n\ntext\n",
        "tests/q/programs/one.rlx": "# [K9.B10]\ndef @f\n",
    }
    assert found_in(write(tmp_path, files)) == {
        "Q.1": ["tests/p/cases.txt"],
        "Q.2.a": ["tests/p/cases.txt"],
        "Q.2.b": ["tests/p/cases.txt"],
        "K9.A1": ["tests/p/programs/deep/one.rlx"],
    }


def test_markers_are_headings_and_comments_with_a_case_below():
    text = "## Q.1, Q.2.a: words\ncase\n# about Q.2.b\n# [K9.A1]\ncase\n# [K9.B10] is the last line\n"
    found = {*rule_tests.tests_in_case_file("tests/p/cases.md", text, rules())}
    assert found == {"Q.1", "Q.2.a", "K9.A1"}


REFERENCE = """\
# Page

## 1. Chapter

Prose [Q.1] [Q.2.a], and a
second paragraph [Q.4].

```relax fragment
let [K9.A1]
```

```relax error=other-slug
wrong
```

New prose [Q.1].

```relax run error=some-slug
fails only when it runs
```

## 2. Chapter

Prose [Q.4].

```text
[Q.1]
```

```relax fragment error=some-slug
wrong
```

Prose behind it [Q.1].

```relax error=unrelated
wrong
```
"""


def test_wrong_examples_of_the_reference_count_for_the_rules_of_their_slug(tmp_path: Path):
    labels = {"Q.1": ["docs/language.md::1. Chapter"], "Q.4": ["docs/language.md::2. Chapter"]}
    files = {"docs/language.md": REFERENCE, "tests/docs/examples.py": 'PAGE = "docs/language.md"'}
    assert found_in(write(tmp_path, files)) == labels


def test_a_reference_that_nothing_tests_does_not_count(tmp_path: Path):
    assert found_in(write(tmp_path, {"docs/language.md": REFERENCE})) == {}


# The page.

SEVERAL = "".join(f"def test_Q_1_number_{n}():\n    assert True\n" for n in range(5))
EXPECTED = """\
**3 of 8 rules are tested**, 1 of them through the rules that they repeat and 0 by examples of the language \
reference alone.

| section | tested | of |
|---|--:|--:|
| [Q: First section](#q-first-section) | 3 | 5 |
| [K9: Second section](#k9-second-section) | 0 | 3 |
| **all** | **3** | **8** |

## Q: First section

| rule | statement | tests | status |
|---|---|---|---|
| Q.1 | The first rule.<br>`one-slug` `other-slug` | `tests/p/test_one.py::test_Q_1_number_0`<br>\
`tests/p/test_one.py::test_Q_1_number_1`<br>`tests/p/test_one.py::test_Q_1_number_2`<br>and 2 more | tested |
| Q.2.a | Use `a \\|\\| b`. | `tests/p/test_two.py::test_Q_2_a` | tested |
| Q.2.b | Part of a group. |  | not yet |
| Q.3 | Says what another says. | same as Q.1 | tested |
| Q.4 | Says what two others say.<br>`some-slug` | same as Q.2 | not yet |
| Q.5 | Nothing to see. |  | – |

## K9: Second section

| rule | statement | tests | status |
|---|---|---|---|
| K9.A1 | A letter before the number. |  | not yet |
| K9.A2 | Another. |  | not yet |
| K9.B10 | The last one. |  | not yet |
"""
TWO_FILES = {
    "tests/p/test_one.py": SEVERAL,
    "tests/p/test_two.py": "def test_Q_2_a():\n    assert True\n",
}


def test_the_page_of_a_small_tree(tmp_path: Path):
    head, _, rest = tool.page(write(tmp_path, TWO_FILES)).partition("**3 of")
    assert head.startswith("# Conformance")
    assert "**3 of" + rest == EXPECTED


def test_a_rule_that_repeats_a_group_needs_tests_of_all_of_it(tmp_path: Path):
    more = {"tests/p/test_three.py": "def test_Q_2_b():\n    assert True\n"}
    text = tool.page(write(tmp_path, TWO_FILES | more))
    assert "| Q.4 | Says what two others say.<br>`some-slug` | same as Q.2 | tested |" in text


def test_the_page_does_not_depend_on_the_hash_seed():
    program = "from tools import make_conformance as m; print(m.page(m.ROOT))"
    pages = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert pages[0] == pages[1]
    assert pages[0].startswith(b"# Conformance")


def run_main(root: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(tool, "ROOT", root)
    monkeypatch.setattr(sys, "argv", ["make_conformance.py", *arguments])
    tool.main()


def test_check_says_what_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = write(tmp_path, TWO_FILES)
    with pytest.raises(SystemExit, match=r"docs/conformance\.md is stale .* run tools/make_conformance\.py"):
        run_main(root, monkeypatch, "--check")
    assert not (root / tool.PAGE).exists()
    run_main(root, monkeypatch)
    run_main(root, monkeypatch, "--check")
    (root / "tests/p/test_two.py").unlink()
    with pytest.raises(SystemExit, match=r"(?s)stale.*Q\.2\.a"):
        run_main(root, monkeypatch, "--check")


# Ids that do not exist.


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("relax_lang/one.py", "x = 1\n# see Q.7, or [Q.1]\n", "relax_lang/one.py:2: there is no rule Q.7"),
        ("relax_lang/one.py", '"""Text. [Q.2.a-Q.2.c]"""\n', "relax_lang/one.py:1: there is no rule Q.2.c"),
        ("cli/one.py", '"""A section that is not there. [QQ.1]"""\n', "cli/one.py:1: there is no rule QQ.1"),
        ("grammar/one.lark", "// a rule [K9.A7]\n", "grammar/one.lark:1: there is no rule K9.A7"),
        ("docs/one.md", "Text [Q.1] [Q.1.2].\n", "docs/one.md:1: there is no rule Q.1.2"),
        ("tests/p/cases.txt", "# Q.9\n", "tests/p/cases.txt:1: there is no rule Q.9"),
        ("tests/p/test_one.py", "\ndef test_Q_8_x(): ...\n", "tests/p/test_one.py:2: there is no rule Q.8"),
        ("README.md", "[Q.1 Q.6]\n", "README.md:1: there is no rule Q.6"),
        (
            "relax_lang/problems.py",
            '@rule("RLX0001", "slug", ERROR, "Q.1 q.2 Q2")\ndef f(): ...\n',
            "relax_lang/problems.py:1: there is no rule Q2",
        ),
        (
            "relax_lang/problems.py",
            '@rule("RLX0001", "slug", ERROR, cites=NAMES)\ndef f(): ...\n',
            "relax_lang/problems.py:1: there is no rule NAMES",
        ),
    ],
)
def test_unknown_ids_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, message: str
):
    root = write(tmp_path, {name: text})
    assert f"{message} in docs/rules.txt" in tool.unknown_ids(root, rules())
    with pytest.raises(SystemExit, match=message.rpartition(" ")[2]):
        run_main(root, monkeypatch, "--check")


def test_known_ids_and_what_only_resembles_one_are_fine(tmp_path: Path):
    text = '''"""Q.1: words. Q.2 is a group, Q.* all. [Q.1-Q.5] [K9.A1, K9.B10] x.Q.77 a-Q.77 Q.1e5 Q.77x"""
@rule("RLX0001", "slug", ERROR, "Q.1 Q.2 K9.A1")
def one(): ...
@rule("RLX0002", "other", ERROR)
def two(): ...
'''
    assert tool.unknown_ids(write(tmp_path, {"relax_lang/problems.py": text}), rules()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Q.1  Too early.\n", "before the first section"),
        ("== Q  Title\nQ.1\n", "expected an id and a statement"),
        ("== Q  Title\nrule  Words.\n", "expected an id and a statement"),
        ("== Q  Title\nQ.1  Words.\nQ.1  Words.\n", r"Q\.1 is there twice"),
        ("== Q  Title\nQ.1  Words. -- =Q.2\n", r"Q\.1 refers to Q\.2"),
        ("== Q  Title\nQ.1  Words. -- =Q.1\n", r"Q\.1 refers to Q\.1"),
    ],
)
def test_a_file_of_rules_that_cannot_be_read(text: str, message: str):
    with pytest.raises(SystemExit, match=message):
        rules(text)
