"""Examples for the help of every command: a line of the shell, and what it does. The tests run them."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "check": (
        ("relax check", "all programs in this folder and below"),
        ("relax check model.rlx --fix", "repair what can be repaired without changing what runs"),
        ("relax check . --output-format sarif -o report.sarif", "a report for a code scanner"),
    ),
    "fmt": (
        ("relax fmt", "all programs in this folder and below, in place"),
        ("relax fmt --check .", "only list those that are not formatted: for CI"),
        ("relax fmt --diff model.rlx", "show what would change"),
    ),
    "test": (("relax test tests/", "compare programs with the expectations in their comments"),),
    "run": (
        ("relax run model.rlx --args x.npy '[1, 2]'", "arguments in order"),
        ("relax run model.rlx --npz inputs.npz --out y.npy", "by name from an archive; store the result"),
        ("relax run model.rlx --random 1 --dim n=8 --trace", "made-up arguments; show every binding"),
    ),
    "map": (
        (
            "relax map model.rlx --arg x=big.npy --over n --chunk 256 --out y.npy",
            "256 rows of `n` at a time; goes on after a stop",
        ),
        ("relax map model.rlx --arg x=big.npy --over n --out y.npy --workers 4", "in four processes"),
    ),
    "normalize": (("relax normalize model.rlx", "the program in A-normal form"),),
    "infer": (
        ("relax infer model.rlx", "the struct info of every binding"),
        ("relax infer --types model.rlx", "its type: kind, rank and dtype, without dimensions"),
    ),
    "diff": (("relax diff before.rlx after.rlx", "are they the same, up to names?"),),
    "graph": (
        ("relax graph model.rlx --open", "draw it, and show the picture in a browser"),
        ("relax graph model.rlx -o model.dot", "for Graphviz"),
    ),
    "parse": (("relax parse model.rlx --json", "the tree for other tools"),),
    "compile": (
        ("relax compile model.rlx --emit numpy > kernels.py", "PrimFuncs as a module of NumPy"),
        ("relax compile model.rlx --explain-vectorization", "how every loop runs, and why"),
    ),
    "opt": (
        ("relax opt model.rlx", "what the pipeline `optimize` makes of it"),
        ("relax opt model.rlx -p fold-constant,dead-code-elimination -o small.rlx", "passes by name"),
        (
            "relax opt model.rlx --diff --compare 1 --dim n=4",
            "what each pass changes; does it still compute the same?",
        ),
        ("relax opt --list", "all passes, with their options"),
    ),
    "build": (
        ("relax build model.rlx", "writes `model.rlxe`, which runs without the program"),
        ("relax build model.rlx --pipeline build -o small.rlxe", "with memory and sizes made explicit first"),
    ),
    "disasm": (
        ("relax disasm model.rlxe", "its functions, instruction by instruction"),
        ("relax disasm model.rlxe --stats", "what it consists of"),
    ),
    "asm": (("relax asm model.txt -o model.rlxe", "the executable of a text that `relax disasm -o` wrote"),),
    "import": (("relax import model.py -o model.rlx", "TVMScript as Relax text"),),
    "export": (("relax export model.rlx -o model.py", "Relax text as TVMScript"),),
    "lsp": (("relax lsp", "the language server, as editors start it"),),
    "ops": (("relax ops", "all operators"), ("relax ops matmul", "one of them")),
    "explain": (
        ("relax explain use-before-bind", "what it means, a wrong and a right program"),
        ("relax explain lints", "the diagnostics of a group"),
    ),
    "trust": (
        ("relax trust .", "let the code run that the settings here name, until it changes"),
        ("relax trust --list", "the trusted folders"),
    ),
    "cache": (("relax cache clear", "forget what was found earlier"),),
}


def epilog(command: str) -> str | None:
    """Return the examples of a command for the end of its help, as Markdown."""
    examples = EXAMPLES.get(command)
    if not examples:
        return None
    return "\n".join(["Examples:\n", *[f"- `{line}`: {what}" for line, what in examples]])
