// Python in a worker of its own, so that typing never waits. Gets {id, call, args}; answers {id, result} or {id, error};
// reports {stage} while it loads, {ready, numpy} once, and {broken} if it cannot go on.
import { loadPyodide } from "./pyodide/pyodide.mjs";

let bridge = null;

async function bytes(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

async function start() {
  const files = await (await fetch("./files.json")).json();
  postMessage({ stage: "Python" });
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  postMessage({ stage: "relax-lang" });
  const site = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  python.unpackArchive(await bytes(files.wheel), "wheel", { extractDir: site });
  if (files.numpy) {
    postMessage({ stage: "NumPy" });
    python.unpackArchive(await bytes(files.numpy), "wheel", { extractDir: site });
  }
  const source = new TextDecoder().decode(await bytes("./bridge.py"));
  python.FS.writeFile(`${site}/bridge.py`, source);
  bridge = python.pyimport("bridge");
  bridge.check("def @main() { () }"); // what the first check imports
  postMessage({ ready: true, numpy: Boolean(files.numpy), version: python.runPython("import relax_lang; relax_lang.__version__") });
}

const started = start().catch((error) => postMessage({ broken: String(error.message ?? error) }));

onmessage = async ({ data: { id, call, args } }) => {
  await started;
  if (!bridge) return;
  try {
    postMessage({ id, result: bridge[call](...args) });
  } catch (error) {
    const message = String(error.message ?? error);
    // An exception of Python leaves the worker as it was. Anything else (a full stack, no memory) does not.
    if (error.name === "PythonError") postMessage({ id, error: message.trim().split("\n").at(-1) });
    else postMessage({ broken: message });
  }
};
