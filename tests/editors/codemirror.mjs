// Run by test_codemirror.py: prints [start, end, class] of every token of a text, by the mode's own token function.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { relax } = await import(pathToFileURL(process.argv[2]).href);

// What CodeMirror's StringStream offers, as far as the mode uses it.
class Stream {
  constructor(line) {
    this.string = line;
    this.pos = 0;
  }
  eatSpace() {
    const start = this.pos;
    while (/\s/.test(this.string[this.pos] ?? "")) this.pos++;
    return this.pos > start;
  }
  next() {
    const char = String.fromCodePoint(this.string.codePointAt(this.pos));
    this.pos += char.length;
    return char;
  }
  match(pattern, consume = true) {
    const found = this.string.slice(this.pos).match(pattern);
    if (found && consume) this.pos += found[0].length;
    return found;
  }
}

const all = [];
for (const path of process.argv.slice(3)) {
  const tokens = [];
  const state = relax.startState();
  readFileSync(path, "utf-8").split("\n").forEach((line, number) => {
    const stream = new Stream(line);
    while (stream.pos < line.length) {
      const start = stream.pos;
      const kind = relax.token(stream, state);
      if (stream.pos === start) throw new Error(`no progress in ${path}:${number + 1}`);
      if (kind !== null) tokens.push([number, line.slice(start, stream.pos), kind]);
    }
  });
  all.push(tokens);
}
console.log(JSON.stringify(all));
