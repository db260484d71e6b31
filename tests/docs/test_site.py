"""`make site`: Sphinx has no warnings; in a browser the pages fit, are highlighted, and load from nowhere else."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import LIMIT, chromium, opened, served
from tests.docs.tools import ROOT

WIDTHS = (390, 1280)

LOOK = """<!DOCTYPE html><meta charset="utf-8"><body><script>
const pages = PAGES, widths = WIDTHS;
async function look(page) {
  const frame = document.createElement("iframe");
  frame.style.height = "900px";
  frame.style.width = widths[0] + "px";
  frame.src = "/" + page;
  const loaded = new Promise(resolve => { frame.onload = resolve; });
  document.body.append(frame);
  await loaded;
  await new Promise(resolve => setTimeout(resolve, 50));
  const inner = frame.contentDocument, root = inner.documentElement;
  const elsewhere = frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name)
    .filter(name => !name.startsWith(location.origin) && !name.startsWith("data:"));
  const overflow = [];
  for (const width of widths) {  // pages have no script that asks for the width: loading them once is enough
    frame.style.width = width + "px";
    await new Promise(resolve => setTimeout(resolve, 0));
    const cells = [...inner.querySelectorAll("article table.docutils td")].map(one => one.offsetWidth);
    overflow.push([
      width, root.clientWidth > width - 40, root.scrollWidth - root.clientWidth, Math.min(1000, ...cells),
    ]);
  }
  const found = {
    page, overflow, elsewhere,
    title: inner.title,
    relax: inner.querySelectorAll(".highlight-relax span, .highlight-rlx span").length,
    relaxBlocks: inner.querySelectorAll(".highlight-relax, .highlight-rlx").length,
    broken: [...inner.images].filter(one => !one.complete || !one.naturalWidth).map(one => one.src),
  };
  frame.remove();
  return found;
}
(async () => {
  const found = [];
  for (const page of pages) found.push(await look(page));
  await fetch("/report", {method: "POST", body: JSON.stringify(found)});
})().catch(error => fetch("/report", {method: "POST", body: JSON.stringify(String(error))}));
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for needed in ("sphinx", "myst_parser", "furo"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed (extra `site`)")
    output = tmp_path_factory.mktemp("site") / "html"
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "make_site.py"), "-o", str(output)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout
    return output


def test_pages_that_must_exist(site: Path) -> None:
    for page in (
        "index",
        "README",
        "docs/tutorial",
        "docs/language",
        "docs/operators",
        "commands",
        "api",
        "samples/README",
    ):
        assert (site / f"{page}.html").is_file(), page


def test_every_command_is_on_the_page_of_commands(site: Path) -> None:
    from relax_lang.cli.app import app

    page = (site / "commands.html").read_text(encoding="utf-8")
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").rstrip("_")
        assert f">relax {name}<" in page, name


def test_pages_in_a_browser(site: Path, tmp_path: Path) -> None:
    chromium()
    pages = sorted(
        page.relative_to(site).as_posix() for page in site.rglob("*.html") if "_static" not in page.parts
    )
    look = LOOK.replace("PAGES", repr(pages)).replace("WIDTHS", repr(list(WIDTHS)))
    with served(site, {"/look": look}) as server, opened(f"{server.address}/look", tmp_path / "profile"):
        found = server.reports.get(timeout=LIMIT)
    assert isinstance(found, list), found
    assert len(found) == len(pages)
    for one in found:
        assert not one["elsewhere"], one
        assert not one["broken"], one
        for width, is_as_wide, overflow, narrowest in one["overflow"]:
            assert is_as_wide, (width, one)
            assert overflow <= 0, (width, one)
            assert narrowest >= 36, (width, one)  # a column of letters cannot be read
        assert one["title"], one
        assert bool(one["relaxBlocks"]) == bool(one["relax"]), one
    assert sum(one["relaxBlocks"] for one in found) > 250
