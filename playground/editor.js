// The editor: CodeMirror 6 with the mode of editors/codemirror.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { relax } from "./relax.js";

const colors = HighlightStyle.define([
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.typeName, class: "tok-type" },
  { tag: tags.atom, class: "tok-dtype" },
  { tag: tags.function(tags.variableName), class: "tok-function" },
  { tag: tags.propertyName, class: "tok-property" },
  { tag: tags.operator, class: "tok-operator" },
]);
const tokenTable = {
  type: tags.typeName,
  enumMember: tags.atom,
  function: tags.function(tags.variableName),
  property: tags.propertyName,
  variable: tags.variableName,
};

export function makeEditor(parent, text, onChange) {
  const changed = EditorView.updateListener.of((update) => update.docChanged && onChange());
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(),
        indentUnit.of("  "),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        StreamLanguage.define({ ...relax, tokenTable }), syntaxHighlighting(colors), changed,
        EditorView.contentAttributes.of({ "aria-label": "program", spellcheck: "false" }),
      ],
    }),
  });
}

// Findings count characters, the editor counts UTF-16 units. They differ after characters beyond U+FFFF.
export function unitsOf(text) {
  if (!/[\u{10000}-\u{10FFFF}]/u.test(text)) return (offset) => Math.min(offset, text.length);
  const starts = [];
  let at = 0;
  for (const character of text) {
    starts.push(at);
    at += character.length;
  }
  return (offset) => starts[offset] ?? text.length;
}

// Apply a fix, if the text is still the one that it was made for.
export function apply(view, text, fix) {
  if (view.state.doc.toString() !== text) return;
  const units = unitsOf(text);
  const changes = fix.edits.map(({ span, text: insert }) => ({
    from: units(span.start.offset), to: units(span.end.offset), insert,
  }));
  view.dispatch({ changes });
}

export function showFindings(view, text, findings) {
  const units = unitsOf(text);
  const shown = findings.filter((one) => one.span).map((one) => ({
    from: units(one.span.start.offset),
    to: units(one.span.end.offset),
    severity: one.severity,
    source: one.name,
    message: [one.message, ...one.notes].join("\n"),
    actions: one.fixes.map((fix) => ({ name: fix.title, apply: (editor) => apply(editor, text, fix) })),
  }));
  view.dispatch(setDiagnostics(view.state, shown));
}
