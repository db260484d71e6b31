"""The playground: its parts without a browser, and the page in headless Chromium if `npm ci` was run in playground/."""

from __future__ import annotations

import importlib.util
import json
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import LIMIT, chromium, opened, served
from tests.docs.tools import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

PAGE = ROOT / "playground"
GOOD = "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {\n  let y = exp(x);\n  y\n}\n"
BAD = "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {\n  let y = exp(x)\n  y\n}\n"


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.chdir(tmp_path)
    for name in ("typer", "rich"):  # the browser does not have them
        monkeypatch.setitem(sys.modules, name, None)
    return _module(PAGE / "bridge.py")


def test_findings_follow_the_text(bridge: ModuleType) -> None:
    for _ in range(2):
        assert json.loads(bridge.check(GOOD))["diagnostics"] == []
        found = json.loads(bridge.check(BAD))["diagnostics"]
        assert [one["name"] for one in found] == ["syntax"]
        (fix,) = found[0]["fixes"]
        (edit,) = fix["edits"]
        assert (
            BAD[: edit["span"]["start"]["offset"]] + edit["text"] + BAD[edit["span"]["end"]["offset"] :]
            == GOOD
        )


def test_views(bridge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bridge.fmt("def @main(x:Tensor){x}") == "def @main(x: Tensor) {\n  x\n}\n"
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "numpy", None)
        assert "let y = exp(x)" in bridge.normalize(GOOD)
        assert "y: Tensor[(n,), float32]" in bridge.infer(GOOD)
        assert bridge.graph(GOOD).startswith("<svg")
        assert "R.exp(x)" in bridge.export(GOOD)
        assert bridge.explain("syntax").startswith("#")
        assert bridge.explain("nothing-like-this") == "`nothing-like-this` is not a diagnostic."
        for view in (bridge.normalize, bridge.infer, bridge.graph, bridge.export):
            assert view("def @main() { y }").startswith("error[")


def test_running(bridge: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bridge.run(GOOD, 0, "n=2").startswith("Tensor[(2,), float32]")
    assert bridge.run("def @main() { y }", 0, "").startswith("error[")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert "needs NumPy" in bridge.run(GOOD, 0, "n=2")


def test_the_download_is_compared_with_its_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import hashlib
    from importlib.machinery import SourceFileLoader

    loader = SourceFileLoader("fetch", str(PAGE / "fetch"))
    spec = importlib.util.spec_from_loader("fetch", loader)
    assert spec is not None
    fetch = importlib.util.module_from_spec(spec)
    loader.exec_module(fetch)
    pyodide = tmp_path / "pyodide"
    pyodide.mkdir()
    (pyodide / "package.json").write_text('{"version": "1.2.3"}')
    packages = {"numpy": {"file_name": "numpy-9.whl", "sha256": hashlib.sha256(b"numpy").hexdigest()}}
    (pyodide / "pyodide-lock.json").write_text(json.dumps({"packages": packages}))
    monkeypatch.setattr(fetch, "PYODIDE", pyodide)
    monkeypatch.setenv("RELAX_PYODIDE_FILES", str(tmp_path))
    into = tmp_path / "page"
    assert fetch.main([str(into)]) == 1
    (tmp_path / "numpy-9.whl").write_bytes(b"something else")
    assert fetch.main([str(into)]) == 1
    assert "checksum differs" in capsys.readouterr().err
    assert not into.exists()
    (tmp_path / "numpy-9.whl").write_bytes(b"numpy")
    assert fetch.main([str(into)]) == 0
    assert [one.name for one in into.iterdir()] == ["numpy-9.whl"]


DRIVE = r"""<!DOCTYPE html><meta charset="utf-8"><body><script>
const GOOD = __GOOD__, BAD = __BAD__;
const frame = document.createElement("iframe");
frame.style.cssText = "width: 1200px; height: 800px";
const opened = async (url) => {
  const loaded = new Promise(resolve => { frame.onload = resolve; });
  frame.src = url;
  await loaded;
};
const pause = () => new Promise(resolve => setTimeout(resolve, 20));
const until = async (what, holds) => {
  for (let i = 0; i < __TRIES__; i++) {
    const value = holds();
    if (value) return value;
    await pause();
  }
  throw new Error("waited in vain: " + what + "; status " + status());
};
const at = (id) => frame.contentDocument.getElementById(id);
const status = () => at("status")?.textContent;
const page = () => frame.contentWindow.playground;
const put = (text) => page().editor.dispatch({changes: {from: 0, to: page().editor.state.doc.length, insert: text}});
const kind = (word) => until(word, () => at("status").dataset.kind === word);
(async () => {
  const found = {};
  document.body.append(frame);
  await opened("/index.html");
  await until("the page", page);
  found.first = status();  // the editor is there before Python is
  put(GOOD);
  await kind("clean");
  put(BAD);
  await kind("errors");
  found.errors = status();
  found.marks = frame.contentDocument.querySelectorAll(".cm-lintRange-error, .cm-lintPoint-error").length;
  const buttons = () => [...frame.contentDocument.querySelectorAll("#problems button")];
  const fix = buttons().find(one => one.textContent.startsWith("Fix"));
  found.fix = fix.textContent;
  fix.click();
  await kind("clean");
  found.fixed = page().text();
  put(GOOD.replace("  let y", "let   y"));
  await kind("clean");
  at("format").click();
  await until("the format", () => page().text() === GOOD);
  for (const view of ["normalize", "infer", "graph", "export"]) {
    at("tab-" + view).click();
    await until(view, () => at(view).firstElementChild);
    found[view] = at(view).textContent.length || at(view).querySelector("iframe").srcdoc.includes("<svg");
  }
  at("tab-run").click();
  await until("run", () => at("run-output").textContent);
  found.run = at("run-output").textContent;
  found.form = !at("arguments").hidden;
  at("tab-problems").click();
  put(BAD);
  await kind("errors");
  buttons().find(one => one.textContent === "Explain").click();
  await until("the explanation", () => at("explanation").textContent);
  found.explanation = at("explanation").textContent.slice(0, 1);
  at("close").click();
  at("share").click();
  await kind("clean");
  const hash = frame.contentWindow.location.hash;
  // While a long program is checked, the page goes on.
  let beats = 0;
  const heart = setInterval(() => { beats += 1; }, 5);
  put("def @main(x: Tensor[(n,), float32]) {\n" + "  let y = exp(x);\n".repeat(400) + "  nothing\n}\n");
  await kind("errors");
  clearInterval(heart);
  found.beats = beats;
  // A worker that breaks is started again, and answers.
  page().python.receive({broken: "a test"});
  found.broken = status();
  put(GOOD);
  await kind("clean");
  await opened("about:blank");
  await opened("/index.html" + hash);
  await until("the shared page", page);
  found.shared = page().text();
  await opened("about:blank");
  await opened("/index.html#not-a-program");
  await until("the page with a broken address", page);
  found.unshared = page().text().length;
  found.elsewhere = frame.contentWindow.performance.getEntriesByType("resource").map(one => one.name)
    .filter(name => !name.startsWith(location.origin) && !name.startsWith("data:"));
  return found;
})().catch(error => ({error: String(error.stack ?? error)}))
    .then(found => fetch("/report", {method: "POST", body: JSON.stringify(found)}));
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with the package of this checkout, packed as a wheel is."""
    if not (PAGE / "node_modules" / "pyodide").is_dir():
        pytest.skip("Pyodide is not there: `npm ci --ignore-scripts` in playground/ brings it")
    folder = tmp_path_factory.mktemp("playground")
    wheel = folder / "relax_lang-0-py3-none-any.whl"
    tops = {
        "relax_lang": "relax_lang",
        "cli": "relax_lang/cli",
        "grammar": "relax_lang/grammar",
        "std": "relax_lang/std",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for top, name in tops.items():
            for file in (ROOT / top).rglob("*"):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, f"{name}/{file.relative_to(ROOT / top).as_posix()}")
    _module(ROOT / "tools" / "make_playground.py").gather(folder / "page", wheel)
    return folder / "page"


def test_the_page(page: Path, tmp_path: Path) -> None:
    chromium()
    drive = DRIVE.replace("__GOOD__", json.dumps(GOOD)).replace("__BAD__", json.dumps(BAD))
    drive = drive.replace("__TRIES__", str(LIMIT * 50 // 4))
    with served(page, {"/drive": drive}) as server, opened(f"{server.address}/drive", tmp_path / "profile"):
        found: dict[str, Any] = server.reports.get(timeout=LIMIT)
    assert "error" not in found, found["error"]
    assert found["first"].startswith("Loading")
    assert found["errors"] == "1 error, 0 warnings"
    assert found["marks"] == 1
    assert found["fix"] == "Fix: add `;`"
    assert found["fixed"] == GOOD
    assert found["normalize"] > 0
    assert found["infer"] > 0
    assert found["export"] > 0
    assert found["graph"] is True
    assert "needs NumPy" in found["run"]
    assert not found["form"]
    assert found["explanation"] == "#"
    assert found["beats"] > 0
    assert "a test" in found["broken"]
    assert found["shared"] == BAD
    assert found["unshared"] > 0
    assert found["elsewhere"] == []


def test_samples_of_the_page_exist() -> None:
    made = _module(ROOT / "tools" / "make_playground.py")
    assert made.SAMPLES
    assert all((ROOT / name).is_file() for name in made.SAMPLES)


FRAME = """<!doctype html><iframe id="frame"></iframe><script>
var errors = [], frame = document.getElementById("frame");
frame.onload = () => {
  const svg = frame.contentDocument.querySelector("svg"), block = svg.querySelector(".block");
  block.querySelector(".fold").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const found = { errors, search: svg.querySelector("#search").hasAttribute("display") };
  found.width = svg.getAttribute("width");
  found.height = block.querySelector(".panel").getAttribute("height");
  fetch("/", { method: "POST", body: JSON.stringify(found) });
};
frame.srcdoc = "<script>onerror = (message) => parent.errors.push(message);</" + "script>" + __SVG__;
</script>"""


def test_the_script_of_a_graph_works_within_a_page(bridge: ModuleType, tmp_path: Path) -> None:
    chromium()
    made = json.dumps(bridge.graph(GOOD)).replace("</", "<\\/")
    page = FRAME.replace("__SVG__", made)
    with served(tmp_path, {"/page": page}) as server, opened(f"{server.address}/page", tmp_path / "profile"):
        found: dict[str, Any] = server.reports.get(timeout=LIMIT)
    assert found == {"errors": [], "search": False, "width": "100%", "height": "22"}
