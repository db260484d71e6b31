// The language as one object. Included by parser.c behind its tables.

static const LexMode lex_modes[STATES];
static const uint16_t no_aliases[] = {0};
static const Symbol alias_sequences[1];
static const char *const field_names[] = {NULL};

#if defined(_WIN32)
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const Language *tree_sitter_relax(void) {
  static const Language language = {
    .version = 14,
    .symbol_count = SYMBOLS,
    .token_count = TOKENS,
    .state_count = STATES,
    .large_state_count = 2,
    .production_id_count = 1,
    .parse_table = &large_table[0][0],
    .small_parse_table = small_table,
    .small_parse_table_map = small_rows,
    .parse_actions = actions,
    .symbol_names = symbol_names,
    .field_names = field_names,
    .symbol_metadata = symbol_metadata,
    .public_symbol_map = public_symbols,
    .alias_map = no_aliases,
    .alias_sequences = alias_sequences,
    .lex_modes = lex_modes,
    .lex_fn = lex,
    .primary_state_ids = own_states,
  };
  return &language;
}
