// The tokens of Relax, as grammar/tokens.lark describes them. Included by parser.c after its lists of words and signs.

// The symbols of the patterns, in the order of PATTERNS in tools/make_tree_sitter.py.
enum { END, COMMENT, IDENTIFIER, DOTTED_NAME, QUOTED_NAME, GLOBAL_NAME, INTEGER, FLOAT, STRING };

enum { LONGEST_WORD = 32 };

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

// Beyond ASCII every character counts as a letter: a program with others is wrong, and coloured all the same.
static bool begins_word(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_word(int32_t c) { return begins_word(c) || is_digit(c); }

static bool accept(Lexer *lexer, Symbol symbol) {
  lexer->result_symbol = symbol;
  return true;
}

static void next(Lexer *lexer) { lexer->advance(lexer, false); }

// The rest of a text between quotes, behind the first; false if the line ends before it does.
static bool quoted(Lexer *lexer, int32_t quote) {
  while (lexer->lookahead != quote) {
    if (lexer->eof(lexer) || lexer->lookahead == '\n') return false;
    if (lexer->lookahead == '\\') {
      next(lexer);
      if (lexer->eof(lexer) || lexer->lookahead == '\n') return false;
    }
    next(lexer);
  }
  next(lexer);
  lexer->mark_end(lexer);
  return true;
}

// Digits with single underscores between them; the end is marked behind the last digit.
static void digits(Lexer *lexer) {
  for (;;) {
    while (is_digit(lexer->lookahead)) next(lexer);
    lexer->mark_end(lexer);
    if (lexer->lookahead != '_') return;
    next(lexer);
    if (!is_digit(lexer->lookahead)) return;
  }
}

// An exponent, if one is there: the end is marked behind it.
static bool exponent(Lexer *lexer) {
  if (lexer->lookahead != 'e' && lexer->lookahead != 'E') return false;
  next(lexer);
  if (lexer->lookahead == '+' || lexer->lookahead == '-') next(lexer);
  if (!is_digit(lexer->lookahead)) return false;
  while (is_digit(lexer->lookahead)) next(lexer);
  lexer->mark_end(lexer);
  return true;
}

static bool number(Lexer *lexer) {
  digits(lexer);
  if (lexer->lookahead == '.') {
    next(lexer);
    if (!is_digit(lexer->lookahead)) return accept(lexer, INTEGER); // `0..n`
    digits(lexer);
    exponent(lexer);
    return accept(lexer, FLOAT);
  }
  return accept(lexer, exponent(lexer) ? FLOAT : INTEGER);
}

static bool same(const char *left, const char *right) {
  while (*left && *left == *right) left++, right++;
  return *left == *right;
}

static bool word(Lexer *lexer) {
  char text[LONGEST_WORD + 1];
  unsigned length = 0;
  while (is_word(lexer->lookahead)) {
    if (length < LONGEST_WORD) text[length] = lexer->lookahead < 0x80 ? (char)lexer->lookahead : '?';
    length++;
    next(lexer);
  }
  lexer->mark_end(lexer);
  bool dotted = false;
  while (lexer->lookahead == '.') {
    next(lexer);
    if (!begins_word(lexer->lookahead)) break;
    while (is_word(lexer->lookahead)) next(lexer);
    lexer->mark_end(lexer);
    dotted = true;
  }
  if (dotted) return accept(lexer, DOTTED_NAME);
  if (length <= LONGEST_WORD) {
    text[length] = 0;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
      if (same(words[i].text, text)) return accept(lexer, words[i].symbol);
  }
  return accept(lexer, IDENTIFIER);
}

// The longest sign that begins here; none has more than two characters.
static bool sign(Lexer *lexer) {
  int32_t first = lexer->lookahead;
  Symbol found = 0;
  next(lexer);
  for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++) {
    const char *text = signs[i].text;
    if (text[0] != first) continue;
    if (text[1] && text[1] == lexer->lookahead) {
      next(lexer);
      lexer->mark_end(lexer);
      return accept(lexer, signs[i].symbol);
    }
    if (!text[1]) found = signs[i].symbol;
  }
  lexer->mark_end(lexer);
  return found && accept(lexer, found);
}

static bool lex(Lexer *lexer, StateId state) {
  (void)state; // one set of tokens for all states
  int32_t c = lexer->lookahead;
  while (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
    lexer->advance(lexer, true);
    c = lexer->lookahead;
  }
  if (lexer->eof(lexer)) return accept(lexer, END);
  if (begins_word(c)) return word(lexer);
  if (is_digit(c)) return number(lexer);
  if (c == '#') {
    while (!lexer->eof(lexer) && lexer->lookahead != '\n' && lexer->lookahead != '\r') next(lexer);
    lexer->mark_end(lexer);
    return accept(lexer, COMMENT);
  }
  if (c == '"' || c == '`') {
    next(lexer);
    return quoted(lexer, c) && accept(lexer, c == '"' ? STRING : QUOTED_NAME);
  }
  if (c == '@') {
    next(lexer);
    if (lexer->lookahead == '"') {
      next(lexer);
      return quoted(lexer, '"') && accept(lexer, GLOBAL_NAME);
    }
    if (!begins_word(lexer->lookahead)) return false;
    while (is_word(lexer->lookahead)) next(lexer);
    lexer->mark_end(lexer);
    return accept(lexer, GLOBAL_NAME);
  }
  return sign(lexer);
}
