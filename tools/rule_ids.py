"""The rules of docs/rules.txt, and how their ids look in texts and in names of tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

RULES = "docs/rules.txt"

# How an id looks, whatever the sections are called. The last part may be a letter: W.2.a.
SHAPE = r"[A-Z][A-Z0-9]{0,3}\.[A-Z]?\d+(?:\.(?:\d+|[a-z](?!\w)))*(?!\w)"
LIST = rf"{SHAPE}(?:(?:,? +| ?[-–] ?){SHAPE})*"
BRACKETS = re.compile(rf"\[({LIST})\]")
LEADING = re.compile(rf"#+ +({LIST})(?=[ :]|$)")
ONLY_IDS = re.compile(LIST)
ITEM = re.compile(rf"({SHAPE})(?: ?[-–] ?({SHAPE}))?")


@dataclass
class Rule:
    """One line of docs/rules.txt."""

    id: str
    statement: str
    slugs: list[str] = field(default_factory=list[str])
    same: list[str] = field(default_factory=list[str])
    """Ids or prefixes of the rules that say the same; their tests are this rule's."""
    void: bool = False
    """There is nothing that a test could see."""


class Rules:
    """All rules in order, by section."""

    def __init__(self, text: str) -> None:
        self.sections: dict[str, list[Rule]] = {}
        """Rules by title of their section; the first word of a title is the section's prefix."""
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("== "):
                self.sections[line[3:]] = []
            elif line and not line.startswith("#"):
                if not self.sections:
                    raise SystemExit(f"{RULES}:{number}: a rule before the first section")
                [*self.sections.values()][-1].append(_rule(line, number))
        self.by_id: dict[str, Rule] = {}
        for rule in self.all():
            if rule.id in self.by_id:
                raise SystemExit(f"{RULES}: {rule.id} is there twice")
            self.by_id[rule.id] = rule
        for rule in self.all():
            for target in rule.same:
                if target == rule.id or not self.below(target):
                    raise SystemExit(f"{RULES}: {rule.id} refers to {target}, which is not another rule")

    def all(self) -> list[Rule]:
        """Return the rules in the order of the file."""
        return [rule for section in self.sections.values() for rule in section]

    @cached_property
    def known(self) -> set[str]:
        """Every id, and every prefix of one that stands for all rules below it."""
        parts = [rule_id.split(".") for rule_id in self.by_id]
        return {".".join(part[:n]) for part in parts for n in range(1, len(part) + 1)}

    @cached_property
    def sorts(self) -> set[tuple[str, str]]:
        """Every prefix, with the sorts of parts that follow it."""
        splits = [one.rpartition(".") for one in self.known]
        return {(prefix, _sort(part)) for prefix, _, part in splits if prefix}

    @cached_property
    def bare(self) -> re.Pattern[str]:
        """Match what looks like an id of one of the sections, in any text."""
        names = "|".join(title.split()[0] for title in self.sections)
        return re.compile(rf"(?<![\w.\-])(?=(?:{names})\.){SHAPE}")

    def below(self, prefix: str) -> list[Rule]:
        """Return the rule of that id, or those that the prefix stands for."""
        return [r for r in self.all() if r.id == prefix or r.id.startswith(prefix + ".")]

    def expand(self, text: str) -> set[str]:
        """Return the ids of a list such as `W.2.a S.10, N.1-N.10`; unknown ones are left out."""
        found: set[str] = set()
        for first, last in ITEM.findall(text):
            found |= self.between(first, last or first)
        return found & self.by_id.keys()

    def between(self, first: str, last: str) -> set[str]:
        """Return the ids of the rules from one to the other, both included, in the order of the file."""
        order = list(self.by_id)
        if first == last or first not in order or last not in order:
            return {first, last}
        start, end = sorted((order.index(first), order.index(last)))
        return set(order[start : end + 1])


def _rule(line: str, number: int) -> Rule:
    head, _, tail = line.partition(" -- ")
    rule_id, _, statement = head.partition(" ")
    if not statement.strip() or not ONLY_IDS.fullmatch(rule_id):
        raise SystemExit(f"{RULES}:{number}: expected an id and a statement")
    rule = Rule(rule_id, statement.strip())
    for word in tail.split():
        if word == "void":
            rule.void = True
        elif word.startswith("="):
            rule.same.append(word[1:])
        else:
            rule.slugs.append(word)
    return rule


# Names of tests.


def ids_in_name(name: str, rules: Rules) -> tuple[set[str], list[str]]:
    """Return the rules that a test's name carries, and what looks like an id there and is none."""
    words = name.split("_")
    found: list[str] = []
    unknown: list[str] = []
    at = 0
    last = ""
    while at < len(words):
        prefix, length = _id_at(words, at, rules)
        if length < 2:
            at += 1
            continue
        if prefix in rules.known:
            if last and words[at - 1] == "to":
                found += rules.between(last, prefix)
            found.append(prefix)
        else:
            unknown.append(prefix)
        at += length
        last = prefix if at < len(words) and words[at] == "to" else ""
    return set(found) & rules.by_id.keys(), unknown


def _id_at(words: list[str], at: int, rules: Rules) -> tuple[str, int]:
    """Return the longest id that begins at a word, with its number of words.

    A number or a single letter belongs to the id, known or not, if others of its sort are there: in `W_2_z`
    the z cannot be a word, because W.2 goes on with letters; in `X_11_a_thousand` the a is one.
    """
    prefix, length = words[at], 1
    if prefix not in rules.known or "." in prefix:
        return prefix, 0
    for word in words[at + 1 :]:
        longer = f"{prefix}.{word}"
        if longer not in rules.known and (prefix, _sort(word)) not in rules.sorts:
            break
        prefix, length = longer, length + 1
    return prefix, length


def _sort(word: str) -> str:
    """Return what sort of a part a word would be: a number, a letter, or none."""
    if re.fullmatch(r"[A-Z]?\d+", word):
        return "number"
    return "letter" if re.fullmatch(r"[a-z]", word) else ""
