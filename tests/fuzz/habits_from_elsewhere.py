"""Changes of a program to what people write who come from PyTorch, NumPy, TVMScript, Relay or Rust, each meaning what
the program meant before."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Habit = Callable[[random.Random, re.Match[str]], str]

DTYPES = r"(?:float32|int64|int32|bool)"


def _choice(*texts: str) -> Habit:
    return lambda draw, found: found.expand(draw.choice(texts))


HABITS: tuple[tuple[str, Habit], ...] = (
    (
        r"let (v\d+) = ",
        _choice(r"\1 = ", r"let mut \1 = ", r"var \1 = ", r"const \1 = ", r"let \1 := ", r"\1 := "),
    ),
    (r"let (v\d+) = ", _choice(r"%\1 = ", r"let %\1 = ", r"auto \1 = ", r"let \1 == ", r"let \1 ")),
    (r"= (.*);\n", _choice("= \\1\n", "= \\1;;\n", "= \\1,\n", "= \\1; // done\n", "= (\\1;\n", "= \\1);\n")),
    (r"= (v\d+|x\d+) \+ (v\d+|x\d+);", _choice(r"= R.add(\1, \2);", r"= \1 .+ \2;", r"= \1 ++ \2;")),
    (r" && ", _choice(" and ", " & ", " && && ")),
    (r"logical_not\((\w+)\)", _choice(r"not \1", r"~\1", r"np.logical_not(\1)", r"!!!\1")),
    (
        r"matmul\((\w+), (\w+)\)",
        _choice(r"\1 @ \2", r"torch.matmul(\1, \2)", r"np.dot(\1, \2)", r"\1.matmul(\2)"),
    ),
    (r"sum\((\w+), axis=\[(-?\d+)\]\)", _choice(r"sum(\1, \2)", r"\1.sum(\2)", r"torch.sum(\1, dim=\2)")),
    (
        r"sum\((\w+), axis=\[(-?\d+)\]",
        _choice(r"sum(\1, axis=(\2,)", r"np.sum(\1, axis=\2", r"R.sum(\1, axis=\2"),
    ),
    (r"keepdims=true", _choice("keepdim=True", "keepdims=True", "keep_dims=true", "keepdims=1", "keepdims")),
    (
        r"concat\(\((\w+), (\w+),?\), axis=(-?\d+)\)",
        _choice(r"concat([\1, \2], axis=\3)", r"concat(\1, \2, axis=\3)"),
    ),
    (
        r"concat\(\((\w+), (\w+),?\), axis=(-?\d+)\)",
        _choice(r"torch.cat((\1, \2), dim=\3)", r"concatenate((\1, \2), \3)", r"concat((\1, \2), \3)"),
    ),
    (
        r"reshape\((\w+), shape\(([^()]*)\)\)",
        _choice(
            r"reshape(\1, (\2))", r"reshape(\1, [\2])", r"\1.reshape(\2)", r"\1.view(\2)", r"reshape(\1, \2)"
        ),
    ),
    (r"permute_dims\((\w+)\)", _choice(r"\1.T", r"transpose(\1)", r"np.transpose(\1)", r"permute_dim(\1)")),
    (r"permute_dims\((\w+), axes=(\[[^]]*\])\)", _choice(r"permute_dims(\1, \2)", r"transpose(\1, axes=\2)")),
    (
        r"expand_dims\((\w+), axis=(-?\d+)\)",
        _choice(r"expand_dims(\1, \2)", r"unsqueeze(\1, \2)", r"\1.unsqueeze(\2)"),
    ),
    (
        r"squeeze\((\w+), axis=(-?\d+)\)",
        _choice(r"squeeze(\1, \2)", r"\1.squeeze(\2)", r"squeeze(\1, dim=\2)"),
    ),
    (
        r"astype\((\w+), dtype=(\w+)\)",
        _choice(r"astype(\1, \2)", r'astype(\1, "\2")', r"\1.astype(\2)", r"\1.to(\2)"),
    ),
    (
        r"astype\((\w+), dtype=(\w+)\)",
        _choice(r"cast(\1, \2)", r'astype(\1, dtype="\2")', r"\2(\1)", r"\1 as \2"),
    ),
    (
        rf"(zeros|ones)\(shape\(([^()]*)\), dtype=({DTYPES})\)",
        _choice(
            r"\1((\2), \3)",
            r"\1(\2, dtype=\3)",
            r"\1([\2], dtype=\3)",
            r'\1(shape(\2), "\3")',
            r"np.\1((\2), \3)",
        ),
    ),
    (r"flip\((\w+), axis=(-?\d+)\)", _choice(r"flip(\1, \2)", r"flip(\1, dims=[\2])", r"np.flip(\1, \2)")),
    (r"argmax\((\w+), axis=(-?\d+)\)", _choice(r"argmax(\1, \2)", r"argmax(\1, dim=\2)", r"\1.argmax(\2)")),
    (
        r"cumsum\((\w+), axis=(-?\d+)\)",
        _choice(r"cumsum(\1, \2)", r"torch.cumsum(\1, dim=\2)", r"\1.cumsum(\2)"),
    ),
    (r"stack\(\((\w+), (\w+)\), axis=(-?\d+)\)", _choice(r"stack([\1, \2], \3)", r"stack((\1, \2), \3)")),
    (
        r"repeat\((\w+), repeats=(\d+)\)",
        _choice(r"repeat(\1, \2)", r"\1.repeat(\2)", r"repeat_interleave(\1, \2)"),
    ),
    (
        r"tile\((\w+), repeats=(\[[^]]*\])\)",
        _choice(r"tile(\1, \2)", r"np.tile(\1, \2)", r"tile(\1, reps=\2)"),
    ),
    (
        r"split\((\w+), indices_or_sections=(\d+), axis=(-?\d+)\)",
        _choice(r"split(\1, \2, \3)", r"split(\1, \2, axis=\3)"),
    ),
    (r"where\((\w+), (\w+), (\w+)\)", _choice(r"\1 ? \2 : \3", r"np.where(\1, \2, \3)", r"\1.where(\2, \3)")),
    (r"maximum\((\w+), (\w+)\)", _choice(r"max(\1, \2)", r"np.maximum(\1, \2)", r"maximun(\1, \2)")),
    (r"shape_of\((\w+)\)", _choice(r"\1.shape", r"shape(\1)", r"R.shape_of(\1)")),
    (r"size\((\w+)\)", _choice(r"\1.size", r"len(\1)", r"numel(\1)", r"\1.size()")),
    (
        r"Tensor\[(\([^][]*\)), (\w+)\]",
        _choice(r'R.Tensor(\1, "\2")', r"Tensor(\1, \2)", r'Tensor[\1, "\2"]'),
    ),
    (
        r"Tensor\[(\([^][()]*\)), (\w+)\]",
        _choice(r"Tensor[\1; \2]", r"\2[\1]", r"Tensor<\1, \2>", r"Tensor[\2, \1]"),
    ),
    (
        r"Tensor\[ndim=(\d), (\w+)\]",
        _choice(r"Tensor[\2, ndim=\1]", r"Tensor(ndim=\1, dtype=\2)", r"Tensor[\1, \2]"),
    ),
    (
        r" -> ((?:Tensor|Shape)[^{]*) \{\n  let",
        _choice(" : \\1 {\n  let", " -> \\1:\n  let", " \\1 {\n  let"),
    ),
    (
        r"\n  (x\d+|v\d+)\n\}",
        _choice("\n  return \\1;\n}", "\n  return \\1\n}", "\n  \\1;\n}", "\n  R.return(\\1)\n}"),
    ),
    (
        r"match_cast\((\w+), (.*)\);",
        _choice(r"R.match_cast(\1, \2);", r"match_cast(\1: \2);", r"assert \1 is \2;"),
    ),
    (r"dataflow \{", _choice("with R.dataflow() {", "dataflow:", "with dataflow() {")),
    (r"output ([^;]*);", _choice(r"R.output(\1);", r"output(\1);", "output \\1", r"yield \1;")),
    (r"prim_value\(([^()]*)\)", _choice(r"R.prim_value(\1)", r"PrimValue(\1)", r"\1", r"Prim(\1)")),
    (r"def @(\w+)", _choice(r"def \1", r"fn @\1", r"func @\1", r"@\1", r"function @\1")),
    (r"if (.*) \{\n", _choice("if (\\1) {\n", "if \\1:\n", "if \\1 then {\n")),
    (r"\} else \{", _choice("} elif {", "}\nelse", "} else", "else {")),
)


def mutated(text: str, draw: random.Random) -> str | None:
    """Return a text with one place written as elsewhere, None if there is no place for what was drawn."""
    pattern, habit = draw.choice(HABITS)
    places = list(re.finditer(pattern, text))
    if not places:
        return None
    found = draw.choice(places)
    return text[: found.start()] + habit(draw, found) + text[found.end() :]
