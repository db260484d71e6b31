// The page: text in, findings and views out. Nothing leaves the browser.
import { apply, makeEditor, showFindings } from "./editor.js";
import { Python } from "./python.js";
import { samples } from "./samples.js";
import { packed, unpacked } from "./share.js";

const byId = (id) => document.getElementById(id);
const QUIET = 150; // milliseconds without a key before a check
const VIEWS = ["problems", "normalize", "infer", "graph", "export", "run"];

let view = "problems";
let timer = 0;
let busy = false;
let again = false;
let numpy = false;

const fragment = await unpacked(location.hash.slice(1));
const editor = makeEditor(byId("editor"), fragment ?? Object.values(samples)[0], changed);
const text = () => editor.state.doc.toString();

const python = new Python((state) => {
  if (state.stage) status(`Loading ${state.stage} …`, "loading");
  if (state.ready) {
    numpy = state.numpy;
    byId("version").textContent = state.version;
    refresh();
  }
  if (state.broken) status(`Python stopped: ${state.broken}. It was started again.`, "broken");
});

function status(words, kind) {
  byId("status").textContent = words;
  byId("status").dataset.kind = kind;
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(refresh, QUIET);
}

// One check at a time; what was typed meanwhile is checked next, and what lies between never.
async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  do {
    again = false;
    await look(text());
  } while (again);
  busy = false;
}

async function look(program) {
  try {
    const report = JSON.parse(await python.call("check", program));
    if (program === text()) {
      showFindings(editor, program, report.diagnostics);
      list(program, report);
    }
    if (view !== "problems" && !again) await fill(program);
  } catch (error) {
    status(error.message, "broken");
  }
}

function list(program, report) {
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const kind = report.errors ? "errors" : report.warnings ? "warnings" : "clean";
  status(kind === "clean" ? "No problems" : `${count(report.errors, "error")}, ${count(report.warnings, "warning")}`, kind);
  const rows = report.diagnostics.map((one) => {
    const row = document.createElement("details");
    row.open = true;
    const head = document.createElement("summary");
    head.className = one.severity;
    head.textContent = `${one.span ? `${one.span.start.line}:${one.span.start.column} ` : ""}${one.name}`;
    const body = document.createElement("pre");
    body.textContent = one.rendered.trimEnd();
    const more = document.createElement("button");
    more.textContent = "Explain";
    more.onclick = () => explain(one.name);
    const fixes = one.fixes.map((fix) => {
      const button = document.createElement("button");
      button.textContent = `Fix: ${fix.title}`;
      button.onclick = () => apply(editor, program, fix);
      return button;
    });
    row.append(head, body, ...fixes, more);
    return row;
  });
  const nothing = document.createElement("p");
  nothing.textContent = "No problems were found in this program.";
  byId("problems").replaceChildren(...(rows.length ? rows : [nothing]));
}

async function explain(name) {
  byId("explanation").textContent = await python.call("explain", name);
  byId("more").showModal();
}

async function fill(program) {
  const place = byId(view);
  if (view === "run") {
    byId("arguments").hidden = !numpy;
    byId("run-output").textContent = numpy
      ? await python.call("run", program, Number(byId("seed").value), byId("dims").value)
      : "Running needs NumPy, which is not beside this page: see playground/README.md.";
    return;
  }
  const made = await python.call(view, program);
  if (view === "graph" && made.startsWith("<svg")) {
    const picture = document.createElement("iframe"); // its script is ours, and can do nothing outside of its frame
    picture.sandbox = "allow-scripts";
    picture.title = "graph of the program";
    picture.srcdoc = `<!doctype html><style>html, body { margin: 0; height: 100%; } svg { display: block; }</style>${made}`;
    place.replaceChildren(picture);
  } else {
    const shown = document.createElement("pre");
    shown.textContent = made;
    place.replaceChildren(shown);
  }
}

function choose(name) {
  view = name;
  for (const one of VIEWS) {
    byId(one).hidden = one !== name;
    byId(`tab-${one}`).setAttribute("aria-selected", String(one === name));
  }
  if (name !== "problems" && python.ready) refresh();
}

for (const one of VIEWS) byId(`tab-${one}`).onclick = () => choose(one);
for (const name of Object.keys(samples)) byId("samples").append(new Option(name, name));
byId("samples").onchange = () => replace(samples[byId("samples").value]);
byId("again").onclick = refresh;
byId("close").onclick = () => byId("more").close();

function replace(program) {
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: program } });
}

byId("format").onclick = async () => {
  const before = text();
  try {
    const after = await python.call("fmt", before);
    if (text() === before && after !== before) replace(after);
  } catch (error) {
    status(error.message, "broken");
  }
};

byId("share").onclick = async () => {
  location.hash = await packed(text());
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  status("The address of this page now holds the program.", "clean");
};

choose("problems");
globalThis.playground = { editor, python, choose, text };
