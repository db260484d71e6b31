// A CodeMirror 6 mode for Relax: `StreamLanguage.define(relax)`.
import { constants, dtypes, keywords, types } from "./words.js";

export const relax = {
  name: "relax",
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"', "`"] } },
  startState: () => ({ open: [] }),
  copyState: (state) => ({ open: [...state.open] }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^"(?:[^"\\]|\\.)*"/)) return "string";
    if (stream.match(/^@(?:[\p{L}_][\p{L}\p{N}\p{M}_]*|"(?:[^"\\]|\\.)*")/u)) return "function";
    if (stream.match(/^`(?:[^`\\]|\\.)*`/)) return "variable";
    if (stream.match(/^\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?/)) return "number";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}\p{M}_]*(?:\.[\p{L}_][\p{L}\p{N}\p{M}_]*)*/u);
    if (word) {
      const name = word[0];
      if (constants.has(name)) return "number";
      if (types.has(name)) return "type";
      if (dtypes.has(name)) return "enumMember";
      if (keywords.has(name)) return "keyword";
      if (name.includes(".") || stream.match(/^[ \t]*\(/, false)) return "function";
      // In brackets `name =` names an attribute, elsewhere it binds a variable.
      const isProperty = ["(", "["].includes(state.open.at(-1)) && stream.match(/^[ \t]*=(?!=)/, false);
      if (isProperty) return "property";
      return "variable";
    }
    if (stream.match(/^(?:->|\.\.|&&|\|\||\*\*|\/\/|<<|>>|[-+*\/%=!<>&|^~]=?)/)) return "operator";
    const mark = stream.next();
    if ("([{".includes(mark)) state.open.push(mark);
    else if (")]}".includes(mark)) state.open.pop();
    return null;
  },
};
