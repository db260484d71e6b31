"""Time and memory of importing models: `python benchmarks/models/onnx_import.py [MODEL.onnx …]`.

Without arguments it takes the models of the packages rapidocr-onnxruntime, magika and silero-vad that are installed.
Each is imported in processes of their own that have loaded all operators and imported a model of one node before: its
weights, processor time, the greatest memory beyond that, and this as a multiple of the weights. The first process loads
modules while it imports, about two megabytes of code whatever the model is; the second has loaded the same modules
before, so that only the import itself counts, and its multiple comes last. It takes Linux.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

PACKAGES = ("rapidocr_onnxruntime", "magika", "silero_vad")

ONE = """
import importlib, sys, tempfile, time
from pathlib import Path
from onnx import TensorProto, helper, save
from relax_lang.files.models import import_file
from relax_lang.ops.registry import lookup, names

for name in names():
    lookup(name)
port = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"])
small = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [port("x")], [port("y")])
with tempfile.TemporaryDirectory() as folder:
    save(helper.make_model(small, opset_imports=[helper.make_opsetid("", 18)]), f"{folder}/small.onnx")
    import_file(f"{folder}/small.onnx")

for name in sys.argv[2:]:
    importlib.import_module(name)
loaded = set(sys.modules)

def kilobytes(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))

Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before, start = kilobytes("VmRSS"), time.process_time()
found = import_file(sys.argv[1])
seconds, peak = time.process_time() - start, kilobytes("VmHWM") - before
weights = sum(array.nbytes for array in found.weights.values())
print(seconds, peak * 1024, weights, *sorted(set(sys.modules) - loaded))
"""


def models() -> list[Path]:
    """Return the models of the packages that are installed."""
    found: list[Path] = []
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found += sorted(Path(spec.origin).parent.rglob("*.onnx"))
    return found


def measured(path: Path, modules: list[str]) -> tuple[list[float], list[str]]:
    """Import a model after some modules; return seconds, memory and weights, and the modules that it loaded."""
    command = [sys.executable, "-c", ONE, str(path), *modules]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [float(one) for one in words[:3]], words[3:]


def main() -> None:
    """Import each model, and print its line."""
    for path in [Path(one) for one in sys.argv[1:]] or models():
        (seconds, peak, weights), modules = measured(path, [])
        least = min(measured(path, modules)[0][1] for _ in range(3))
        row = f"{path.name:36} {weights / 1e6:6.1f} MB {seconds:6.2f} s {peak / 1e6:6.1f} MB {peak / weights:5.2f}"
        sys.stdout.write(f"{row} {least / weights:5.2f}\n")


if __name__ == "__main__":
    main()
